// SPDX-License-Identifier: MIT

internal import Store

/// One context's connection to the default store: its own, or one that it shares with other contexts.
final class StoreSession {
  let binding: StoreBinding
  /// Of the configuration.
  let name: String
  private let allowsSave: Bool
  /// Whether this package made the store. Any other is only read.
  let isOwn: Bool
  /// Whether the store records its transactions.
  let keepsHistory: Bool
  /// The number of the newest transaction whose changes the context has taken in.
  var seen: Int64
  private let store: PersistentStore
  private let lock: NSRecursiveLock
  private let isShared: Bool
  private var plans: [ObjectIdentifier: RowPlan] = [:]
  private var version: DataVersion?
  /// SQLite's count of others' saves when the store's models were last compared.
  private var compared: DataVersion?

  init(
    _ store: PersistentStore, _ configuration: ModelConfiguration, _ types: [ModelType], lock: NSRecursiveLock,
    isShared: Bool
  ) throws {
    self.store = store
    name = configuration.name
    allowsSave = configuration.allowsSave
    isOwn = store.isOwn
    keepsHistory = store.tracking.hasHistory
    self.lock = lock
    self.isShared = isShared
    binding = StoreBinding(types, store)
    // The one connection of a store in memory may be in use already.
    seen = try lock.withLock {
      try SwiftDataError.translating(.reading) {
        try store.defineOnce(TextFunctions.define)
        return try store.newest()
      }
    }
  }

  var identifier: String { binding.storeIdentifier }

  /// Runs `body` with the store while nobody else uses it.
  ///
  /// - Parameter task: Determines the kind of the errors.
  func withStore<Result>(
    _ task: StoreTask = .reading, _ body: (PersistentStore) throws -> Result
  ) throws -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try SwiftDataError.translating(task) { try body(store) }
  }

  /// Makes sure that the file still holds the store that was opened, with the same models.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer`, and what `task` throws for a store that cannot be read.
  func refuseOutdated(_ task: StoreTask = .reading) throws {
    try withStore(task) { store in
      guard !store.isReplaced else {
        throw StoreError(.replaced, "\(store.path) was removed or replaced by another file")
      }
      let found = try store.dataVersion()
      guard found != compared else { return }
      try store.withSnapshot { try store.refuseReplaced() }
      compared = found
    }
  }

  /// - Throws: `SwiftDataError.saveFailure` where the configuration allows no saving.
  func refuseReadOnly() throws {
    guard !allowsSave else { return }
    guard isOwn else {
      throw SwiftDataError(
        .saveFailure,
        "the configuration \(name) is read-only, because Apple's software made its store: save to a store of your own")
    }
    throw SwiftDataError(.saveFailure, "the configuration \(name) is read-only: use one that allows saving")
  }

  /// - Throws: `SwiftDataError.invalidTransactionFetchRequest` where the store records no transactions.
  func refuseUnrecorded() throws {
    guard !keepsHistory else { return }
    throw SwiftDataError(
      .invalidTransactionFetchRequest,
      "\(store.path) keeps no transaction history: the program that made it does not record one; fetch the objects")
  }

  /// Whether the store may have been saved to since the last call.
  func isChanged() throws -> Bool {
    try withStore { store in
      if isShared { return try store.newest() != seen }
      let found = try store.dataVersion()
      defer { version = found }
      return found != version
    }
  }

  /// How the rows of a class are read.
  ///
  /// - Parameter wanted: The indexes of the properties to read; nil for all.
  func plan(of type: ModelType, only wanted: Set<Int>? = nil) -> RowPlan? {
    if wanted == nil, let plan = plans[ObjectIdentifier(type)] { return plan }
    guard let own = binding.binding(of: type) else { return nil }
    let plan = RowPlan(own, family: binding.family(of: type), self, only: wanted)
    if wanted == nil { plans[ObjectIdentifier(type)] = plan }
    return plan
  }
}
