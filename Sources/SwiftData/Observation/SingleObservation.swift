// SPDX-License-Identifier: MIT

#if compiler(<6.4)
  @_spi(SwiftUI) internal import Observation

  /// Reports the first change of what a closure read.
  final class SingleObservation: CancellableObservation {
    private typealias Kind = ObservationTracking.Event.Kind
    /// The toolchain's own.
    private typealias Tracking = Observation.ObservationTracking

    private struct State {
      /// What is still to be reported.
      var expected: ObservationTracking.Options
      var tracking: Tracking?
    }

    private let onChange: @Sendable (borrowing ObservationTracking.Event) -> Void
    private let state: Locked<State>

    init(
      _ options: ObservationTracking.Options,
      _ onChange: @escaping @Sendable (borrowing ObservationTracking.Event) -> Void
    ) {
      self.onChange = onChange
      state = Locked(State(expected: options))
    }

    func track(_ body: () -> Void) {
      let isMissing = TrackedReads.areOutdated(after: {
        withObservationTracking(body) {
          self.note(.willSet, $0)
        } didSet: {
          self.note(.didSet, $0)
        }
      })
      // Another thread made a change after it was read and before it was tracked.
      if isMissing {
        note(.willSet, nil)
        note(.didSet, nil)
      }
    }

    func cancel() {
      let tracking = state.withLock { state in
        state.expected = []
        return state.tracking
      }
      tracking?.cancel()
    }

    /// - Parameter tracking: nil for a change that was not tracked.
    private func note(_ kind: Kind, _ tracking: Tracking?) {
      let option = kind == .willSet ? ObservationTracking.Options.willSet : .didSet
      let (isExpected, isLast) = state.withLock { state in
        let isExpected = state.expected.contains(option)
        state.tracking = tracking ?? state.tracking
        // After the change was made, nothing more is reported of it.
        if kind == .didSet, isExpected { state.expected = [] } else { state.expected.remove(option) }
        return (isExpected, state.expected.isEmpty)
      }
      if isExpected {
        var changes = tracking == nil ? ObservedChanges.unknown : .none
        if let tracking { changes.insert(tracking.changed) }
        onChange(ObservationTracking.Event(kind, changes, self))
      }
      if isLast { tracking?.cancel() }
    }
  }
#endif
