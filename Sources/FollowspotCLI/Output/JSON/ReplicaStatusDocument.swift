// SPDX-License-Identifier: MIT

internal import Following
internal import IndexDefinitions
internal import Indexing
internal import PersistentStore

/// The output of `status --format json` for a replica.
struct ReplicaStatusDocument: Encodable {
  struct Replica: Encodable {
    let path: String
    let source: String
    let generation: Int?
    let copies: Int
    let heardSeconds: Double?
    let failure: String?
  }

  struct Index: Encodable {
    let uuid: String
    let documents: Int
    let bytes: Int
    let definitionDigest: String
    let checksum: String
  }

  let format = FormatVersion.current
  let replica: Replica
  let index: Index?
  let complete: CompleteDocument?
  let token: Int64?
  let newest: Int64?
  let lagTransactions: Int64?
  let follower: StatusDocument.Follower?

  init(_ status: ReplicaStatus) throws {
    let known = status.replication
    replica = Replica(
      path: status.path, source: known.source, generation: known.generation, copies: known.copies,
      heardSeconds: status.silence, failure: known.failure)
    index = try status.index.map {
      Index(
        uuid: $0.uuid, documents: $0.documents, bytes: $0.bytes, definitionDigest: try $0.state.definition.digest(),
        checksum: $0.state.checksumText)
    }
    complete = status.complete.map(CompleteDocument.init)
    (token, newest, lagTransactions) = (status.token, status.newest, status.lagTransactions)
    follower = status.follower.map(StatusDocument.Follower.init)
  }
}
