// SPDX-License-Identifier: MIT

/// Counts the rows of long work, reports them, and ends the work after a stop signal.
package final class Progress {
  /// What the rows are counted for, as `status` names it.
  package let phase: String
  package private(set) var done = 0
  package private(set) var total = 0
  private let show: (Progress) -> Void
  private let clock = ContinuousClock()
  private var nextShow: ContinuousClock.Instant

  /// - Parameter show: Called about five times a second, and at the end.
  package init(_ phase: String = "comparing", show: @escaping (Progress) -> Void = { _ in }) {
    self.phase = phase
    self.show = show
    nextShow = clock.now
  }

  private(set) var started: ContinuousClock.Instant?

  package func begin(total: Int) {
    done = 0
    self.total = total
    started = clock.now
    show(self)
  }

  /// - Throws: `OperationError.stopped` after a stop signal.
  package func advance() throws {
    done += 1
    guard done & 0xff == 0 else { return }
    try StopSignal.check()
    if clock.now >= nextShow {
      nextShow = clock.now + .milliseconds(200)
      show(self)
    }
  }

  package func finish() {
    done = total
    show(self)
  }

  /// Seconds since the start.
  package var elapsed: Double {
    guard let started else { return 0 }
    let parts = (clock.now - started).components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }
}
