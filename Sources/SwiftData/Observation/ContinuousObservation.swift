// SPDX-License-Identifier: MIT

#if compiler(<6.4)
  @_spi(SwiftUI) internal import Observation

  #if canImport(Glibc)
    internal import Glibc
  #endif

  /// Runs a closure again after changes of what it read, one run after the other.
  ///
  /// The tracking of one run ends only when that of the next has begun, so that no change is lost between them.
  final class ContinuousObservation: CancellableObservation {
    typealias Apply = @isolated(any) @Sendable (borrowing ObservationTracking.Event) -> Void
    private typealias Kind = ObservationTracking.Event.Kind
    /// The toolchain's own, of one run.
    private typealias Tracking = Observation.ObservationTracking

    private enum Phase { case idle, scheduled, running, ended }

    private struct Trigger {
      let kind: Kind
      var changes: ObservedChanges
    }

    private struct State {
      var phase = Phase.idle
      var trigger: Trigger?
      /// The number of the run whose tracking is in place.
      var run = 0
      /// The trackings that reported a change, by the numbers of their runs.
      var trackings: [Int: Tracking] = [:]
      /// The thread on which the closure runs.
      var thread: pthread_t?

      mutating func removeTrackings(before run: Int) -> [Tracking] {
        let former = trackings.filter { $0.key < run }
        for number in former.keys { trackings[number] = nil }
        return Array(former.values)
      }
    }

    private let options: ObservationTracking.Options
    private let apply: Apply
    private let state = Locked(State())

    init(_ options: ObservationTracking.Options, _ apply: @escaping Apply) {
      self.options = options
      self.apply = apply
    }

    func start() {
      state.withLock { state in
        state.phase = .scheduled
        state.trigger = Trigger(kind: .initial, changes: .none)
      }
      schedule()
    }

    func cancel() {
      let trackings = state.withLock { state in
        state.phase = .ended
        return state.removeTrackings(before: .max)
      }
      for tracking in trackings { tracking.cancel() }
    }

    private func schedule() {
      Task { await run(on: apply.isolation) }
    }

    private func run(on actor: isolated (any Actor)?) {
      guard let (number, trigger) = begin() else { return }
      // On its actor the closure is a plain synchronous one; the language has no cast that says so.
      let apply = unsafeBitCast(self.apply, to: (@Sendable (borrowing ObservationTracking.Event) -> Void).self)
      let event = ObservationTracking.Event(trigger.kind, trigger.changes, self)
      let isMissing = TrackedReads.areOutdated(after: {
        withObservationTracking {
          apply(event)
        } willSet: { [weak self] tracking in
          self?.note(.willSet, tracking, run: number)
        } didSet: { [weak self] tracking in
          self?.note(.didSet, tracking, run: number)
        }
      })
      end(number, isMissing: isMissing)
    }

    private func begin() -> (number: Int, trigger: Trigger)? {
      state.withLock { state in
        guard state.phase == .scheduled, let trigger = state.trigger else { return nil }
        state.phase = .running
        state.trigger = nil
        state.thread = pthread_self()
        return (state.run + 1, trigger)
      }
    }

    /// - Parameter isMissing: Whether something may have changed after it was read and before it was tracked.
    private func end(_ number: Int, isMissing: Bool) {
      let (former, isToRun) = state.withLock { state in
        state.thread = nil
        state.run = number
        guard state.phase == .running else { return (state.removeTrackings(before: .max), false) }
        if isMissing, state.trigger == nil { state.trigger = Trigger(kind: laterKind, changes: .unknown) }
        state.phase = state.trigger == nil ? .idle : .scheduled
        return (state.removeTrackings(before: number), state.phase == .scheduled)
      }
      for tracking in former { tracking.cancel() }
      if isToRun { schedule() }
    }

    /// The kind under which a change is reported after it was made. With `willSet` alone it is reported too: a run before
    /// the change was made has read the old value.
    private var laterKind: Kind { options.contains(.didSet) ? .didSet : .willSet }

    /// Something that run `number` read changes.
    private func note(_ kind: Kind, _ tracking: Tracking, run number: Int) {
      let (isOver, isToRun) = state.withLock { state in
        guard state.phase != .ended, number >= state.run else { return (true, false) }
        state.trackings[number] = tracking
        guard kind == .didSet || options.contains(.willSet), state.thread != pthread_self() else {
          return (false, false)
        }
        if state.trigger == nil { state.trigger = Trigger(kind: kind == .didSet ? laterKind : kind, changes: .none) }
        state.trigger?.changes.insert(tracking.changed)
        guard state.phase == .idle else { return (false, false) }
        state.phase = .scheduled
        return (false, true)
      }
      if isOver { tracking.cancel() }
      if isToRun { schedule() }
    }
  }
#endif
