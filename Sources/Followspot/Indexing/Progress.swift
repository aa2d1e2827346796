/// Counts rows of long work, tells whoever shows it, and ends the work when a stop signal came.
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

  package private(set) var started: ContinuousClock.Instant?

  func begin(total: Int) {
    done = 0
    self.total = total
    started = clock.now
    show(self)
  }

  /// - Throws: `FollowspotError.stopped` once the work is to end.
  func advance() throws {
    done += 1
    guard done & 0xff == 0 else { return }
    try StopSignal.check()
    if clock.now >= nextShow {
      nextShow = clock.now + .milliseconds(200)
      show(self)
    }
  }

  func finish() {
    done = total
    show(self)
  }

  /// Seconds since the beginning.
  package var elapsed: Double {
    guard let started else { return 0 }
    let parts = (clock.now - started).components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }
}
