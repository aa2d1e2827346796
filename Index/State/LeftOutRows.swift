// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import Store

/// The rows of a store that are not in its index, or only in part. The index keeps what the last pass has counted.
package struct LeftOutRows: Codable, Equatable, Sendable {
  package enum Cause: String, Codable, CaseIterable, Sendable {
    /// No key identifies the row.
    case noKey
    /// The index definition does not have the kind of the row.
    case noDefinition
    /// The row only joins others.
    case joins
    /// The database was attached without the table of the row.
    case notAttached
    /// The table of the row cannot be searched.
    case notSearchable
    /// Xapian rejected the document of the row.
    case rejected

    /// Whether the user decides about it.
    package var isChosen: Bool { [.noDefinition, .joins, .notAttached].contains(self) }
  }

  /// The rows of one entity, or of one table, that are left out for one cause.
  package struct Group: Codable, Equatable, Sendable {
    package let cause: Cause
    /// The name of the entity or table.
    package let name: String
    package let rows: Int
    /// A clause without a full stop.
    let reason: String

    /// Without a full stop.
    package var sentence: String { LeftOutRows.sentence(rows, of: name, reason) }
  }

  /// Without the rejected rows.
  package private(set) var groups: [Group] = []
  /// The number of rows whose documents Xapian rejected.
  package var rejected = 0
  /// The number of documents that lack some words of their rows.
  package var truncated = 0

  package init() {}

  // MARK: Text

  /// The numbers as JSON without spaces; `-` if no row is left out.
  package var word: String {
    guard self != LeftOutRows(), let json = try? JSONEncoder().encode(self) else { return "-" }
    // The encoder writes spaces only inside of strings.
    return String(decoding: json, as: UTF8.self).replacing(" ", with: "\\u0020")
  }

  /// nil if it cannot be read.
  package init?(word: String) {
    guard word != "-" else { return }
    guard let rows = try? JSONDecoder().decode(LeftOutRows.self, from: Data(word.utf8)) else { return nil }
    self = rows
  }

  /// Counts the rows. Call it inside a snapshot.
  ///
  /// - Parameters:
  ///   - known: What was counted before. Its numbers stay for tables that are not entities, and for entities that no later
  ///     transaction changed, because counting them takes time.
  ///   - token: The transaction before which `known` was counted.
  package init(
    of store: PersistentStore, _ mapper: DocumentMapper, since known: LeftOutRows? = nil, after token: Int64 = 0
  ) throws {
    func add(_ cause: Cause, _ name: String, _ rows: Int, _ reason: String) {
      if rows > 0 { groups.append(Group(cause: cause, name: name, rows: rows, reason: reason)) }
    }
    lazy var shape = store.layout.shape
    for entity in store.layout.entities {
      let name = entity.entity.name
      if let unkeyed = try Database.of(store)?.unkeyedRows(of: entity) {
        add(.noKey, name, unkeyed.count, "such rows have no usable key (\(unkeyed.statement))")
      }
      guard mapper.plan(ofEntity: entity.number) == nil else { continue }
      // The history of another program may not record each entity.
      let isCounted =
        try known != nil && (store.isOwn || store.tracking == .attached)
        && !store.hasChanges(of: entity, after: token)
      let rows =
        try isCounted
        ? known?.groups.first { [.noDefinition, .joins].contains($0.cause) && $0.name == name }?.rows ?? 0
        : store.count(of: entity)
      if shape[name]?.isJoin == true {
        add(.joins, name, rows, "they only join records, which have the titles of each other")
      } else {
        add(.noDefinition, name, rows, "the index definition does not have this kind")
      }
    }
    if let known {
      groups += known.groups.filter { [.notAttached, .notSearchable].contains($0.cause) }
    } else {
      for table in try Database.of(store)?.unreadTables() ?? [] {
        add(table.isChosen ? .notAttached : .notSearchable, table.name, table.rows, table.reason)
      }
    }
  }

  /// The same groups with the numbers of failed rows of another count.
  func withFailed(of other: LeftOutRows) -> LeftOutRows {
    var rows = self
    (rows.rejected, rows.truncated) = (other.rejected, other.truncated)
    return rows
  }

  static func + (one: LeftOutRows, other: LeftOutRows) -> LeftOutRows {
    var sum = one
    sum.groups += other.groups
    sum.rejected += other.rejected
    sum.truncated += other.truncated
    return sum
  }

  // MARK: Reading

  /// The number of rows without a document.
  package var total: Int { Cause.allCases.reduce(0) { $0 + rows($1) } }
  /// The number of rows that are truncated or rejected.
  package var failed: Int { rejected + truncated }
  /// The number of rows without a document for reasons that the user did not choose.
  package var lost: Int { Cause.allCases.reduce(0) { $0 + ($1.isChosen ? 0 : rows($1)) } }

  package func rows(_ cause: Cause) -> Int {
    cause == .rejected ? rejected : groups.reduce(0) { $0 + ($1.cause == cause ? $1.rows : 0) }
  }

  /// Sentences without full stops about rows that are not in the index.
  ///
  /// - Parameter includesChosen: Whether the rows are included that the user left out.
  package func sentences(includesChosen: Bool = true) -> [String] {
    sentencesOfGroups(includesChosen: includesChosen)
      + (rejected > 0
        ? [Self.sentence(rejected, of: nil, "Xapian rejected \(rejected == 1 ? "its document" : "their documents")")]
        : [])
  }

  /// Maximum number of tables that only join records which a sentence names.
  private static let mostNamed = 3

  /// The same without the rejected rows: one sentence for all tables that only join records.
  package func sentencesOfGroups(includesChosen: Bool = true) -> [String] {
    let shown = groups.filter { includesChosen || !$0.cause.isChosen }
    let joins = shown.filter { $0.cause == .joins }
    let others = shown.filter { $0.cause != .joins }.map(\.sentence)
    guard joins.count > 1 else { return others + joins.map(\.sentence) }
    let named = joins.prefix(Self.mostNamed).map(\.name)
    let rest = joins.count - named.count
    let names = rest > 0 ? named + ["\(rest) more"] : named
    return others + [Self.sentence(joins.reduce(0) { $0 + $1.rows }, of: names.listed, joins[0].reason)]
  }

  private static func sentence(_ rows: Int, of name: String?, _ reason: String) -> String {
    let who = (rows == 1 ? "1 row" : "\(rows) rows") + (name.map { " of \($0)" } ?? "")
    return "\(who) \(rows == 1 ? "is" : "are") left out of the index: \(reason)"
  }
}
