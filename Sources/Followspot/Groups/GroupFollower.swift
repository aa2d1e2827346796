// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Updates the indexes of several stores continuously in one process, until it is stopped by SIGTERM, SIGINT or SIGHUP.
///
/// Each store has a thread with a `Follower`. The first passes run one after the other, so only one index is built at a
/// time. A permanent error of one store ends its thread only.
package final class GroupFollower {
  package struct Member {
    /// The name of the store in messages.
    let name: String
    let options: Indexer.Options

    package init(name: String, options: Indexer.Options) { (self.name, self.options) = (name, options) }
  }

  private let members: [Member]
  private let purgeAfter: Double?
  private let pace: IdleVerify.Pace?
  private let manager: ServiceManager
  private let states: [State]
  private let turn = Turn()
  /// Is turned on when no store is followed any more.
  private let end = StopSwitch()

  /// A follower without a sign of life for this long does not feed the watchdog of a service manager.
  private static let patience: Duration = .seconds(10)

  /// - Parameters:
  ///   - members: The stores; each has its own options, and its own index directory.
  ///   - purgeAfter: As for `Follower`.
  ///   - verify: As for `Follower`.
  ///   - manager: Is notified when all stores are followed.
  package init(
    _ members: [Member], purgeAfter: Double? = nil, verify: IdleVerify.Pace? = nil,
    manager: ServiceManager = ServiceManager()
  ) {
    self.members = members
    self.purgeAfter = purgeAfter
    self.pace = verify
    self.manager = manager
    states = members.map { _ in State() }
  }

  /// Runs until a stop signal, or until no store can be followed any more.
  ///
  /// - Parameters:
  ///   - ready: Called on the thread of a store after its first pass, with the token's number.
  ///   - failed: Called on the thread of a store with the error that ended it.
  /// - Returns: What was done for each store; the error of the first store of the group that cannot be followed, or nil if
  ///   all were followed to the end.
  package func run(
    ready: @escaping @Sendable (String, Int64) -> Void, failed: @escaping @Sendable (String, any Error) -> Void
  ) -> (outcomes: [(name: String, outcome: Pass.Outcome)], error: (any Error)?) {
    let stopDescriptor = StopSignal.catchFromNow()
    defer { manager.stopping() }
    var threads: [WorkerThread] = []
    for (member, state) in zip(members, states) {
      nonisolated(unsafe) let member = member
      let (purgeAfter, pace, turn, states, end) = (purgeAfter, pace, turn, states, end)
      let thread = WorkerThread {
        defer { if states.allSatisfy(\.hasEnded) { end.turnOn() } }
        do {
          let outcome = try Self.follow(member, state, turn, purgeAfter, pace) { ready(member.name, $0) }
          state.end(.success(outcome))
        } catch {
          state.end(.failure(error))
          failed(member.name, error)
        }
      }
      guard let thread else {
        let error = OperationError(.file, "no thread can be started for \(member.name)", recovery: .raiseLimits)
        state.end(.failure(error))
        failed(member.name, error)
        continue
      }
      threads.append(thread)
    }
    while !StopSignal.isRaised, states.contains(where: { !$0.hasEnded }) {
      notifyManager()
      wait(stopDescriptor)
    }
    for thread in threads { thread.join() }
    let outcomes = zip(members, states).compactMap { member, state in state.outcome.map { (member.name, $0) } }
    return (outcomes, states.lazy.compactMap(\.error).first)
  }

  /// Waits for the end. A service manager has to be notified meanwhile, and without a descriptor only looking again helps.
  private func wait(_ stopDescriptor: Int32) {
    var polled = [stopDescriptor, end.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let isWoken = !manager.isListening && polled.allSatisfy { $0.fd >= 0 }
    _ = poll(&polled, 2, isWoken ? -1 : manager.sleep(atMost: 200))
  }

  private static func follow(
    _ member: Member, _ state: State, _ turn: Turn, _ purgeAfter: Double?, _ pace: IdleVerify.Pace?,
    ready: (Int64) -> Void
  ) throws -> Pass.Outcome? {
    turn.take()
    var isFirst = true
    nonisolated(unsafe) let endFirstPass = {
      if isFirst { turn.pass() }
      isFirst = false
    }
    defer { endFirstPass() }
    guard !StopSignal.isRaised else { return nil }
    let manager = ServiceManager(environment: [:]) { activity in
      state.note(activity)
      // The next store does not wait until an error is gone.
      if activity == .retrying { endFirstPass() }
    }
    return try Follower(member.options, purgeAfter: purgeAfter, verify: pace, manager: manager).run { token in
      state.isReady = true
      endFirstPass()
      ready(token)
    }
  }

  private func notifyManager() {
    let living = states.filter { !$0.hasEnded }
    let ready = living.count(where: \.isReady)
    if ready < living.count { manager.progressed("first passes:", ready, of: living.count) }
    guard ready == living.count, living.contains(where: { !$0.isRetrying }),
      living.allSatisfy({ $0.isRetrying || $0.age < Self.patience })
    else { return }
    manager.following(stores: living.count)
  }

  /// What the thread of a store tells the others.
  private final class State: Sendable {
    private struct Values {
      var isReady = false
      var isRetrying = false
      /// nil until the thread has ended.
      var end: Result<Pass.Outcome?, any Error>?
      var seen = ContinuousClock.now
    }

    private let values = Mutex(Values())

    var isReady: Bool {
      get { values.withLock(\.isReady) }
      set { values.withLock { $0.isReady = newValue } }
    }
    var isRetrying: Bool { values.withLock(\.isRetrying) }
    var hasEnded: Bool { values.withLock { $0.end != nil } }
    var outcome: Pass.Outcome? { values.withLock { try? $0.end?.get() } }
    var error: (any Error)? {
      values.withLock { if case .failure(let error)? = $0.end { error } else { nil } }
    }
    /// The time since the last sign of life.
    var age: Duration { values.withLock { $0.seen.duration(to: .now) } }

    func note(_ activity: ServiceManager.Activity) {
      values.withLock {
        $0.seen = .now
        $0.isRetrying = activity == .retrying
      }
    }

    func end(_ end: Result<Pass.Outcome?, any Error>) { values.withLock { $0.end = end } }
  }

  /// Lets one thread work at a time.
  private final class Turn: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() { pthread_mutex_init(mutex, nil) }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func take() { pthread_mutex_lock(mutex) }

    /// The thread must have taken the turn.
    func pass() { pthread_mutex_unlock(mutex) }
  }
}
