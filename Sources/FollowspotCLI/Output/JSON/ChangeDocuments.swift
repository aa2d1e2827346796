// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import Values
internal import Watching

/// A transaction in the output of `log`.
struct LogDocument: Encodable {
  struct Change: Encodable {
    let change: String
    let id: String
    let title: String
    let updated: [String]
    /// The values that the history keeps of a deleted record.
    let tombstone: JSONFragment?

    private enum Key: String, CodingKey { case change, id, title, updated, tombstone }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(change, forKey: .change)
      try container.encode(id, forKey: .id)
      try container.encode(title, forKey: .title)
      try container.encode(updated, forKey: .updated)
      if let tombstone { try container.encode(tombstone, forKey: .tombstone) }
    }
  }

  let number: Int64
  let timestamp: String
  let author: String?
  let changes: [Change]

  init(_ transaction: LoggedTransaction) {
    number = transaction.number
    timestamp = DateText.formatTime(secondsSince1970: transaction.secondsSince1970)
    author = transaction.author
    changes = transaction.changes.map { change in
      Change(
        change: change.kind.name, id: change.identifier.uri, title: change.title, updated: change.updated,
        tombstone: change.kind == .delete ? .tombstone(of: change) : nil)
    }
  }
}

/// A change in the output of `diff` between two tokens.
struct NetChangeDocument: Encodable {
  let change: String
  let id: String
  let title: String
  let updated: [String]
  let transaction: Int64
  let author: String?
  let transactions: Int
  let tombstone: JSONFragment?

  init(_ net: NetChange) {
    (change, id, title) = (net.change.kind.name, net.change.identifier.uri, net.change.title)
    (updated, transaction, author, transactions) = (net.change.updated, net.transaction, net.author, net.transactions)
    tombstone = net.change.tombstone.isEmpty ? nil : .tombstone(of: net.change)
  }
}

/// A change in the output of `diff` around a command.
struct ResultChangeDocument: Encodable {
  let change: String
  let id: String
  let title: String
  let old: JSONFragment?
  let new: JSONFragment?
  let transaction: Int64?
  let author: String?
  let during: Bool

  init(_ result: ResultDifference.Change) {
    (change, id, title) = (result.kind.rawValue, result.identifier.uri, result.title)
    (old, new) = (result.old.map(JSONFragment.fields), result.new.map(JSONFragment.fields))
    (transaction, author, during) = (result.transaction, result.author, result.isDuring)
  }
}

extension JSONFragment {
  fileprivate static func tombstone(of change: HitChange) -> JSONFragment {
    .members(Array(zip(change.entity.tombstoneOrder, change.tombstone))) { member, json in
      let attribute = change.entity.entity.attributes[member.0]
      json.key(attribute.name)
      json.value(member.1, as: attribute.type)
    }
  }

  fileprivate static func fields(_ fields: [ResultDifference.Change.Field]) -> JSONFragment {
    .members(fields) { field, json in
      json.key(field.name)
      json.value(field.value, as: field.type)
    }
  }
}
