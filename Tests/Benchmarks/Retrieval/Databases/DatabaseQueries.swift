// SPDX-License-Identifier: MIT

internal import Foundation
internal import SQLite
internal import TestSupport

/// Queries over an ordinary database whose answers follow from its rows and declared foreign keys.
struct DatabaseQueries {
  enum Kind: String, CaseIterable {
    /// What is shown for a record that is clearly named.
    case title
    /// A record's own name.
    case own
    /// Its name and that of what it refers to, in one step or two.
    case parent, grandparent
    /// The word for a table, and the name of what its rows refer to.
    case children
    /// The word for a table, and the name of what a third table links to its rows.
    case linked

    /// Whether the share of the wanted records counts, not the rank of the first one.
    var isSet: Bool { self == .children || self == .linked }
  }

  struct Query {
    let kind: Kind
    let text: String
    /// Tables and rows.
    let wanted: [(table: Int, row: Int)]
  }

  private static let eachTable = 2
  private static let mostOfKind = 6
  private static let mostWanted = 40

  let tables: [NamedTable]
  private(set) var queries: [Query] = []
  private var links: [Link] = []

  /// Which row of another table each row of a table refers to.
  private struct Link {
    let child: Int
    let parent: Int
    let rows: [Int: Int]
  }

  init(path: String, seed: Int) throws {
    let connection = try Connection(path: path, access: .readOnly)
    let names = try connection.mapRows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    ) { $0.text(at: 0) }
    tables = try names.map { try NamedTable($0, connection) }
    links = tables.indices.flatMap { child in tables[child].foreignKeys.compactMap { link($0, from: child) } }
    var random = SeededGenerator(seed: seed)
    var made = own(&random) + related(&random)
    made.shuffle(using: &random)
    queries = titles(&random)
    for kind in Kind.allCases { queries += made.filter { $0.kind == kind }.prefix(Self.mostOfKind) }
  }

  private func link(_ key: NamedTable.ForeignKey, from child: Int) -> Link? {
    guard let parent = tables.firstIndex(where: { $0.name.lowercased() == key.target.lowercased() }) else { return nil }
    let target = tables[parent]
    let keys =
      key.keys.isEmpty
      ? target.key
      : key.keys.compactMap { name in target.columns.firstIndex { $0.lowercased() == name.lowercased() } }
    guard keys.count == key.columns.count else { return nil }
    func values(_ row: [Value], _ columns: [Int]) -> [String]? {
      let texts = columns.compactMap { NamedTable.text(row[$0]) }
      return texts.count == columns.count ? texts : nil
    }
    var owners: [[String]: [Int]] = [:]
    for (row, content) in target.rows.enumerated() {
      if let found = values(content, keys) { owners[found, default: []].append(row) }
    }
    var rows: [Int: Int] = [:]
    for (row, content) in tables[child].rows.enumerated() {
      if let found = values(content, key.columns).flatMap({ owners[$0] }), found.count == 1 { rows[row] = found[0] }
    }
    return rows.isEmpty ? nil : Link(child: child, parent: parent, rows: rows)
  }

  // MARK: Kinds

  private func label(_ table: Int, _ row: Int) -> String? { tables[table].labels[row] }

  private func titles(_ random: inout SeededGenerator) -> [Query] {
    tables.indices.filter { tables[$0].isClearlyNamed }.flatMap { table in
      tables[table].labels.indices.filter { label(table, $0) != nil }.sample(3, &random)
        .map { Query(kind: .title, text: label(table, $0)!, wanted: [(table, $0)]) }
    }
  }

  private func own(_ random: inout SeededGenerator) -> [Query] {
    var byLabel: [String: [(table: Int, row: Int)]] = [:]
    for table in tables.indices {
      for (row, label) in tables[table].labels.enumerated() {
        if let label { byLabel[label, default: []].append((table, row)) }
      }
    }
    return tables.indices.flatMap { table in
      tables[table].labels.indices.filter { label(table, $0) != nil }.sample(Self.eachTable, &random)
        .map { Query(kind: .own, text: label(table, $0)!, wanted: byLabel[label(table, $0)!]!) }
    }
  }

  private func related(_ random: inout SeededGenerator) -> [Query] {
    var made: [Query] = []
    func add(_ kind: Kind, _ texts: [Int: String], of table: Int, count: Int) {
      let rows = Dictionary(grouping: texts.keys, by: { texts[$0]! })
      for text in rows.keys.sorted().filter({ rows[$0]!.count <= Self.mostWanted }).sample(count, &random) {
        made.append(Query(kind: kind, text: text, wanted: rows[text]!.map { (table, $0) }))
      }
    }
    for link in links where link.child != link.parent {
      let (child, parent) = (link.child, link.parent)
      func named(_ rows: [Int: Int], _ end: Int) -> [Int: String] {
        rows.reduce(into: [:]) { texts, pair in
          if let own = label(child, pair.key), let other = label(end, pair.value) {
            texts[pair.key] = own + " " + other
          }
        }
      }
      add(.parent, named(link.rows, parent), of: child, count: Self.eachTable)
      for next in links where next.child == parent && next.parent != parent && next.parent != child {
        add(.grandparent, named(link.rows.compactMapValues { next.rows[$0] }, next.parent), of: child, count: 1)
      }
      let isJoin = links.count { $0.child == child } >= 2 && !tables[child].isNamed
      guard isJoin else {
        let word = NamedTable.words(spaced(tables[child].name))
        add(
          .children, link.rows.compactMapValues { label(parent, $0).map { "\(word) \($0)" } }, of: child,
          count: Self.eachTable)
        continue
      }
      for other in links where other.child == child && other.parent != parent {
        var ends: [String: Set<Int>] = [:]
        for (row, end) in other.rows {
          if let text = link.rows[row].flatMap({ label(parent, $0) }) { ends[text, default: []].insert(end) }
        }
        let word = NamedTable.words(spaced(tables[other.parent].name))
        for text in ends.keys.sorted().filter({ ends[$0]!.count <= Self.mostWanted }).sample(Self.eachTable, &random) {
          made.append(Query(kind: .linked, text: "\(word) \(text)", wanted: ends[text]!.map { (other.parent, $0) }))
        }
      }
    }
    return made
  }

  /// With blanks before inner capitals.
  private func spaced(_ name: String) -> String {
    zip(" " + name, name).map { $0.isLowercase && $1.isUppercase ? " \($1)" : String($1) }.joined()
  }

  // MARK: Scores

  static let depth = 10

  /// The reciprocal rank of the first wanted record, or the share of the wanted ones among as many hits.
  func score(_ query: Query, _ hits: [String]) -> Double {
    let areWanted = hits.prefix(Self.depth).map { isWanted($0, of: query) }
    return query.kind.isSet
      ? Quality.share(areWanted, of: query.wanted.count, depth: Self.depth) : Quality.reciprocalRank(areWanted)
  }

  func isWanted(_ identifier: String, of query: Query) -> Bool {
    query.wanted.contains { tables[$0.table].isIdentifier(identifier, of: $0.row) }
  }
}

extension Array {
  /// Some different elements at random; all if there are fewer.
  fileprivate func sample(_ count: Int, _ random: inout SeededGenerator) -> [Element] {
    Array(shuffled(using: &random).prefix(count))
  }
}
