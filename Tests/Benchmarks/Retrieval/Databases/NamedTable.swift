// SPDX-License-Identifier: MIT

internal import Foundation
internal import SQLite

/// A table of an ordinary database, with its rows and the names that a person would give them.
struct NamedTable {
  struct ForeignKey: Hashable {
    /// Positions of the columns that refer.
    let columns: [Int]
    let target: String
    /// The names of the columns of the target; empty if these are its key.
    let keys: [String]
  }

  /// Maximum number of rows that are read.
  private static let mostRows = 20_000

  let name: String
  let columns: [String]
  /// Positions of the columns of the primary key.
  let key: [Int]
  let foreignKeys: [ForeignKey]
  let rows: [[Value]]
  /// The forms in which an answer may name each row.
  private let identifiers: [Set<String>]
  /// What a person would call each row; nil if that is not clear.
  let labels: [String?]
  /// Whether no other column could name the rows: both names of a person, or the only column called a name or a title.
  let isClearlyNamed: Bool

  init(_ name: String, _ connection: Connection) throws {
    self.name = name
    let table = try connection.mapRows("SELECT name, pk FROM pragma_table_info(?1)", [.text(name)]) {
      (name: $0.text(at: 0), key: $0.integer(at: 1))
    }
    let columns = table.map(\.name)
    self.columns = columns
    key = table.indices.filter { table[$0].key > 0 }.sorted { table[$0].key < table[$1].key }
    let references = try connection.mapRows(
      "SELECT id, \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?1) ORDER BY id, seq", [.text(name)]
    ) { ($0.integer(at: 0), $0.text(at: 1), $0.text(at: 2), $0.isNull(at: 3) ? nil : $0.text(at: 3)) }
    foreignKeys = Dictionary(grouping: references, by: \.0).sorted { $0.key < $1.key }.compactMap { _, parts in
      let positions = parts.compactMap { part in columns.firstIndex { $0.lowercased() == part.1.lowercased() } }
      guard positions.count == parts.count else { return nil }
      return ForeignKey(columns: positions, target: parts[0].2, keys: parts.compactMap(\.3))
    }
    let hasRowid = try connection.hasRow("SELECT 1 FROM pragma_table_list WHERE name = ?1 AND wr = 0", [.text(name)])
    let read = try connection.mapRows(
      "SELECT \(hasRowid ? "rowid" : "NULL"), * FROM \(quoted(name)) LIMIT \(Self.mostRows)"
    ) { $0.values(columns.count + 1) }
    rows = read.map { Array($0.dropFirst()) }
    let keyColumns = key
    identifiers = read.map { row in
      var forms: Set<String> = []
      if case .integer(let rowid) = row[0] {
        forms = keyColumns.isEmpty ? ["\(name)/p\(rowid)", "\(name)/\(rowid)"] : ["\(name)/p\(rowid)"]
      }
      let texts = keyColumns.map { Self.text(row[$0 + 1]) ?? "" }
      if !texts.isEmpty { forms.insert("\(name)/\(texts.joined(separator: ":"))") }
      return forms
    }
    let referring = Set(foreignKeys.flatMap(\.columns))
    let naming = Naming(columns: columns, rows: rows, without: referring)
    labels = rows.map { row in
      let label = Self.words(naming.columns.compactMap { Self.text(row[$0]) }.joined(separator: " "))
      let hasWord = label.split(separator: " ").contains { $0.filter(\.isLetter).count >= 3 }
      return hasWord && label.split(separator: " ").count <= 8 ? label : nil
    }
    isClearlyNamed = naming.isClear
  }

  /// One form of the identifier of a row.
  func identifier(of row: Int) -> String { identifiers[row].min() ?? name }

  var isNamed: Bool { labels.contains { $0 != nil } }

  /// Whether an answer's identifier is that of a row.
  func isIdentifier(_ identifier: String, of row: Int) -> Bool {
    identifiers[row].contains(identifier.removingPercentEncoding ?? identifier)
  }

  static func text(_ value: Value) -> String? {
    switch value {
    case .text(let text): text
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .null, .blob: nil
    }
  }

  /// Lower-case words with single blanks between them, without punctuation.
  static func words(_ text: String) -> String {
    text.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "'") }.joined(separator: " ")
  }
}

/// Which columns name the rows of a table.
private struct Naming {
  private(set) var columns: [Int] = []
  private(set) var isClear = false

  private static let persons = [
    ["first_name", "last_name"], ["firstname", "lastname"], ["fname", "lname"], ["vorname", "nachname"],
  ]
  private static let names = ["name", "title", "titel"]
  private static let others = [
    "code", "type", "typ", "address", "adress", "mail", "phone", "telefon", "url", "password", "passwort", "date",
    "datum", "details", "description", "beschreibung", "status", "gender", "geschlecht",
  ]

  init(columns all: [String], rows: [[Value]], without referring: Set<Int>) {
    let lower = all.map { $0.lowercased() }
    for pair in Self.persons {
      let found = pair.compactMap(lower.firstIndex)
      if found.count == 2 {
        (columns, isClear) = (found, true)
        return
      }
    }
    var best = (score: 0.0, column: -1)
    var called: [Int] = []
    for column in lower.indices where !referring.contains(column) {
      let texts = rows.compactMap { row in if case .text(let text) = row[column], !text.isEmpty { text } else { nil } }
        .filter { $0.filter(\.isLetter).count >= 3 }
      guard !texts.isEmpty, texts.count * 10 >= rows.count * 6 else { continue }
      let length = Double(texts.reduce(0) { $0 + $1.count }) / Double(texts.count)
      let distinct = Double(Set(texts).count) / Double(texts.count)
      guard (3...60).contains(length), distinct >= 0.5 else { continue }
      let isName = Self.names.contains(where: lower[column].hasSuffix)
      if isName, distinct >= 0.7 { called.append(column) }
      let isOther = Self.others.contains(where: lower[column].contains)
      let score = distinct + (isName ? 2 : 0) - (isOther ? 1.5 : 0)
      if score > best.score { best = (score, column) }
    }
    if best.column >= 0 { (columns, isClear) = ([best.column], called == [best.column]) }
  }
}
