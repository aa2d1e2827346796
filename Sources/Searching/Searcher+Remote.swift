// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore

extension Searcher {
  /// Whether it searches the index of another machine.
  package var isRemote: Bool { remoteName != nil }

  /// The host and the port of the index; nil if it is on this machine.
  package var remoteName: String? { if case .remote(let remote)? = storeless { remote.name } else { nil } }

  /// Answers from the fields that the index of another machine stores.
  ///
  /// - Throws: `IndexError.unreachable`, `.corrupt`; `OperationError.usage` if it serves something else.
  package convenience init(remote: RemoteIndex) throws { try self.init(storeless: .remote(remote)) }

  /// The state that the answer of another machine describes. What its store has saved since is not known here.
  func remoteSnapshot() throws -> Snapshot {
    let token = index.state.token?.number ?? 0
    var snapshot = Snapshot(
      indexStatus: IndexStatus(
        uuid: try index.uuid, generation: index.generation, token: token, lagTransactions: 0,
        lagSeconds: 0, complete: try index.completeness(pending: nil), isLagKnown: false, answersAt: token))
    snapshot.isWhole = false
    snapshot.note = "answered by a remote index at token \(token)"
    if stored?.names.isEmpty == true { snapshot.note? += "; it stores no fields, so records have no titles" }
    return snapshot
  }
}
