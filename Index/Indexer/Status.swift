// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import Store

/// The state of index and store at one moment.
package struct Status: Sendable {
  package struct Index: Sendable {
    package let path: String
    package let uuid: String
    package let generation: Int
    let generationPath: String
    package let state: IndexState
    package let documents: Int
    package let bytes: Int
  }

  package let storePath: String
  package let storeUUID: String
  /// How changes of the store are found.
  package let tracking: ChangeTracking
  /// Why a private copy of the store is read; nil if the store itself is read.
  package let copyReason: PersistentStore.CopyReason?
  /// When the next copy may be made; nil if the store itself is read.
  package let nextCopy: ContinuousClock.Instant?
  /// Sentences about what the file lacks, or what cannot be read.
  package let remarks: [String]
  /// Whether the index keeps records of tables whose definitions cannot be read, so that no pass changes it.
  package let keepsUnreadRecords: Bool
  package let newest: Int64
  package let oldest: Int64?
  package let sizes: StoreSizes
  /// The consumers of the history; nil if they cannot be read.
  package let consumers: [Consumer]?
  package let index: Index?
  /// The age of the oldest transaction after the token; 0 if there is none.
  private let age: Double
  /// The first transaction with a time stamp in the future.
  package let futureStamp: FutureStamp?
  /// Of a database without history, whose marks differ, `.valid` or `.changed` if its rows could be compared. Of an attached
  /// one, `.unexplained` if rows differ that its log does not have, or could not be compared.
  package let verdict: TokenVerdict
  package let follower: FileLock.Holder?
  package let rebuild: FileLock.Holder?

  /// How much of the store the index contains; nil if the index does not exist.
  package var complete: Completeness? {
    index.map {
      Completeness(documents: $0.documents, leftOut: $0.state.leftOut, pending: lagTransactions)
    }
  }

  /// The number of transactions that are not indexed yet; nil if it is not known.
  package var lagTransactions: Int64? {
    let count = max(0, newest &- (index?.state.token?.number ?? 0))
    guard index != nil else { return count }
    return switch verdict {
    case .valid: count
    case .modelGrown, .modelChanged: tracking.hasHistory ? count : nil
    case .noToken, .mayHaveChanged, .unexplained, .changed, .expired, .diverged: nil
    }
  }

  /// The age of the oldest transaction that is not indexed yet; nil if it is not known.
  package var lagSeconds: Double? { lagTransactions.map { _ in age } }

  /// - Parameter limits: Bounds of the comparison of a database without history with its index.
  /// - Throws: Errors of the store; `IndexError.corrupt`, `.foreign`.
  package init(
    storePath: String, directory: IndexDirectory, limits: ChangeLimits = ChangeLimits()
  ) throws {
    let store = try StoreFile.open(storePath, readings: directory.readings)
    self.storePath = storePath
    storeUUID = store.uuid
    tracking = store.tracking
    (copyReason, nextCopy) = (store.copyReason, store.nextCopy)
    remarks = store.remarks
    let index = try Self.readIndex(directory)
    keepsUnreadRecords = index.map { store.hasUnreadRecords(in: $0.state.definition) } ?? false
    let token = index?.state.token
    let now = Date().timeIntervalSince1970
    (newest, oldest, sizes, consumers, verdict, age, futureStamp) = try store.withSnapshot {
      (
        try store.newest(), try store.oldest(), try store.sizes(),
        store.hasConsumers ? try? Consumers(storePath: storePath).statuses(in: store) : [],
        try index.map { try Self.verdict(on: $0, store, limits) } ?? .noToken,
        try store.ageOfFirstTransaction(after: token?.number ?? 0, now: now) ?? 0, try store.futureStamp(now: now)
      )
    }
    self.index = index
    let updater = FileLock.holder(.update, in: directory)
    follower = updater?.verb == "index --follow" ? updater : nil
    let builder = FileLock.holder(.rebuild, in: directory)
    rebuild = builder?.verb == "rebuild" ? builder : nil
  }

  /// The verdict on the token of an index. Marks may differ although no row has changed, so the rows are compared.
  private static func verdict(
    on index: Index, _ store: PersistentStore, _ limits: ChangeLimits
  ) throws -> TokenVerdict {
    let verdict = try index.state.verdict(in: store)
    guard verdict.isOpen else { return verdict }
    let mapper = try DocumentMapper(definition: index.state.definition, layout: store.layout)
    let comparison = Comparison(store: store, mapper: mapper, progress: Progress())
    let reader = try IndexReader(path: index.generationPath)
    let found = verdict == .unexplained ? verdict : .changed
    switch try comparison.differences(with: reader, index.state, within: limits) {
    case .rows(let rows):
      let logged = try store.changedRows(after: index.state.token?.number ?? 0)
      let pending = try RelatedOwners(store: store, mapper: mapper).including(logged, in: reader)
      return rows.isSubset(of: pending) ? .valid : found
    case .tooMany: return found
    case .unknown: return verdict
    }
  }

  private static func readIndex(_ directory: IndexDirectory) throws -> Index? {
    guard let serving = try directory.serving() else { return nil }
    let reader = try IndexReader(path: serving.path)
    return Index(
      path: directory.path, uuid: try reader.uuid(), generation: serving.number, generationPath: serving.path,
      state: try IndexState.read(reader),
      documents: try reader.documentCount(), bytes: directory.bytes(ofGeneration: serving.number))
  }
}
