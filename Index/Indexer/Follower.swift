// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Updates an index continuously until it is stopped by SIGTERM, SIGINT or SIGHUP, or by its own switch.
package final class Follower {
  private let options: Indexer.Options
  private let lock: FileLock
  private let manager: ServiceManager
  private let indexer: Indexer
  private let purge: IdlePurge?
  private let slices: IdleVerify?
  private var waiter: ChangeWaiter
  private var isReady = false
  /// The state of the index after the last commit or complete pass.
  private var lastState: IndexState?
  private var touched = 0
  /// The error after which work is retried; nil if there is none.
  private var backOff: BackOff?
  private var lacksNotices = false
  /// When the present work began.
  private var begun = ContinuousClock.now

  /// A lock of the store is waited for so long only: a stop signal is not to wait for it.
  private static let busyMilliseconds: Int32 = 500

  /// - Parameters:
  ///   - purgeAfter: The age in seconds from which history is purged in idle moments; nil keeps it.
  ///   - verify: How the index is compared with the store in idle moments; nil leaves that to `verify`.
  ///   - manager: The service manager that is notified of the progress.
  /// - Throws: `OperationError.locked` that names the process that updates the index.
  package init(
    _ options: Indexer.Options, purgeAfter: Double? = nil, verify: IdleVerify.Pace? = nil,
    manager: ServiceManager = ServiceManager()
  ) throws {
    let lock = try FileLock.forUpdate(of: options.storePath, in: options.directory, verb: "index --follow")
    purge = purgeAfter.map { IdlePurge(storePath: options.storePath, seconds: $0, report: options.report) }
    slices = verify.map(IdleVerify.init)
    var options = options
    options.busyMilliseconds = Self.busyMilliseconds
    options.renewsTriggers = true
    options.skippedPause = 0
    options.progress = { [show = options.progress] progress in
      lock.note(state: progress.phase, done: progress.done, total: progress.total)
      manager.progressed(progress.phase, progress.done, of: progress.total)
      show(progress)
    }
    let watch = Watch()
    options.committed = { [tell = options.committed] state in
      watch.committed?(state)
      tell(state)
    }
    self.options = options
    self.lock = lock
    self.manager = manager
    waiter = ChangeWaiter(storePath: options.storePath)
    indexer = Indexer(options, lock: lock)
    watch.committed = { [unowned self] in committed($0) }
  }

  /// The way from the options' closure to a follower that does not exist yet when that is made.
  private final class Watch {
    var committed: ((IndexState) -> Void)?
  }

  private func committed(_ state: IndexState) {
    lastState = state
    let now = indexer.touched
    manager.committed(state.token?.number, touched: now < touched ? now : now - touched)
    touched = now
  }

  /// Runs until a stop signal.
  ///
  /// - Parameter ready: Called once, after the first pass, with the token's number.
  /// - Returns: What was done from the start to the end; nil if no pass was completed.
  /// - Throws: Errors that waiting cannot resolve: a corrupt index, a file that is not a store.
  @discardableResult
  package func run(ready: (Int64) -> Void) throws -> Pass.Outcome? {
    defer { manager.stopping() }
    let started = ContinuousClock.now
    following: while !StopSignal.isRaised {
      do {
        try follow(ready)
      } catch let error as OperationError where error.code == .stopped {
        break following
      } catch {
        indexer.discard()
        guard passesByItself(error), isReady || !Self.isLasting(error) else { throw error }
        retry(error)
      }
    }
    return lastState.map { Pass.Outcome($0, indexer.effects, since: started) }
  }

  /// Indexes and waits in turn, until a stop signal or an error.
  private func follow(_ ready: (Int64) -> Void) throws {
    begun = .now
    waiter = ChangeWaiter(storePath: options.storePath)
    while !StopSignal.isRaised {
      let version = try indexer.storeVersion()
      try indexer.catchUp()
      guard !StopSignal.isRaised else { return }
      lastState = indexer.state
      let token = lastState?.token?.number ?? 0
      if !isReady {
        isReady = true
        ready(token)
        manager.ready(token)
      }
      if backOff != nil { options.report("resumed") }
      backOff = nil
      lock.note(state: "following")
      try wait(since: version, token: token)
    }
  }

  /// Waits until there may be something to index.
  private func wait(since version: DataVersion, token: Int64) throws {
    purgeIfDue(isIdle: false)
    while !StopSignal.isRaised {
      guard lock.isInPlace else {
        throw OperationError(
          .removed, "the index directory \(options.directory.path) was removed or replaced",
          recovery: .followAgain)
      }
      options.directory.takeRights(of: options.storePath)
      manager.idle(token)
      reportLack()
      let isNoticed = waiter.wait(limit: manager.sleep)
      begun = .now
      func hasChanged() throws -> Bool { try indexer.isOutdated() || indexer.storeVersion() != version }
      if try hasChanged() { return }
      if isNoticed {
        if try waiter.confirm(hasChanged) { return }
        continue
      }
      if indexer.isComparisonDue { return }
      purgeIfDue(isIdle: true)
      if let slices, slices.isDue { try indexer.verify(slices) }
    }
  }

  private func purgeIfDue(isIdle: Bool) {
    guard let purge, purge.isDue(isIdle: isIdle), let token = indexer.state?.token else { return }
    purge.run(token: token.number)
  }

  /// Reports once that there are no notices, and once that they are available again.
  private func reportLack() {
    guard lacksNotices == waiter.hasNotices() else { return }
    lacksNotices.toggle()
    options.report(
      lacksNotices
        ? "the system provides no change notifications (fs.inotify.max_user_instances and max_user_watches limit them): "
          + "checking five times a second instead"
        : "change notifications are back")
  }

  // MARK: Errors

  /// Waits before the next attempt. Reports an error once, until another one occurs.
  private func retry(_ error: any Error) {
    let sentence = String(describing: error)
    var backOff = backOff ?? BackOff()
    if backOff.isNews(sentence) { options.report("\(sentence); retrying until it succeeds") }
    lock.note(state: "retrying", reason: sentence)
    manager.retrying(sentence)
    let milliseconds = backOff.next(after: begun.duration(to: .now))
    self.backOff = backOff
    waiter.pause(milliseconds)
  }

  private func passesByItself(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError:
      error.passesByItself
    case let error as IndexError: [.full, .limit, .locked, .changed, .unreadable, .other].contains(error.code)
    case let error as OperationError:
      [.locked, .file, .full, .busy].contains(error.code)
        || (options.reconciles && [.historyGone, .unequal].contains(error.code))
    default: false
    }
  }

  /// What is wrong from the beginning, rather than on the way.
  private static func isLasting(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: ![.busy, .full, .limit].contains(error.code)
    case let error as OperationError: ![.locked, .full, .busy].contains(error.code)
    default: false
    }
  }
}

extension StoreError {
  /// Whether a process that follows the store waits and tries again. A file that is being copied over looks damaged, or
  /// like no store, until the copy is complete.
  package var passesByItself: Bool {
    [.busy, .full, .limit, .missing, .unreadable, .notWritable, .corrupt, .notAStore, .noHistory].contains(code)
  }
}
