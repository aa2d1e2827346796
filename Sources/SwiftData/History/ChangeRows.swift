// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite
internal import StoreModel

extension RowsTerm {
  /// The changes of a transaction, of entities that the schema names.
  static func changes(in store: StoreBinding) -> RowsTerm {
    let names = Dictionary(
      store.bindings.map { ($0.entity.number, PersistentIdentifier($0.reference, key: 0).entityName) }
    ) { first, _ in first }
    let numbers = Dictionary(names.map { ($0.value, $0.key) }) { first, _ in first }
    return RowsTerm { compilation in
      let alias = compilation.alias()
      let (entity, key) = (HistoryCondition.Changes.entity(alias), HistoryCondition.Changes.key(alias))
      let lines = names.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN \(Value.text($0.value).literal)" }
      var identifier = RecordTerm()
      identifier.columns[\PersistentIdentifier.entityName] = RecordTerm.Column(
        "CASE \(entity) \(lines.joined(separator: " ")) END", String.self)
      identifier.columns[\PersistentIdentifier.storeIdentifier] = RecordTerm.Column(
        Value.text(store.storeIdentifier).literal, String.self, isNullable: true)
      identifier.whole = RecordTerm.Column("(\(entity) || '/' || \(key))", String.self) {
        guard let identifier = $0 as? PersistentIdentifier, identifier.storeIdentifier == store.storeIdentifier,
          let number = numbers[identifier.entityName], let row = identifier.row
        else { return nil }
        return .text("\(number)/\(row)")
      }
      var element = RecordTerm()
      element.records[\HistoryChange.changedPersistentIdentifier] = identifier
      return RowSet(
        from: "\(HistoryCondition.Changes.table) \(alias)",
        conditions: [HistoryCondition.Changes.condition(alias, entities: names.keys.sorted())],
        element: .record(element))
    }
  }
}
