// SPDX-License-Identifier: MIT

internal import SQLite

/// The key of the rows of a table of an ordinary database.
enum RowKey {
  /// An integer column: the quoted name of the rowid, or of the only column of the primary key.
  case integer(String)
  /// The columns of a unique index. `KeyNumbers` gives each combination of their values a number.
  case columns([KeyColumn])
}

/// A column of a unique index.
struct KeyColumn: Equatable {
  let name: String
  /// The quoted name of the index's collation.
  let collation: String
  /// The affinity of the column, as a type name for `CREATE TABLE`.
  let affinity: String

  init(_ column: DatabaseTable.Column, collation: String) {
    name = column.name
    self.collation = collation
    affinity = Self.affinity(ofType: column.declaredType)
  }

  /// Whether the collation is built into SQLite, so that this program can compare keys too.
  var hasKnownCollation: Bool { KeyCollation(quoted: collation) != nil }

  /// Whether equal keys are equal values. An integer equals a real number, and a collation ignores case or spaces.
  var comparesExactly: Bool { KeyCollation(quoted: collation) == .binary && ["TEXT", "INTEGER"].contains(affinity) }

  /// Source: "Datatypes In SQLite", section 3.1.
  static func affinity(ofType declared: String) -> String {
    let type = declared.uppercased()
    if type.contains("INT") { return "INTEGER" }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "TEXT" }
    if type.isEmpty || type.contains("BLOB") || type == "ANY" { return "BLOB" }
    return ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? "REAL" : "NUMERIC"
  }
}

/// A collation that is built into SQLite.
enum KeyCollation: String {
  case binary = "BINARY"
  /// ASCII letters are compared without regard to case.
  case nocase = "NOCASE"
  /// Spaces at the end do not count.
  case rtrim = "RTRIM"

  /// nil for the collation of another program.
  init?(quoted name: String) { self.init(rawValue: name.dropFirst().dropLast().uppercased()) }

  /// Bytes that are equal for equal texts, and different for different ones.
  func canonical(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    switch self {
    case .binary: Array(text)
    case .nocase: text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    case .rtrim: Array(text.prefix(text.count - text.reversed().prefix { $0 == 0x20 }.count))
    }
  }
}

/// The virtual table with the numbers of keys, as SQL (`KeyNumbers`).
struct KeyNumberTable {
  let name: String
  let columns: [KeyColumn]

  /// A condition: the row `k` of the virtual table belongs to the row `alias`.
  func matches(_ alias: String, key k: String = "k") -> String {
    columns.enumerated().map { "\(k).k\($0) = \(alias).\(quoted($1.name)) COLLATE \($1.collation)" }
      .joined(separator: " AND ")
  }

  /// The number of the key whose values are these SQL expressions; NULL if one of them is.
  func number(of values: [String]) -> String { "\(name)_of(\(values.joined(separator: ", ")))" }
}
