// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

extension JSONObject {
  /// How much of a store its index contains.
  init(_ complete: Completeness) {
    let leftOut = complete.leftOut
    let causes = JSONObject(members: LeftOutRows.Cause.allCases.map { ($0.rawValue, leftOut.rows($0)) })
    self = [
      "rows": complete.rows, "documents": complete.documents, "leftOut": causes, "truncated": leftOut.truncated,
      "failed": leftOut.failed, "pending": complete.pending,
    ]
  }

  /// The output of `status --format json`.
  init(_ status: Status) throws {
    let (sizes, state) = (status.sizes, status.index?.state)
    let store: JSONObject = [
      "path": status.storePath, "uuid": status.storeUUID,
      "access": status.copyReason != nil ? "copied" : status.tracking.rawValue, "bytes": sizes.bytes,
      "walBytes": sizes.walBytes,
      "history": [
        "transactions": sizes.transactions, "changes": sizes.changes, "bytes": sizes.historyBytes,
      ] as JSONObject,
      "remarks": status.remarks,
    ]
    let index = try status.index.map { index in
      [
        "path": index.path, "uuid": index.uuid, "generation": index.generation,
        "builtFrom": index.state.builtFrom.rawValue,
      ] + (try JSONObject(index.documents, index.bytes, index.state))
    }
    let rebuild = status.rebuild.map { ["pid": $0.pid, "done": $0.done, "total": $0.total] as JSONObject }
    let lastReconcile = state?.lastReconcile.map {
      [
        "reason": $0.reason, "added": $0.added, "updated": $0.updated, "removed": $0.removed, "at": $0.at,
      ] as JSONObject
    }
    self = .document([
      "store": store, "index": index, "complete": status.complete.map { JSONObject($0) },
      "token": state?.token?.number, "newest": status.newest, "oldest": status.oldest,
      "lagTransactions": IfPresent(status.lagTransactions), "lagSeconds": IfPresent(status.lagSeconds),
      "lagKnown": IfPresent(status.lagTransactions == nil ? false : nil),
      "futureStamp": status.futureStamp?.transaction, "consumers": status.consumers?.map { JSONObject($0) },
      "follower": status.follower.map { JSONObject($0) }, "rebuild": rebuild, "failed": state?.leftOut.failed ?? 0,
      "skippedUpdates": state?.skippedUpdates ?? 0, "lastReconcile": lastReconcile,
    ])
  }

  /// The output of `status --format json` for a replica.
  init(_ status: ReplicaStatus) throws {
    let known = status.replication
    let replica: JSONObject = [
      "path": status.path, "source": known.source, "generation": known.generation, "copies": known.copies,
      "heardSeconds": status.silence, "failure": known.failure,
    ]
    let index = try status.index.map { ["uuid": $0.uuid] + (try JSONObject($0.documents, $0.bytes, $0.state)) }
    self = .document([
      "replica": replica, "index": index, "complete": status.complete.map { JSONObject($0) }, "token": status.token,
      "newest": status.newest, "lagTransactions": status.lagTransactions,
      "follower": status.follower.map { JSONObject($0) },
    ])
  }

  /// The state of a remote index.
  init(_ status: RemoteStatus) {
    self = [
      "uuid": status.uuid, "format": status.state.format, "documents": status.documents,
      "complete": JSONObject(status.complete), "token": status.token, "checksum": status.state.checksumText,
    ]
  }

  private init(_ documents: Int, _ bytes: Int, _ state: IndexState) throws {
    self = [
      "documents": documents, "bytes": bytes, "definitionDigest": try state.definition.digest(),
      "checksum": state.checksumText,
    ]
  }

  private init(_ holder: FileLock.Holder) {
    self = ["pid": holder.pid, "state": holder.state, "since": holder.since, "reason": holder.reason]
  }

  /// A history consumer in `status` and `history consumers`.
  init(_ consumer: Consumer) {
    self = [
      "name": consumer.name, "token": consumer.token, "lag": consumer.lag, "holds": consumer.holds,
      "seen": consumer.seenText, "state": consumer.state.rawValue, "reason": consumer.reason,
    ]
  }
}
