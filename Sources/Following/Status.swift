// SPDX-License-Identifier: MIT

internal import ForeignStores
internal import FoundationEssentials
package import Indexing
package import PersistentStore
package import SearchIndex

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
  package let newest: Int64
  package let oldest: Int64?
  package let sizes: StoreSizes
  /// The consumers of the history; nil if they cannot be read.
  package let consumers: [Consumer]?
  package let index: Index?
  package let lagTransactions: Int64
  /// The age of the oldest transaction that is not indexed yet.
  package let lagSeconds: Double
  /// The first transaction with a time stamp in the future.
  package let futureStamp: FutureStamp?
  /// Of a database without history, whose marks differ, `.valid` or `.changed` if its rows could be compared.
  package let verdict: TokenVerdict
  package let follower: FileLock.Holder?
  package let rebuild: FileLock.Holder?

  /// How much of the store the index contains; nil if the index does not exist.
  package var complete: Completeness? {
    index.map {
      Completeness(documents: $0.documents, leftOut: $0.state.leftOut, pending: pending)
    }
  }

  /// nil if it is not known.
  private var pending: Int64? {
    switch verdict {
    case .valid: lagTransactions
    case .modelGrown, .modelChanged: tracking.hasHistory ? lagTransactions : nil
    case .noToken, .mayHaveChanged, .changed, .expired, .diverged: nil
    }
  }

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
    let token = index?.state.token
    let now = Date().timeIntervalSince1970
    (newest, oldest, sizes, consumers, verdict, lagSeconds, futureStamp) = try store.withSnapshot {
      (
        try store.newest(), try store.oldest(), try store.sizes(),
        store.hasConsumers ? try? Consumers(storePath: storePath).statuses(in: store) : [],
        try index.map { try Self.verdict(on: $0, store, limits) } ?? .noToken,
        try store.ageOfFirstTransaction(after: token?.number ?? 0, now: now) ?? 0, try store.futureStamp(now: now)
      )
    }
    self.index = index
    lagTransactions = max(0, newest &- (token?.number ?? 0))
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
    guard verdict == .mayHaveChanged else { return verdict }
    let mapper = try DocumentMapper(definition: index.state.definition, layout: store.layout)
    let comparison = Comparison(store: store, mapper: mapper, progress: Progress())
    switch try comparison.differences(with: IndexReader(path: index.generationPath), index.state, within: limits) {
    case .rows(let rows): return rows.isEmpty ? .valid : .changed
    case .tooMany: return .changed
    case .unknown: return .mayHaveChanged
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
