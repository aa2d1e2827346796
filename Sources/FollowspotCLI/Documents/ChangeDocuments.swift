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
      "store": IfPresent(transaction.store), "number": transaction.number,
      "timestamp": DateText.formatTime(secondsSince1970: transaction.secondsSince1970),
      "author": transaction.author, "changes": changes,
    ]
  }

  /// A change in the output of `diff` between two tokens.
  init(_ net: NetChange) {
    let change = net.change
    self = [
      "store": IfPresent(net.store), "change": change.kind.name, "id": change.identifier.uri, "title": change.title,
      "updated": change.updated, "transaction": net.transaction, "author": net.author, "transactions": net.transactions,
      "tombstone": change.tombstone.isEmpty ? nil : JSONObject(tombstone: change.tombstone, of: change.entity),
    ]
  }
}
