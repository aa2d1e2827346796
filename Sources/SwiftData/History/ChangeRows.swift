// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

extension RowsTerm {
  /// The changes of a transaction, of entities that the schema names.
  static func changes(in store: StoreBinding) -> RowsTerm {
    RowsTerm { compilation in
      let changes = HistoryCondition.Changes(compilation.alias())
      let names = Dictionary(store.bindings.map { ($0.entity.number, $0.reference.entityName) }) { first, _ in first }
      let numbers = Dictionary(names.map { ($0.value, $0.key) }) { first, _ in first }
      let lines = names.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN \(Value.text($0.value).literal)" }
      var identifier = RecordTerm()
      identifier.columns[\PersistentIdentifier.entityName] = RecordTerm.Column(
        "CASE \(changes.entity) \(lines.joined(separator: " ")) END", String.self)
      identifier.columns[\PersistentIdentifier.storeIdentifier] = RecordTerm.Column(
        Value.text(store.storeIdentifier).literal, String.self, isNullable: true)
      identifier.whole = RecordTerm.Column("(\(changes.entity) || '/' || \(changes.key))", String.self) {
        guard let identifier = $0 as? PersistentIdentifier, identifier.storeIdentifier == store.storeIdentifier,
          let number = numbers[identifier.entityName], let row = identifier.row
        else { return nil }
        return .text("\(number)/\(row)")
      }
      let change = RecordTerm(records: [\HistoryChange.changedPersistentIdentifier: identifier])
      return RowSet(
        from: changes.from, conditions: [changes.belong(to: names.keys), changes.areKnown], element: .record(change))
    }
  }
}
