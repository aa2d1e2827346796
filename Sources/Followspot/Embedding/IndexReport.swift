// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// The state of a store and its index at one moment.
public struct IndexReport: Sendable {
  /// The store.
  public struct Store: Hashable, Sendable {
    /// The UUID of the store.
    public let uuid: String
    /// The size of the file in bytes.
    public let bytes: Int
    /// The size of its write-ahead log in bytes.
    public let logBytes: Int
    /// The number of transactions in the history.
    public let transactions: Int
    /// The number of changes in the history.
    public let changes: Int
    /// The bytes of the history; nil if they cannot be measured.
    public let historyBytes: Int?
    /// The oldest transaction in the history; nil if it has none.
    public let oldest: Int64?
    /// The newest transaction.
    public let newest: Int64
    /// Sentences about what the file lacks, or what cannot be read.
    public let remarks: [String]
  }

  /// The index.
  public struct Index: Hashable, Sendable {
    /// The UUID of the index.
    public let uuid: String
    /// The number of its generation, which rises with each rebuild.
    public let generation: Int
    /// The number of documents.
    public let documents: Int
    /// The size of its files in bytes.
    public let bytes: Int
    /// The newest indexed transaction.
    public let token: Int64
    /// The order-independent checksum of all documents.
    public let checksum: String
    /// How much of the store it contains.
    public let coverage: IndexCoverage
    /// Why the number of pending transactions is not known, or what is wrong: a sentence; nil if nothing is.
    public let fault: String?
  }

  /// A process that works on the index.
  public struct Worker: Hashable, Sendable {
    /// The ID of the process.
    public let process: Int
    /// What it does: `following`, `indexing`, or the phase of a rebuild.
    public let state: String
    /// The number of rows that are done.
    public let done: Int
    /// The number of rows; 0 if it does not count them.
    public let total: Int
    /// Why the state is what it is, for example the error after which it tries again; nil if that is plain.
    public let reason: String?
  }

  /// The store.
  public let store: Store
  /// The index; nil if there is none.
  public let index: Index?
  /// The number of transactions that are not indexed yet; nil if it is not known.
  public let lag: Int64?
  /// The age of the oldest of them; nil if it is not known.
  public let lagTime: Duration?
  /// The readers of the history, for which a purge waits; nil if they cannot be read.
  public let consumers: [HistoryConsumer]?
  /// The follower of the index; nil if there is none.
  public let follower: Worker?
  /// The process that rebuilds the index; nil if there is none.
  public let rebuild: Worker?
}

/// A reader of a store's history, for which a purge waits.
public struct HistoryConsumer: Hashable, Sendable {
  /// What is known of the reader.
  public enum State: String, Sendable {
    /// It advances, or has nothing to read.
    case current
    /// History has waited for it longer than thirty days.
    case stale
    /// An index that was removed, or that follows another store.
    case gone
    /// Unread history was purged already.
    case expired
    /// It was registered with another store at this path.
    case foreign
    /// Its file cannot be read.
    case damaged
  }

  /// The name.
  public let name: String
  /// The last transaction that it has read; nil if it is not known.
  public let token: Int64?
  /// The number of transactions that it has not read; nil if it is not known.
  public let lag: Int64?
  /// The lowest transaction that a purge keeps for it; nil if it needs none.
  public let holds: Int64?
  /// What is known of the reader.
  public let state: State
  /// An explanation of the state; nil if there is none.
  public let reason: String?
}

extension IndexReport {
  init(_ status: Status) {
    store = Store(
      uuid: status.storeUUID, bytes: status.sizes.bytes, logBytes: status.sizes.walBytes,
      transactions: status.sizes.transactions, changes: status.sizes.changes, historyBytes: status.sizes.historyBytes,
      oldest: status.oldest, newest: status.newest, remarks: status.remarks)
    index = status.index.map { index in
      Index(
        uuid: index.uuid, generation: index.generation, documents: index.documents, bytes: index.bytes,
        token: index.state.token?.number ?? 0, checksum: index.state.checksumText,
        coverage: IndexCoverage(
          Completeness(documents: index.documents, leftOut: index.state.leftOut, pending: status.lagTransactions)),
        fault: status.verdict == .valid ? nil : index.state.sentence(of: status.verdict))
    }
    lag = status.lagTransactions
    lagTime = status.lagSeconds.map { .seconds($0) }
    consumers = status.consumers?.map(HistoryConsumer.init)
    (follower, rebuild) = (status.follower.map(Worker.init), status.rebuild.map(Worker.init))
  }
}

extension IndexReport.Worker {
  fileprivate init(_ holder: FileLock.Holder) {
    (process, state, reason) = (holder.pid, holder.state, holder.reason)
    (done, total) = (holder.done, holder.total)
  }
}

extension HistoryConsumer {
  init(_ consumer: Consumer) {
    (name, token, lag, holds) = (consumer.name, consumer.token, consumer.lag, consumer.holds)
    reason = consumer.reason
    state =
      switch consumer.state {
      case .current: .current
      case .stale: .stale
      case .gone: .gone
      case .expired: .expired
      case .foreign: .foreign
      case .damaged: .damaged
      }
  }
}
