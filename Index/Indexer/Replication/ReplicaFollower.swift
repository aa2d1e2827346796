// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// Updates a replica again and again until a stop signal.
package struct ReplicaFollower {
  private let update: ReplicaUpdate
  private let report: (String) -> Void
  private let interval: Int32

  /// - Parameter interval: Milliseconds between two updates.
  package init(_ update: ReplicaUpdate, interval: Int, report: @escaping (String) -> Void) {
    self.update = update
    self.interval = Int32(clamping: interval)
    self.report = report
  }

  /// - Parameter ready: Called once, after the first update.
  /// - Throws: Errors of the first update that waiting does not remove.
  package func run(ready: (ReplicaUpdate.Outcome) -> Void) throws {
    let stop = StopSignal.catchFromNow()
    var isReady = false
    var backOff: BackOff?
    while !StopSignal.isRaised {
      let begun = ContinuousClock.now
      var pause = interval
      do {
        let outcome = try update.run()
        if backOff != nil { report("resumed at token \(outcome.token)") }
        backOff = nil
        if !isReady { ready(outcome) }
        isReady = true
      } catch let error as OperationError where error.code == .stopped {
        return
      } catch {
        guard isReady || Self.passes(error) else { throw error }
        let sentence = String(describing: error)
        var next = backOff ?? BackOff()
        if next.isNews(sentence) { report("\(sentence); retrying until it succeeds") }
        pause = min(next.next(after: begun.duration(to: .now)), 5_000)
        backOff = next
      }
      var polled = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
      _ = poll(&polled, 1, pause)
    }
  }

  private static func passes(_ error: any Error) -> Bool {
    (error as? OperationError).map { [.unreachable, .damagedReplica, .full, .busy].contains($0.code) } ?? false
  }
}
