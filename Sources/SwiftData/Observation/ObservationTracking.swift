// SPDX-License-Identifier: MIT

// Swift 6.4 brings its own.
#if compiler(<6.4)
  /// What belongs to `withContinuousObservation(options:apply:)` and `withObservationTracking(options:_:onChange:)`.
  public enum ObservationTracking {
    /// When the closure runs again.
    public struct Options: OptionSet, Sendable {
      /// The bits of the options.
      public let rawValue: Int
      /// The options of these bits.
      public init(rawValue: Int) { self.rawValue = rawValue }

      /// Once a value is about to change.
      public static let willSet = Options(rawValue: 1)
      /// Once a value has changed.
      public static let didSet = Options(rawValue: 2)
      /// Report the deallocation of an observed object.
      @available(*, unavailable, message: "before Swift 6.4, the end of an observed object is not reported")
      public static let `deinit` = Options(rawValue: 4)
    }

    /// Why the closure runs.
    public struct Event: ~Copyable, Sendable {
      /// What an event reports.
      public enum Kind: Hashable, Sendable {
        /// The first run, a change that is about to be made, or a change that was made.
        case initial, willSet, didSet
        /// The deallocation of an observed object.
        @available(*, unavailable, message: "before Swift 6.4, the end of an observed object is not reported")
        case `deinit`
      }

      /// What the event reports.
      public let kind: Kind
      private let changes: ObservedChanges
      private let observation: any CancellableObservation

      init(_ kind: Kind, _ changes: ObservedChanges, _ observation: any CancellableObservation) {
        self.kind = kind
        self.changes = changes
        self.observation = observation
      }

      /// Whether this property changed since the last run; false for the first one.
      public func matches(_ keyPath: PartialKeyPath<some Observable>) -> Bool { changes.contain(keyPath) }

      /// Ends the observation.
      public func cancel() { observation.cancel() }
    }

    /// Keeps an observation going: it ends with the token.
    public final class Token: Sendable {
      private let observation: ContinuousObservation

      init(_ observation: ContinuousObservation) { self.observation = observation }

      deinit { observation.cancel() }

      /// Ends the observation.
      public func cancel() { observation.cancel() }
    }
  }

  /// Runs `apply` on the actor where it was written, at first and again whenever something changed that it had read.
  ///
  /// Changes that come before it has run are one event. What `apply` itself changes is none.
  ///
  /// - Returns: The observation ends when this is released or cancelled. An observed object does not keep it.
  public func withContinuousObservation(
    options: ObservationTracking.Options,
    @_inheritActorContext apply: @escaping @isolated(any) @Sendable (borrowing ObservationTracking.Event) -> Void
  ) -> ObservationTracking.Token {
    let observation = ContinuousObservation(options, apply)
    observation.start()
    return ObservationTracking.Token(observation)
  }

  /// Runs `apply`, and calls `onChange` at the first change of something that it read.
  ///
  /// With both options there are two calls, before and after this change. Without options there is none.
  ///
  /// - Returns: What `apply` returns. If it throws, nothing is tracked.
  public func withObservationTracking<Result: ~Copyable, Failure: Error>(
    options: ObservationTracking.Options, _ apply: () throws(Failure) -> Result,
    onChange: @escaping @Sendable (borrowing ObservationTracking.Event) -> Void
  ) throws(Failure) -> Result {
    let observation = SingleObservation(options, onChange)
    var result: Result?
    var failure: Failure?
    observation.track {
      do throws(Failure) {
        result = try apply()
      } catch {
        failure = error
        observation.cancel()
      }
    }
    if let failure { throw failure }
    return result.take()!
  }

  protocol CancellableObservation: AnyObject, Sendable {
    func cancel()
  }

  /// The properties that changed.
  struct ObservedChanges: @unchecked Sendable {
    // Unchecked: key paths of observed properties capture nothing.

    private var keyPaths: Set<AnyKeyPath> = []
    private var areUnknown = false

    static let none = ObservedChanges()
    static let unknown: ObservedChanges = {
      var changes = ObservedChanges()
      changes.areUnknown = true
      return changes
    }()

    mutating func insert(_ keyPath: AnyKeyPath?) {
      if let keyPath, keyPath != ResultsSignal.keyPath { keyPaths.insert(keyPath) } else { areUnknown = true }
    }

    func contain(_ keyPath: AnyKeyPath) -> Bool { areUnknown || keyPaths.contains(keyPath) }
  }
#endif
