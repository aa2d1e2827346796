// SPDX-License-Identifier: MIT

internal import CSupport
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Ends work early: by SIGTERM and SIGINT, or, in an embedding program, by a switch.
package enum StopSignal {
  /// The switch that ends the work of this thread; nil if signals end it.
  @TaskLocal package static var ownSwitch: StopSwitch?

  /// Catches the signals from now on, unless the work has a switch. Returns a descriptor that becomes readable when the
  /// work is to end.
  package static func catchFromNow() -> Int32 { ownSwitch?.descriptor ?? cs_catch_stop_signals() }

  /// Runs work that cleans up when it is stopped, in a process that continues. Afterwards, a signal has the effect that it
  /// had before.
  ///
  /// - Throws: `OperationError.stopped` after a signal.
  package static func catching<Result>(_ body: () throws -> Result) throws -> Result {
    guard ownSwitch == nil, cs_catches_stop_signals() == 0 else { return try body() }
    _ = cs_catch_stop_signals()
    defer { cs_release_stop_signals() }
    let result = try body()
    try check()
    return result
  }

  package static var isRaised: Bool { ownSwitch?.isOn ?? (cs_stop_signal() != 0) }

  /// The signal that was received, or 0.
  package static var number: Int32 { cs_stop_signal() }

  /// Forgets the signal that was received: it ended a part of the work, and the process continues.
  package static func forget() { cs_forget_stop_signal() }

  package static func check() throws {
    if isRaised { throw OperationError(.stopped, "stopped by a signal") }
  }
}

/// Ends one piece of work in a process that continues.
package final class StopSwitch: Sendable {
  /// Becomes readable when the switch is turned on; -1 where the process has no descriptor left, and those who wait for
  /// it look again by themselves.
  package let descriptor: Int32
  private let other: Int32
  private let state = Atomic(false)

  package init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, other) = (ends[0], ends[1])
  }

  deinit { for end in [descriptor, other] where end >= 0 { close(end) } }

  package var isOn: Bool { state.load(ordering: .relaxed) }

  package func turnOn() {
    guard !state.exchange(true, ordering: .sequentiallyConsistent), other >= 0 else { return }
    _ = write(other, "x", 1)
  }

  /// For a switch that only ends a wait.
  package func turnOff() {
    var byte: UInt8 = 0
    while descriptor >= 0, Glibc.read(descriptor, &byte, 1) > 0 {}
    state.store(false, ordering: .sequentiallyConsistent)
  }
}
