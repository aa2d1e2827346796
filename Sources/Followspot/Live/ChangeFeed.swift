// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
internal import Store

/// Reads the changes of a store in the order in which they were saved, each with the present state of its record.
///
/// A reader that keeps the position of the last event it handled sees every change exactly once. Not thread-safe.
package final class ChangeFeed {
  package struct Filter: Sendable {
    /// The name of an entity; nil for all.
    var kind: String?
    /// Only transactions of this author; nil for all. Records that existed when the feed began come from all authors.
    var author: String?
    /// Whether a store without that entity has no changes. Otherwise it is an error.
    var mayLackKind = false

    package init(kind: String? = nil, author: String? = nil, mayLackKind: Bool = false) {
      (self.kind, self.author, self.mayLackKind) = (kind, author, mayLackKind)
    }
  }

  private let path: String
  private let directory: IndexDirectory
  private let filter: Filter
  private var store: PersistentStore
  /// The version of the store's data before the last pass.
  private var version: DataVersion?

  /// The time after which a pass releases its snapshot of the store. A pass in which the reader is slow takes longer.
  static let longestPass = Duration.milliseconds(300)

  /// - Parameter directory: The index, whose knowledge of an ordinary database's column types is used.
  package init(storePath: String, directory: IndexDirectory, filter: Filter = Filter()) throws {
    path = storePath
    self.directory = directory
    self.filter = filter
    store = try Self.open(storePath, directory)
    _ = try entity()
  }

  private static func open(_ path: String, _ directory: IndexDirectory) throws -> PersistentStore {
    let store = try StoreFile.open(path, readings: directory.readings)
    try store.requireHistory()
    return store
  }

  func entity() throws -> EntityLayout? {
    guard let kind = filter.kind, hasKind || !filter.mayLackKind else { return nil }
    if let found = store.layout.entity(matching: kind) { return found }
    let known = store.layout.entities.map(\.entity.name).joined(separator: ", ")
    throw OperationError(.usage, "the store has no entity \(kind); it has \(known)")
  }

  /// Whether the store has the entity of the filter.
  package var hasKind: Bool { filter.kind.map { store.layout.entity(matching: $0) != nil } ?? true }

  // MARK: Reading

  /// Gives `body` every record as of one transaction.
  ///
  /// - Parameter limit: The maximum number of records; nil for all.
  /// - Returns: The position after which the changes continue; nil if the limit was reached.
  func snapshot(
    limit: Int? = nil, _ body: (FeedEvent, PersistentStore) throws -> Void
  ) throws -> FeedPosition? {
    let place = try records(after: nil, limit: limit ?? .max, body)
    return place.isAtEnd ? place.position : nil
  }

  /// Gives `body` the changes after a position, for a third of a second at most.
  ///
  /// - Parameter limit: The maximum number of changes; nil for all.
  /// - Returns: The position of the last change, and whether more changes follow now.
  /// - Throws: `OperationError.historyGone` if changes after the position were purged, or if the history has
  ///   diverged.
  func changes(
    after position: FeedPosition, limit: Int? = nil, _ body: (FeedEvent, PersistentStore) throws -> Void
  ) throws -> (position: FeedPosition, hasMore: Bool) {
    try atOneMoment { store in
      try check(position, store)
      let wanted = try entity()
      let deadline = ContinuousClock.now + Self.longestPass
      var (reached, count, hasMore) = (position, 0, false)
      try store.eachChange(
        after: position.transaction, change: position.change, where: .by(filter.author),
        of: hasKind
          ? wanted.map { wanted in { store.layout.entity(number: $0.entity).map(wanted.includes) ?? false } }
          : { _ in false }
      ) { transaction, change in
        try StopSignal.check()
        // All changes of the transaction before were read.
        if transaction.number != reached.transaction { reached.change = nil }
        hasMore = reached != position && ContinuousClock.now > deadline
        guard !hasMore, let change else { return !hasMore }
        reached = FeedPosition(
          transaction: transaction.number, change: change.number, stamp: transaction.timestamp.bitPattern)
        guard let event = try event(change, of: transaction, reached, store) else { return true }
        try body(event, store)
        count += 1
        hasMore = count == limit
        return !hasMore
      }
      if hasMore { return (reached, true) }
      // The stamp identifies the transaction if the store is replaced later.
      let token = try store.token()
      return (FeedPosition(transaction: token.number, stamp: token.stamp), false)
    }
  }

  /// The event of a change; nil if the layout does not have its entity.
  private func event(
    _ change: StoredChange, of transaction: StoredTransaction, _ position: FeedPosition, _ store: PersistentStore
  ) throws -> FeedEvent? {
    guard let entity = store.layout.entity(number: change.row.entity) else { return nil }
    let identifier = try store.identifier(of: change)
    // The rowid of a row may now belong to another record.
    let isSame = try change.key.isEmpty || store.identifier(of: change.row).keyText == identifier.keyText
    return FeedEvent(
      change: change.kind, position: position, transaction: transaction.number, entity: entity,
      identifier: identifier, author: transaction.author, secondsSince1970: transaction.secondsSince1970,
      updated: change.bitmap.flatMap(entity.names) ?? [],
      values: isSame ? try store.values(of: entity, key: change.row.key) : nil, tombstone: change.tombstone)
  }

  private func check(_ position: FeedPosition, _ store: PersistentStore) throws {
    let newest = try store.newest()
    guard position.transaction <= newest else {
      throw OperationError(
        .historyGone, "transaction \(position.transaction) is not in the history; the newest one is \(newest)",
        recovery: .feedSnapshot)
    }
    guard try position.change == nil || store.hasTransaction(position.transaction) else {
      throw OperationError(
        .historyGone, "transaction \(position.transaction) is not in the history any more", recovery: .feedSnapshot)
    }
    var token = StoreToken(
      storeUUID: store.uuid, number: position.transaction, stamp: position.stamp, modelDigest: store.modelDigest)
    switch try store.verdict(on: token) {
    case .valid, .modelGrown: return
    case .modelChanged:
      // The same question for a reader that knows another model: did the migrations only add to it?
      token.modelDigest = ""
      if case .modelGrown = try store.verdict(on: token) { return }
      throw OperationError(
        .historyGone,
        "the model was migrated after transaction \(position.transaction), and the history does not contain the values that "
          + "changed", recovery: .feedSnapshot)
    case .diverged:
      throw OperationError(
        .historyGone,
        "the history has diverged: another transaction has the number \(position.transaction) in this store",
        recovery: .feedSnapshot)
    default:
      throw OperationError(
        .historyGone, "changes after transaction \(position.transaction) are not in the history any more",
        recovery: .feedSnapshot)
    }
  }

  // MARK: Consumers

  /// Locks a consumer for this feed, whether it is registered or not.
  ///
  /// - Throws: `OperationError.locked` if another feed moves it; `.usage` if no consumer of this name can be registered.
  package func lock(consumer name: String) throws -> FileLock {
    guard store.hasConsumers else {
      throw OperationError(
        .usage, "no consumers of the history of \(path) can be registered: the store is read-only")
    }
    try Consumers.check(name)
    return try Consumers(storePath: path).lock(name, verb: "feed")
  }

  /// The position that a registered consumer of the history has reached; nil if no consumer has this name.
  func position(ofConsumer name: String) throws -> FeedPosition? {
    let statuses = try store.withSnapshot { try Consumers(storePath: path).statuses(in: store) }
    guard let consumer = statuses.first(where: { $0.name == name }) else { return nil }
    guard let token = consumer.token, [.current, .stale].contains(consumer.state) else {
      throw OperationError(
        .historyGone, "consumer '\(name)' cannot continue: it is \(consumer.statusText)",
        recovery: .feedSnapshot)
    }
    return FeedPosition(transaction: token, stamp: consumer.stamp)
  }

  /// Notes that a consumer has handled everything up to a position, and registers the consumer if necessary. A purge
  /// then keeps what follows.
  func move(consumer name: String, to position: FeedPosition) throws {
    // What was handled of a transaction in part is handled again as a whole.
    guard position.change != nil else {
      return try Consumers(storePath: path).set(name, token: position.transaction, stamp: position.stamp)
    }
    let token = max(0, position.transaction - 1)
    guard try token == 0 || store.hasTransaction(token) else { return }
    try Consumers(storePath: path).set(name, token: token, stamp: try store.token(of: token).stamp)
  }

  // MARK: Following

  /// The store, and the version of its data before the last pass.
  var state: (store: PersistentStore, version: DataVersion?) { (store, version) }

  /// Runs `body` in a snapshot of the store that lies at the path now.
  func atOneMoment<Result>(_ body: (PersistentStore) throws -> Result) throws -> Result {
    if store.isReplaced { store = try Self.open(path, directory) }
    do {
      version = try store.dataVersion()
      return try store.withSnapshot {
        try store.refuseReplaced()
        return try body(store)
      }
    } catch let error as StoreError where error.asksForOpening {
      store = try Self.open(path, directory)
      version = try store.dataVersion()
      return try store.withSnapshot { try body(store) }
    }
  }
}
