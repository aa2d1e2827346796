// SPDX-License-Identifier: MIT

internal import Following
internal import FoundationEssentials
internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import SearchIndex

/// Answers of a replica without the store: as of the token of the replica, with the values that the index stores.
extension Searcher {
  /// The state that an answer without the store describes.
  func storelessSnapshot(_ location: IndexLocation, _ request: SearchRequest) throws -> Snapshot {
    switch location {
    case .directory(let directory): try replicaSnapshot(directory, request)
    case .remote: try remoteSnapshot()
    }
  }

  /// The names of the fields that the index stores; nil if the store is read.
  package var storedFields: Set<String>? { stored?.names }

  /// Refuses a field whose values a replica does not store: it would look empty.
  func refuseUnstored(_ reader: FieldReader) throws {
    guard let stored, !stored.names.contains(reader.name), reader.name != "kind" else { return }
    throw OperationError(
      .usage, "\(storeless?.subject ?? "the index") does not store '\(reader.name)'",
      recovery: .storedFields(stored.names.sorted()))
  }

  /// The state that an answer describes, with what the replica has heard of the store.
  private func replicaSnapshot(_ directory: IndexDirectory, _ request: SearchRequest) throws -> Snapshot {
    let token = index.state.token?.number ?? 0
    let state = ReplicaState(in: directory)
    let silence = state?.silence(now: Date().timeIntervalSince1970)
    let newest = max(token, state?.newest ?? token)
    var snapshot = Snapshot(
      indexStatus: IndexStatus(
        uuid: try index.uuid, generation: index.generation, token: token, lagTransactions: newest - token,
        lagSeconds: silence ?? .greatestFiniteMagnitude, complete: try index.completeness(pending: newest - token),
        answersAt: token))
    // What the store has saved since the server answered last is not known.
    snapshot.isWhole = newest == token && (silence ?? .infinity) <= request.mostLag ?? 0
    var note = "answered by a replica at token \(token)"
    if newest > token { note += ", \(newest - token) transactions behind" }
    if let silence, silence >= 5 { note += "; its source answered last \(Int(silence)) s ago" }
    if stored?.names.isEmpty == true { note += "; the index stores no fields, so records have no titles" }
    snapshot.note = note
    return snapshot
  }
}
