internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Keeps an index in step with its store until SIGTERM or SIGINT.
package final class Follower {
  private let options: Indexer.Options
  private let lock: FileLock
  private let indexer: Indexer
  private let purge: IdlePurge?
  private let stopDescriptor: Int32

  /// Milliseconds after which the follower looks by itself: file systems without notices, a flipped stub.
  private static let pollMilliseconds: Int32 = 1_000
  /// Milliseconds for which a notice is re-checked: it comes before the transaction is visible.
  private static let quickRechecks = 20
  /// A commit whose sync takes long is looked for a while longer, less often.
  private static let slowRechecks = 20
  private static let longestBackOffMilliseconds: Int32 = 2_000

  /// - Parameter purgeAfter: The age in seconds from which history is purged in idle moments; nil keeps it.
  /// - Throws: `FollowspotError.locked` that names the other tailer.
  package init(_ options: Indexer.Options, purgeAfter: Double? = nil) throws {
    self.options = options
    purge = purgeAfter.map { IdlePurge(storePath: options.storePath, seconds: $0, report: options.report) }
    lock = try FileLock.tailer(options, verb: "index --follow")
    stopDescriptor = StopSignal.catchFromNow()
    indexer = Indexer(options, lock: lock)
  }

  /// Follows until a stop signal.
  ///
  /// - Parameter ready: Called once, after the first pass, with the token's number.
  /// - Throws: What waiting cannot mend: a corrupt index, a store that is none.
  package func run(ready: (Int64) -> Void) throws {
    var isReady = false
    var backOff: Int32 = 0
    while !StopSignal.isRaised {
      do {
        var notice = ChangeNotice(storePath: options.storePath)
        repeat {
          let version = try indexer.storeVersion()
          try indexer.catchUp()
          guard !StopSignal.isRaised else { return }
          if !isReady {
            isReady = true
            ready(indexer.state?.token?.number ?? 0)
          }
          if backOff > 0 { options.report("going on") }
          backOff = 0
          lock.note(state: "following")
          if notice == nil { notice = ChangeNotice(storePath: options.storePath) }
          try wait(notice, since: version)
        } while !StopSignal.isRaised
      } catch let error as FollowspotError where error.code == .stopped {
        return
      } catch {
        indexer.discard()
        guard passesByItself(error), isReady || !Self.isLasting(error) else { throw error }
        if backOff == 0 { options.report("\(error); trying again until it works") }
        backOff = min(max(backOff * 2, 250), Self.longestBackOffMilliseconds)
        lock.note(state: "retrying")
        pause(backOff)
      }
    }
  }

  /// Returns when there may be something to do.
  private func wait(_ notice: ChangeNotice?, since version: [Int64]) throws {
    purgeIfDue(isIdle: false)
    while !StopSignal.isRaised {
      guard lock.isInPlace else {
        throw FollowspotError(
          .file, "the index directory \(options.directory.path) was removed or replaced",
          hint: "start followspot index --follow again: it builds the index anew")
      }
      var isNoticed = false
      if let notice {
        isNoticed = notice.wait(milliseconds: Self.pollMilliseconds, other: stopDescriptor)
      } else {
        pause(Self.pollMilliseconds / 5)
      }
      for look in 0..<(isNoticed ? Self.quickRechecks + Self.slowRechecks : 1) where !StopSignal.isRaised {
        if try indexer.isOutdated() { return }
        if try indexer.storeVersion() != version { return }
        if isNoticed { usleep(look < Self.quickRechecks ? 1_000 : 10_000) }
      }
      if !isNoticed { purgeIfDue(isIdle: true) }
    }
  }

  private func purgeIfDue(isIdle: Bool) {
    guard let purge, purge.isDue(isIdle: isIdle), let token = indexer.state?.token else { return }
    purge.run(token: token.number)
  }

  private func pause(_ milliseconds: Int32) {
    var polled = pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&polled, 1, milliseconds)
  }

  // MARK: Errors

  private func passesByItself(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError:
      // A file that is being copied over looks damaged, or like no store, until the copy is complete.
      [.busy, .full, .missing, .unreadable, .corrupt, .notAStore, .noHistory].contains(error.code)
    case let error as IndexError: [.full, .locked, .changed, .unreadable, .other].contains(error.code)
    case let error as FollowspotError:
      error.code == .locked || (options.heals && [.historyGone, .unequal].contains(error.code))
    default: false
    }
  }

  /// What is wrong from the beginning, rather than on the way.
  private static func isLasting(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: ![.busy, .full].contains(error.code)
    case let error as FollowspotError: error.code != .locked
    default: false
    }
  }
}
