// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Store

extension JSONObject {
  /// A transaction in the output of `log`.
  init(_ transaction: LoggedTransaction) {
    let changes = transaction.changes.map { change in
      [
        "change": change.kind.name, "id": change.identifier.uri, "title": change.title, "updated": change.updated,
        "tombstone": IfPresent(
          change.kind == .delete ? JSONObject(tombstone: change.tombstone, of: change.entity) : nil),
      ] as JSONObject
    }
    self = [
      "number": transaction.number,
      "timestamp": DateText.formatTime(secondsSince1970: transaction.secondsSince1970),
      "author": transaction.author, "changes": changes,
    ]
  }

  /// A change in the output of `diff` between two tokens.
  init(_ net: NetChange) {
    let change = net.change
    self = [
      "change": change.kind.name, "id": change.identifier.uri, "title": change.title, "updated": change.updated,
      "transaction": net.transaction, "author": net.author, "transactions": net.transactions,
      "tombstone": change.tombstone.isEmpty ? nil : JSONObject(tombstone: change.tombstone, of: change.entity),
    ]
  }

  /// A change in the output of `diff` around a command.
  init(_ change: ResultDifference.Change) {
    func object(_ fields: [ResultDifference.Change.Field]) -> JSONObject {
      JSONObject(members: fields.map { ($0.name, StoredValue($0.value, as: $0.type)) })
    }
    self = [
      "change": change.kind.rawValue, "id": change.identifier.uri, "title": change.title,
      "old": change.old.map(object), "new": change.new.map(object), "transaction": change.transaction,
      "author": change.author, "during": change.isDuring,
    ]
  }
}
