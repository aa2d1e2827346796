// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex
internal import Store

/// Watches saved searches in one process, until a stop signal or until all of them are current.
final class SavedWatchers {
  /// One store, whose searches are watched.
  private final class Place {
    /// The name of the store in its group; nil if there is no group.
    let name: String?
    let directory: IndexDirectory
    private let open: () throws -> Searcher
    private(set) var searcher: Searcher
    /// The version of the store's data before the last steps.
    var version: DataVersion?

    init(_ call: Call) throws {
      name = call.member
      directory = try call.indexDirectory()
      open = { try call.searcherOfStore() }
      searcher = try open()
    }

    func reopen() throws { searcher = try open() }

    func current() throws -> Searcher {
      if searcher.isOutdated { try reopen() }
      return searcher
    }
  }

  private final class Entry {
    let place: Place
    let watch: SavedWatch
    var progress: SavedWatch.Progress?
    /// When the search is evaluated although nothing was saved.
    var due = ContinuousClock.now
    /// When a command that failed is tried again.
    var retry: ContinuousClock.Instant?
    var backOff = BackOff()
    /// Why the search cannot be evaluated.
    var failure: (any Error)?

    init(_ watch: SavedWatch, _ place: Place) { (self.watch, self.place) = (watch, place) }

    var subject: String { label + "the saved search '\(watch.search.name)'" }
    var label: String { place.name.map { $0 + ": " } ?? "" }
    var isCurrent: Bool { progress == .current && retry == nil }
  }

  private let places: [Place]
  private let isOnce: Bool
  private let every: Duration
  private let receiver: SavedReceiver
  private var entries: [Entry] = []
  private var count = 0
  private var registered = ContinuousClock.now

  /// The time between two notes of the position in the store's consumers.
  private static let registration = Duration.seconds(1)

  init(
    _ names: [String], _ call: Call, receiver: SavedReceiver, every: Duration, isOnce: Bool, showsInitial: Bool
  ) throws {
    self.receiver = receiver
    self.every = every
    self.isOnce = isOnce
    places = try (call.memberCalls() ?? [call]).map(Place.init)
    entries = try places.flatMap { place in
      try names.map { name in
        let search = try SavedSearches(directory: place.directory).search(named: name)
        let label = place.name.map { $0 + ": " } ?? ""
        let watch = try SavedWatch(
          search, in: place.directory, showsInitial: showsInitial, report: { Console.say(label + $0) },
          searcher: { [unowned place] in try place.current() })
        return Entry(watch, place)
      }
    }
  }

  func run() throws -> ExitCode {
    let waiter = ChangeWaiter(storePaths: places.map(\.searcher.store.path))
    var isReady = false
    var said: String?
    do {
      while !StopSignal.isRaised {
        do {
          for place in places { place.version = try place.searcher.version() }
          for entry in entries { try advance(entry) }
          try reportFailures()
          if isOnce, entries.allSatisfy({ $0.isCurrent || $0.failure != nil }) { break }
          if !isReady, !isOnce, entries.allSatisfy({ $0.watch.token != nil || $0.failure != nil }) {
            isReady = true
            sayReady()
          }
          said = nil
          guard entries.allSatisfy({ $0.progress != .more || $0.retry != nil }) else { continue }
          try register(isLast: false)
          try wait(waiter)
        } catch let error as StoreError where error.passesByItself && isReady {
          if said != error.description { Console.say(error.description) }
          said = error.description
          waiter.pause()
        }
      }
    } catch let error as OperationError where error.code == .stopped && !isOnce {}
    try register(isLast: true)
    guard isOnce else { return .success }
    guard entries.allSatisfy({ $0.failure == nil }) else { return .failure }
    return count > 0 ? .success : .negative
  }

  // MARK: One search

  /// Delivers what is pending, then finds and delivers the next events.
  private func advance(_ entry: Entry) throws {
    if let retry = entry.retry, ContinuousClock.now < retry { return }
    guard try deliver(entry) else { return }
    do {
      let isDue = ContinuousClock.now >= entry.due
      entry.progress = try entry.watch.step(isDue: isDue)
      if isDue { entry.due = .now + every }
      entry.failure = nil
    } catch let error where Self.concernsSearch(error) {
      entry.failure = error
      entry.progress = nil
      return
    } catch let error as StoreError where error.asksForOpening {
      try entry.place.reopen()
      entry.progress = .more
      return
    }
    if case .waiting(let reason) = entry.progress {
      if isOnce {
        throw OperationError(
          .stale, "\(entry.subject) cannot be evaluated: \(reason)",
          recovery: .updateOrWait)
      }
      if entry.backOff.isNews(reason) {
        Console.say("\(entry.subject) waits for the index: \(reason)")
      }
    }
    _ = try deliver(entry)
  }

  /// - Returns: Whether all events were delivered.
  private func deliver(_ entry: Entry) throws -> Bool {
    let started = ContinuousClock.now
    do {
      count += try receiver.receive(entry.watch, in: entry.place.name)
      if entry.retry != nil { entry.backOff = BackOff() }
      entry.retry = nil
      return true
    } catch let error as CommandError {
      if isOnce { throw error }
      Console.say("\(entry.subject): \(error)")
      let milliseconds = entry.backOff.next(after: started.duration(to: .now))
      entry.retry = .now + .milliseconds(milliseconds)
      return false
    }
  }

  /// Whether an error concerns one search, and not the store or the index.
  private static func concernsSearch(_ error: any Error) -> Bool {
    error is QueryError || (error as? OperationError)?.code == .usage
  }

  /// Reports searches that cannot be evaluated, for example because a field is gone. The others go on.
  ///
  /// - Throws: `CommandError` if there are no others.
  private func reportFailures() throws {
    for entry in entries {
      guard let failure = entry.failure else { continue }
      let sentence = "\(entry.subject) cannot be evaluated: \(failure)"
      guard entries.contains(where: { $0.failure == nil }) else {
        throw CommandError(sentence, hint: Hint.of(failure))
      }
      if entry.backOff.isNews(sentence) { Console.say(sentence) }
    }
  }

  // MARK: All searches

  private func sayReady() {
    for entry in entries {
      guard let token = entry.watch.token, let count = try? entry.watch.count() else { continue }
      Console.say(
        entry.label
          + "watching '\(entry.watch.search.name)' from transaction \(token), \(HumanText.count(count, "record")); "
          + "it \(entry.watch.dependences.sentence)")
    }
  }

  private func register(isLast: Bool) throws {
    guard isLast || ContinuousClock.now >= registered else { return }
    registered = .now + Self.registration
    for entry in entries { try entry.watch.register() }
  }

  /// Waits until another process has saved, or until something is due.
  private func wait(_ waiter: ChangeWaiter) throws {
    let stores = places.map { ($0.searcher.store, $0.version) }
    while !StopSignal.isRaised {
      let times = entries.compactMap(\.retry) + entries.filter(\.watch.movesByItself).map(\.due)
      if times.contains(where: { $0 <= .now }) { return }
      if entries.contains(where: { if case .waiting = $0.progress { true } else { false } }) {
        return try waiter.wait(for: stores)
      }
      try waiter.wait(for: stores)
      if try places.contains(where: { try $0.searcher.hasChanged(since: $0.version) }) { return }
      try register(isLast: false)
    }
  }
}
