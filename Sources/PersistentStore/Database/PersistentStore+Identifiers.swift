// SPDX-License-Identifier: MIT

internal import SQLite

/// The identifiers that a person may be typing.
extension PersistentStore {
  /// The identifiers that begin with a text such as `book/2`, in the order of the table. The kind keeps its spelling.
  ///
  /// - Returns: At most `limit` identifiers; empty for a text without an entity and a slash.
  package func identifiers(beginning text: String, limit: Int) throws -> [String] {
    guard let (entity, written) = entity(namedIn: text) else { return [] }
    let found: [String] = try Self.translating(path) {
      guard let table = database?.sources[entity.entity.name]?.table else {
        guard written.isEmpty || written.hasPrefix("p") else { return [] }
        let rows = "\(entity.quotedTable) WHERE 1\(entity.entityCondition)"
        return try keys(["Z_PK"], rows, [String(written.dropFirst())], limit) { "p" + Self.text($0) }
      }
      let rows = "\(table.quotedName) t WHERE \(table.keyCondition ?? "1")"
      guard let columns = table.namingColumns, let names = rowNames[entity.number] else {
        return try keys([table.key], rows, [String(written)], limit, Self.text)
      }
      guard let values = KeyText.beginning(written), values.count <= columns.count else { return [] }
      return try keys(columns.map { "t." + quoted($0.name) }, rows, values, limit, names.text)
    }
    return found.filter { $0.hasPrefix(written) }.map { "\(text.dropLast(written.count))\($0)" }
  }

  /// The keys of rows in which all values but the last of `beginning` equal those of the key, and the last begins one.
  private func keys(
    _ columns: [String], _ rows: String, _ beginning: [String], _ limit: Int, _ text: ([Value]) -> String
  ) throws -> [String] {
    var conditions = ""
    for (index, column) in columns.prefix(beginning.count).enumerated() {
      let shown =
        "CASE typeof(\(column)) WHEN 'blob' THEN '0x' || lower(hex(\(column))) ELSE CAST(\(column) AS TEXT) END"
      let parameter = "?\(index + 1)"
      conditions +=
        index + 1 < beginning.count
        ? " AND \(shown) = \(parameter)" : " AND substr(\(shown), 1, length(\(parameter))) = \(parameter)"
    }
    let statement = try connection.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(rows)\(conditions) LIMIT \(limit)")
    defer { statement.reset() }
    for (index, value) in beginning.enumerated() { try statement.bind(.text(value), at: Int32(index) + 1) }
    var keys: [String] = []
    while try statement.step() {
      let values = columns.indices.map { statement.value(at: Int32($0)) }
      if !values.contains(where: \.isNull) { keys.append(text(values)) }
    }
    return keys
  }

  private static func text(_ key: [Value]) -> String { KeyText.text(key, affinities: ["INTEGER"]) }

  /// An identifier as an example: that of a row, if there is one.
  package var exampleIdentifier: String {
    let examples = layout.entities.lazy.compactMap {
      try? self.identifiers(beginning: $0.entity.name + "/", limit: 1).first
    }
    return examples.first ?? "Movie/p12"
  }
}
