// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Store

/// The state of a replica at one moment.
package struct ReplicaStatus: Sendable {
  package struct Index: Sendable {
    package let uuid: String
    package let state: IndexState
    package let documents: Int
    package let bytes: Int
  }

  package let path: String
  package let replication: ReplicaState
  /// nil if the first copy is not complete yet.
  package let index: Index?
  /// The process that updates the replica.
  package let follower: FileLock.Holder?
  /// Seconds since the server answered last; nil if it never did.
  package let silence: Double?

  package var token: Int64? { index.map { $0.state.token?.number ?? 0 } }
  /// The newest transaction of the store that the replica has heard of.
  package var newest: Int64? { replication.newest.map { max($0, token ?? 0) } }
  package var lagTransactions: Int64? { newest.map { $0 - (token ?? 0) } }

  /// How much of the store the replica contains; nil if its first copy is not complete.
  package var complete: Completeness? {
    index.map { Completeness(documents: $0.documents, leftOut: $0.state.leftOut, pending: lagTransactions) }
  }

  /// - Throws: `IndexError.corrupt`, `.missing` if the directory contains no replica.
  package init(_ directory: IndexDirectory) throws {
    guard let state = ReplicaState(in: directory) else {
      throw IndexError(.corrupt, "\(directory.replicaPath) cannot be read", recovery: .copyAgain)
    }
    path = directory.path
    replication = state
    index = try directory.reading { serving, reader in
      Index(
        uuid: try reader.uuid(), state: try IndexState.read(reader), documents: try reader.documentCount(),
        bytes: directory.bytes(of: serving))
    }
    follower = FileLock.holder(.replica, in: directory)
    silence = state.silence(now: Date().timeIntervalSince1970)
  }
}
