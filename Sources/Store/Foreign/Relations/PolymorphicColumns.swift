// SPDX-License-Identifier: MIT

internal import SQLite

/// Polymorphic references: a column holds keys of several tables, and another one says of which, such as `item_id` and
/// `item_type`, or `object_id` and `content_type_id`.
struct PolymorphicColumns {
  /// The column with the keys, and that with the names of tables.
  struct Pair {
    let key: DatabaseTable.Column
    let type: DatabaseTable.Column

    /// The number of rows with a key, of whatever table.
    ///
    /// - Parameter references: Those of one of the tables.
    func count(
      in table: DatabaseTable, as references: ReferenceColumns, isWhole: Bool, _ connection: Connection
    ) throws -> Int {
      var any = references
      any.condition = nil
      return try ReferenceCount.counts(of: [any], in: table, isWhole: isWhole, connection)[0].rows
    }
  }

  /// A column with more distinct values does not hold names of tables.
  private static let mostTypes = 64
  private static let rowsRead = 100_000

  /// Words of a column that names tables.
  private static let typeWords: Set<String> = ["type", "class", "kind", "table", "model", "entity", "contenttype"]
  /// Words of a column with keys of any table.
  private static let keyWords: Set<String> = NameRoots.keyWords.union(["handle", "pk"])
  /// Words for any record, which the name of the other column may lack.
  private static let anyRecord: Set<String> = ["object", "item", "record", "node", "entity", "row", "content"]

  private let tables: [DatabaseTable]
  private let tablesByRoots: [[String]: Int]
  private let connection: Connection

  init(_ tables: [DatabaseTable], _ tablesByRoots: [[String]: Int], _ connection: Connection) {
    (self.tables, self.tablesByRoots, self.connection) = (tables, tablesByRoots, connection)
  }

  /// The pairs of a table whose names belong together.
  ///
  /// - Parameter isReference: Whether the values of a column may be keys on their own.
  static func pairs(of table: DatabaseTable, where isReference: (DatabaseTable.Column) -> Bool) -> [Pair] {
    let declared = Set(table.references.flatMap(\.columns).map(\.sqlName))
    let named = table.columns.map { ($0, NameRoots($0.name).unnumbered.words) }
    let types = named.compactMap { column, words -> (DatabaseTable.Column, [String])? in
      guard let owner = owner(ofType: words) else { return nil }
      return (column, owner)
    }
    guard !types.isEmpty else { return [] }
    return named.compactMap { column, words in
      guard isReference(column), !declared.contains(column.name.sqlName), let owner = owner(ofKey: words) else {
        return nil
      }
      let type =
        types.first { $0.1 == owner }
        ?? types.first { owner.last.map(anyRecord.contains) == true && $0.1 == owner.dropLast() }
      return type.map { Pair(key: column, type: $0.0) }
    }.filter { $0.key.name != $0.type.name }
  }

  /// `[to]` for `to_content_type_id`, `[item]` for `item_type`, and none for `class`; nil for any other name.
  private static func owner(ofType words: [String]) -> [String]? {
    var words = words
    if words.count > 1, let last = words.last, keyWords.contains(last) { words.removeLast() }
    guard let last = words.last, typeWords.contains(last) else { return nil }
    words.removeLast()
    return words.last == "content" ? words.dropLast() : words
  }

  /// `[to, object]` for `to_object_id`, and `[item]` for `item_id` and `itemid`; nil for any other name.
  private static func owner(ofKey words: [String]) -> [String]? {
    guard let last = words.last else { return nil }
    if words.count > 1 { return keyWords.contains(last) ? words.dropLast() : nil }
    return anyRecord.first { last == $0 + "id" }.map { [$0] }
  }

  /// The values of a column that name tables, with the positions of these.
  func targets(of pair: Pair, in child: Int) throws -> [(value: String, table: Int)] {
    let reference = tables[child].references.first { $0.columns.map(\.sqlName) == [pair.type.name.sqlName] }
    let found = try reference.map { try types(inTable: $0.table) } ?? names(in: pair.type, of: tables[child])
    return found.compactMap { value, name in
      table(named: name).flatMap { $0 == child ? nil : (value, $0) }
    }
  }

  /// The distinct values of a column, each as the name of a table.
  private func names(in column: DatabaseTable.Column, of table: DatabaseTable) throws -> [(String, String)] {
    let values = try connection.mapRows(
      """
      SELECT DISTINCT CAST(v AS TEXT) FROM (SELECT \(column.sql(of: "t")) AS v FROM \(table.quotedName) t \
      LIMIT \(Self.rowsRead)) WHERE typeof(v) = 'text' LIMIT \(Self.mostTypes + 1)
      """
    ) { $0.text(at: 0) }
    guard values.count <= Self.mostTypes else { return [] }
    return values.filter { $0.utf8.count <= 100 && !$0.contains { ",=".contains($0) } }.sorted().map { ($0, $0) }
  }

  /// The keys of a table of types, such as Django's content types, each with its texts as the name of a table. Its rows may
  /// be no records.
  private func types(inTable name: String) throws -> [(String, String)] {
    let columns = try connection.mapRows(
      "SELECT name, type, pk FROM pragma_table_info(?1)", [.text(name)]
    ) { (name: $0.text(at: 0), affinity: KeyColumn.affinity(ofType: $0.text(at: 1)), key: $0.integer(at: 2)) }
    let texts = columns.filter { $0.affinity == "TEXT" }
    let keys = columns.filter { $0.key > 0 }
    guard keys.count == 1, (1...4).contains(texts.count) else { return [] }
    let names = texts.map { "CAST(ifnull(\(quoted($0.name)), '') AS TEXT)" }.joined(separator: " || '_' || ")
    return try connection.mapRows(
      "SELECT CAST(\(quoted(keys[0].name)) AS TEXT), \(names) FROM main.\(quoted(name)) ORDER BY 1 "
        + "LIMIT \(Self.mostTypes * 8)"
    ) { ($0.text(at: 0), $0.text(at: 1)) }
  }

  /// The table that a value names: `Photo`, `photos` and `app.models.Photo` are `photo` or `photos`.
  private func table(named name: String) -> Int? {
    let whole = NameRoots(name).roots
    if let table = tablesByRoots[whole] { return table }
    let last = name.split { ".:\\/".contains($0) }.last.map { NameRoots(String($0)).roots } ?? []
    return last.isEmpty ? nil : tablesByRoots[last]
  }
}
