// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite
internal import StoreModel

extension RowsTerm {
  /// The changes of the transaction `t`, of entities that the schema names.
  static func changes(in store: StoreBinding) -> RowsTerm {
    let names = Dictionary(
      store.bindings.map { ($0.entity.number, PersistentIdentifier($0.reference, key: 0).entityName) }
    ) { first, _ in first }
    let numbers = Dictionary(names.map { ($0.value, $0.key) }) { first, _ in first }
    let kinds = ChangeKind.allCases.map { String($0.rawValue) }.joined(separator: ", ")
    return RowsTerm { compilation in
      let change = compilation.alias()
      let lines = names.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN \(Value.text($0.value).literal)" }
      var identifier = RecordTerm()
      identifier.columns[\PersistentIdentifier.entityName] = RecordTerm.Column(
        "CASE \(change).ZENTITY \(lines.joined(separator: " ")) END", String.self)
      identifier.columns[\PersistentIdentifier.storeIdentifier] = RecordTerm.Column(
        Value.text(store.storeIdentifier).literal, String.self, isNullable: true)
      identifier.whole = RecordTerm.Column("(\(change).ZENTITY || '/' || \(change).ZENTITYPK)", String.self) {
        guard let identifier = $0 as? PersistentIdentifier, identifier.storeIdentifier == store.storeIdentifier,
          let number = numbers[identifier.entityName], let row = identifier.row
        else { return nil }
        return .text("\(number)/\(row)")
      }
      var element = RecordTerm()
      element.records[\HistoryChange.changedPersistentIdentifier] = identifier
      let known = names.keys.sorted().map(String.init).joined(separator: ", ")
      return RowSet(
        from: "ACHANGE \(change)",
        conditions: [
          "\(change).ZTRANSACTIONID = t.Z_PK", "\(change).ZENTITY IN (\(known))",
          "\(change).ZCHANGETYPE IN (\(kinds))",
        ],
        element: .record(element))
    }
  }
}
