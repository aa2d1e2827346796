// SPDX-License-Identifier: MIT

/// A trigger of `followspot attach` as it is in a database. SQLite rewrites its text when a table or column is renamed, so
/// it has their present names.
struct LogTrigger {
  let name: String
  /// The table that it is on.
  let table: String
  let sql: String
  /// The number of its table in the log; nil for the trigger that keeps authors.
  let number: Int?

  /// nil for a trigger of another program.
  init?(name: String, table: String, sql: String) {
    (self.name, self.table, self.sql) = (name, table, sql)
    if name == Self.authors {
      number = nil
      guard Self.identifier(in: sql, between: "INSERT INTO ", "(name) SELECT NEW.author") != nil else { return nil }
    } else {
      let rest = name.dropFirst(Self.prefix.count)
      let digits = rest.prefix { ("0"..."9").contains($0) }
      guard name.hasPrefix(Self.prefix), let number = Int(digits),
        Self.kinds.contains(String(rest.dropFirst(digits.count + 1))),
        Self.identifier(in: sql, between: Self.insert, Self.columns) != nil
      else { return nil }
      self.number = number
    }
  }

  /// The ends of the names of a table's triggers.
  private static let kinds: Set<String> = [
    "insert_conflict", "update_conflict", "insert", "delete", "update", "update_key",
  ]
  static let authors = "followspot_writer_author"
  private static let prefix = "followspot_"
  private static let insert = "INSERT INTO "
  private static let columns = "(tableNumber, rowKey"

  /// The tables of the log by their present names.
  var tables: [LogTables.Table: String] {
    guard number != nil else {
      let author = Self.identifier(in: sql, between: Self.insert, "(name) SELECT NEW.author")
      return author.map { [.writer: table, .author: $0] } ?? [.writer: table]
    }
    var tables: [LogTables.Table: String] = [:]
    tables[.change] = Self.identifier(in: sql, between: Self.insert, Self.columns)
    tables[.writer] = Self.identifier(in: sql, between: "(SELECT a.id FROM ", "w JOIN")
    tables[.author] = Self.identifier(in: sql, between: " w JOIN ", "a ON a.name")
    return tables
  }

  /// The columns of the key and those whose values are preserved, of a trigger on deletions; nil for another one. The key
  /// is empty if it is an integer.
  var columns: (key: [String], preserved: [String])? {
    guard let number, name == "\(Self.prefix)\(number)_delete",
      let start = sql.firstRange(of: "\(number), 0, ") ?? sql.firstRange(of: "\(number), "),
      let author = sql.firstRange(of: "w.author IS NOT NULL)")
    else { return nil }
    let hasColumns = sql[start].hasSuffix(" 0, ")
    return (hasColumns ? Self.names(sql[start.upperBound...]) : [], Self.names(sql[author.upperBound...].dropFirst(2)))
  }

  /// The names in a text such as `OLD."a", OLD."b"`.
  private static func names(_ text: Substring) -> [String] {
    var (rest, names) = (text, [String]())
    while rest.hasPrefix("OLD."), let name = identifier(rest.dropFirst(4)) {
      names.append(name.name)
      rest = name.rest.hasPrefix(", ") ? name.rest.dropFirst(2) : ""
    }
    return names
  }

  /// The identifier between two parts of a statement.
  private static func identifier(in sql: String, between before: String, _ after: String) -> String? {
    guard let start = sql.firstRange(of: before), let found = identifier(sql[start.upperBound...]),
      found.rest.drop(while: { $0 == " " }).hasPrefix(after)
    else { return nil }
    return found.name
  }

  /// The identifier at the beginning of a text, and what follows it.
  private static func identifier(_ text: Substring) -> (name: String, rest: Substring)? {
    guard text.first == "\"" else {
      let name = text.prefix { $0 != " " && $0 != "," && $0 != "(" && $0 != ")" && $0 != ";" }
      return name.isEmpty ? nil : (String(name), text.dropFirst(name.count))
    }
    var (name, rest) = ("", text.dropFirst())
    while let quote = rest.firstIndex(of: "\"") {
      name += rest[..<quote]
      rest = rest[quote...].dropFirst()
      guard rest.first == "\"" else { return (name, rest) }
      name += "\""
      rest = rest.dropFirst()
    }
    return nil
  }
}
