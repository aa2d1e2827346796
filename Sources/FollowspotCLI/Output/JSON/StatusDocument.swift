// SPDX-License-Identifier: MIT

internal import Following
internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import SearchIndex

/// The output of `status --format json`.
struct StatusDocument: Encodable {
  struct Store: Encodable {
    struct History: Encodable {
      let transactions: Int
      let changes: Int
      let bytes: Int?
    }

    let path: String
    let uuid: String
    let access: String
    let bytes: Int
    let walBytes: Int
    let history: History
    let remarks: [String]
  }

  struct Index: Encodable {
    let path: String
    let uuid: String
    let generation: Int
    let builtFrom: String
    let documents: Int
    let bytes: Int
    let definitionDigest: String
    let checksum: String
  }

  struct Follower: Encodable {
    let pid: Int
    let state: String
    let since: String
    let reason: String?

    init(_ holder: FileLock.Holder) {
      (pid, state, since, reason) = (holder.pid, holder.state, holder.since, holder.reason)
    }
  }

  struct Rebuild: Encodable {
    let pid: Int
    let done: Int
    let total: Int
  }

  struct Reconciliation: Encodable {
    let reason: String
    let added: Int
    let updated: Int
    let removed: Int
    let at: String
  }

  let format = FormatVersion.current
  let store: Store
  let index: Index?
  let complete: CompleteDocument?
  let token: Int64?
  let newest: Int64
  let oldest: Int64?
  let lagTransactions: Int64
  let lagSeconds: Double
  let futureStamp: Int64?
  let consumers: [ConsumerDocument]?
  let follower: Follower?
  let rebuild: Rebuild?
  let failed: Int
  let skippedUpdates: Int
  let lastReconcile: Reconciliation?
}

extension StatusDocument {
  init(_ status: Status) throws {
    let sizes = status.sizes
    store = Store(
      path: status.storePath, uuid: status.storeUUID,
      access: status.copyReason != nil ? "copied" : status.tracking.rawValue, bytes: sizes.bytes,
      walBytes: sizes.walBytes,
      history: Store.History(transactions: sizes.transactions, changes: sizes.changes, bytes: sizes.historyBytes),
      remarks: status.remarks)
    let state = status.index?.state
    index = try status.index.map { index in
      Index(
        path: index.path, uuid: index.uuid, generation: index.generation, builtFrom: index.state.builtFrom.rawValue,
        documents: index.documents, bytes: index.bytes, definitionDigest: try index.state.definition.digest(),
        checksum: index.state.checksumText)
    }
    complete = status.complete.map(CompleteDocument.init)
    token = state?.token?.number
    (newest, oldest) = (status.newest, status.oldest)
    (lagTransactions, lagSeconds) = (status.lagTransactions, status.lagSeconds)
    futureStamp = status.futureStamp?.transaction
    consumers = status.consumers?.map(ConsumerDocument.init)
    follower = status.follower.map(Follower.init)
    rebuild = status.rebuild.map { Rebuild(pid: $0.pid, done: $0.done, total: $0.total) }
    failed = state?.leftOut.failed ?? 0
    skippedUpdates = state?.skippedUpdates ?? 0
    lastReconcile = state?.lastReconcile.map {
      Reconciliation(reason: $0.reason, added: $0.added, updated: $0.updated, removed: $0.removed, at: $0.at)
    }
  }
}

/// A history consumer in `status` and `history consumers`.
struct ConsumerDocument: Encodable {
  let name: String
  let token: Int64?
  let lag: Int64?
  let holds: Int64?
  let seen: String?
  let state: String
  let reason: String?

  init(_ consumer: Consumer) {
    (name, token, lag, holds) = (consumer.name, consumer.token, consumer.lag, consumer.holds)
    (seen, state, reason) = (consumer.seenText, consumer.state.rawValue, consumer.reason)
  }
}

/// The output of `history consumers --format json`.
struct ConsumersDocument: Encodable {
  let format = FormatVersion.current
  let consumers: [ConsumerDocument]
}
