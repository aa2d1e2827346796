// SPDX-License-Identifier: MIT

internal import Base
package import SQLite
package import Search
package import Store

/// The exact difference between two results of a query, before and after a command.
package final class ResultDifference {
  package struct Change: Sendable {
    /// The value of an attribute, or of a to-one relationship.
    package struct Field: Sendable {
      package let name: String
      package let type: AttributeType
      package let value: Value

      package var isNull: Bool { value.isNull }
    }

    package let kind: ResultChange
    package let identifier: RecordURI
    package let title: String
    /// All fields of a record that left the result; those that changed of one that stayed. nil for one that entered.
    package let old: [Field]?
    /// All fields of a record that entered the result; those that changed of one that stayed. nil for one that left.
    package let new: [Field]?
    /// The last transaction that changed the record; nil if none changed its own row, or if it is not known.
    package let transaction: Int64?
    package let author: String?
    /// Whether the change is only known to have happened while the command ran. Otherwise the author of the command made
    /// it.
    package let isDuring: Bool
  }

  /// The transactions between the two results; nil if the store has no history of them.
  package struct Range: Sendable {
    package let from: Int64
    package let to: Int64
  }

  private let author: String?
  private let copies: ResultCopies
  /// The transactions between the two results: their number, the last one, and the authors of all.
  private var transactions = 0
  private var last: StoredTransaction?
  private var authors: Set<String?> = []
  private var before: StoreToken?
  private var storeUUID = ""
  package private(set) var range: Range?

  /// - Parameter author: The author of the command's transactions; nil if it is not known.
  package init(author: String?) throws {
    self.author = author
    copies = try ResultCopies()
  }

  /// Copies the result before the command.
  package func begin(_ searcher: Searcher, _ request: SearchRequest) throws {
    before = try copy(.before, searcher, request) { store in
      store.tracking.hasHistory ? try store.token() : nil
    }
  }

  /// Copies the result after the command, and reads the transactions between both.
  package func end(_ searcher: Searcher, _ request: SearchRequest) throws {
    try copy(.after, searcher, request) { store in
      storeUUID = store.uuid
      guard let before, store.tracking.hasHistory else { return }
      switch try store.verdict(on: before) {
      case .valid, .modelGrown, .modelChanged: break
      default: return
      }
      let newest = try store.newest()
      range = Range(from: before.number, to: newest)
      try store.eachChange(after: before.number) { transaction, change in
        try StopSignal.check()
        guard let change else { return true }
        if transaction.number != last?.number {
          transactions += 1
          last = transaction
          authors.insert(transaction.author)
        }
        if let entity = store.layout.entity(number: change.row.entity) {
          try copies.note(
            transaction, of: entity.entity.name, key: change.row.key,
            isPreferred: author != nil && transaction.author == author)
        }
        return true
      }
    }
  }

  /// Copies the values of all matches of a query, and runs `body` in the same snapshot.
  private func copy<Result>(
    _ side: ResultCopies.Side, _ searcher: Searcher, _ request: SearchRequest,
    _ body: (PersistentStore) throws -> Result
  ) throws -> Result {
    try searcher.withView(request) { view in
      try DeletionPeriod.refuse(request, in: view, "which have no present values to compare")
      let store = view.store
      for row in try HitHistory(view: view).exactMatches(of: request) {
        try StopSignal.check()
        guard let entity = store.layout.entity(number: row.entity),
          let values = try ResultCopies.values(of: entity, key: row.key, in: store)
        else { continue }
        try copies.add(
          ResultCopies.Record(
            key: row.key, keyText: try store.identifier(of: row).keyText,
            title: view.title(of: values, entity, key: row.key), values: values),
          of: entity, to: side)
      }
      return try body(store)
    }
  }

  /// Calls `body` with the changes of the result: records that entered, changed and left it, each by identifier.
  package func eachChange(_ body: (Change) throws -> Void) throws {
    for kind in [ResultChange.enter, .change, .leave] {
      for name in copies.entityNames {
        let (old, new) = (copies.layout(.before, name), copies.layout(.after, name))
        try copies.eachRecord(ofEntity: name) { before, after in
          switch (kind, before, after) {
          case (.enter, nil, let after?):
            try body(change(.enter, name, after, old: nil, new: new.map { Self.fields(of: after, $0) }))
          case (.leave, let before?, nil):
            try body(change(.leave, name, before, old: old.map { Self.fields(of: before, $0) }, new: nil))
          case (.change, let before?, let after?):
            guard let old, let new else { return }
            let fields = Self.changed(Self.fields(of: before, old), Self.fields(of: after, new))
            if !fields.old.isEmpty { try body(change(.change, name, after, old: fields.old, new: fields.new)) }
          default: break
          }
        }
      }
    }
  }

  private func change(
    _ kind: ResultChange, _ name: String, _ record: ResultCopies.Record, old: [Change.Field]?, new: [Change.Field]?
  ) throws -> Change {
    // What is known of a record whose own row did not change: the transaction if there was only one, and the author if
    // all transactions have the same one.
    let (number, author): (Int64?, String?) =
      record.transaction.map { ($0, record.author) }
      ?? (transactions == 1 ? last?.number : nil, authors.count == 1 ? last?.author : nil)
    return Change(
      kind: kind,
      identifier: RecordURI(storeUUID: storeUUID, entityName: name, key: record.key, keyText: record.keyText),
      title: record.title, old: old, new: new, transaction: number, author: author,
      isDuring: self.author == nil || author != self.author)
  }

  private static func fields(of record: ResultCopies.Record, _ entity: EntityLayout) -> [Change.Field] {
    zip(ResultCopies.fields(of: entity), record.values).map { Change.Field(name: $0.name, type: $0.type, value: $1) }
  }

  /// The fields whose values differ. A migration may have added or removed some: they have null on the other side.
  private static func changed(
    _ old: [Change.Field], _ new: [Change.Field]
  ) -> (old: [Change.Field], new: [Change.Field]) {
    let before = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
    let after = Set(new.map(\.name))
    var changed: (old: [Change.Field], new: [Change.Field]) = ([], [])
    let removed = old.filter { !after.contains($0.name) }
      .map { Change.Field(name: $0.name, type: $0.type, value: .null) }
    for field in new + removed {
      let known = before[field.name] ?? Change.Field(name: field.name, type: field.type, value: .null)
      guard !known.value.isSame(as: field.value) else { continue }
      changed.old.append(known)
      changed.new.append(field)
    }
    return changed
  }
}

extension Value {
  /// Whether the values are equal. A number is the same as an integer and as a real; texts are compared by their bytes.
  fileprivate func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
      Int64(exactly: real) == integer
    case (.text(let text), .text(let other)): text.utf8.elementsEqual(other.utf8)
    default: self == other
    }
  }
}
