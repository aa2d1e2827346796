// SPDX-License-Identifier: MIT

internal import SQLite
internal import Synchronization

/// A chain of relationships that starts at an entity, such as `cast.person`.
package struct RelationshipPath: Sendable {
  package let start: EntityLayout
  package let hops: [RelationshipLayout]
  /// The destination entity of the last relationship.
  package let end: EntityLayout
  private let texts = StatementTexts()

  /// The texts of its statements. A build runs one for each row, and would make the same text again.
  private final class StatementTexts: Sendable {
    typealias Text = (attributes: [Int], tables: [String?], sql: String)
    let known = Mutex<[Text]>([])
  }

  /// The statement that reads the chains of objects from one object.
  ///
  /// - Parameter tables: Of `ReferenceIndexes`, for each relationship of the path.
  fileprivate func statement(_ attributes: [Int], _ tables: [String?]) -> String {
    texts.known.withLock { known in
      if let text = known.first(where: { $0.attributes == attributes && $0.tables == tables }) { return text.sql }
      let sql = PersistentStore.relatedSQL(self, attributes, tables)
      known.append((attributes, tables, sql))
      return sql
    }
  }

  package init(start: EntityLayout, hops: [RelationshipLayout], end: EntityLayout) {
    precondition(!hops.isEmpty, "a path has at least one relationship")
    self.start = start
    self.hops = hops
    self.end = end
  }

  /// The path that follows relationships by name; nil if one of them does not exist.
  package init?(_ names: [String], from start: EntityLayout, in layout: StoreLayout) {
    var (hops, end): ([RelationshipLayout], EntityLayout) = ([], start)
    for name in names {
      guard let index = end.entity.relationship(named: name),
        let next = layout.entity(number: end.relationships[index].destination)
      else { return nil }
      hops.append(end.relationships[index])
      end = next
    }
    guard !hops.isEmpty else { return nil }
    self.init(start: start, hops: hops, end: end)
  }

  package var names: [String] { hops.map(\.name) }
  package var isToMany: Bool { hops.contains { $0.description.isToMany } }
}

/// The objects along one path, at the current row of a cursor.
package struct RelatedRow {
  private let statement: Statement
  private let hops: Int

  init(statement: Statement, hops: Int) {
    self.statement = statement
    self.hops = hops
  }

  /// The object after the `hop`th relationship, from 0; nil if the chain ends earlier.
  package func object(_ hop: Int) -> RowIdentifier? {
    guard !statement.isNull(at: Int32(hop * 2)) else { return nil }
    return RowIdentifier(
      entity: Int(statement.integer(at: Int32(hop * 2 + 1))), key: statement.integer(at: Int32(hop * 2)))
  }

  /// The requested attributes as a row; nil if the chain ends earlier.
  package var end: Row? {
    object(hops - 1).map { Row(statement: statement, key: $0.key, firstColumn: Int32(hops * 2)) }
  }
}

extension PersistentStore {
  /// Calls `body` for every chain of objects along `path` from one object, in the order of the relationships. Unordered
  /// relationships are in key order. An incomplete chain is given up to its last object.
  ///
  /// - Parameters:
  ///   - attributes: Attributes of the path's last entity, in the order of the row's columns.
  ///   - limit: The maximum number of chains; nil for all.
  package func eachRelated(
    along path: RelationshipPath, from key: Int64, attributes: [Int], limit: Int? = nil,
    _ body: (RelatedRow) throws -> Void
  ) throws {
    try Self.translating(self.path) {
      let tables = try path.hops.map { try referenceIndexes?.table(of: $0) }
      try connection.eachRow(path.statement(attributes, tables), [.integer(key), .integer(Int64(limit ?? -1))]) {
        let row = RelatedRow(statement: $0, hops: path.hops.count)
        if row.object(0) != nil { try body(row) }
      }
    }
  }

  fileprivate static func relatedSQL(_ path: RelationshipPath, _ attributes: [Int], _ tables: [String?]) -> String {
    var columns: [String] = []
    var joins: [String] = []
    var order: [String] = []
    for (index, hop) in path.hops.enumerated() {
      columns += ["t\(index + 1).Z_PK", "t\(index + 1).Z_ENT"]
      joins.append(hop.join(from: "t\(index)", as: "t\(index + 1)", references: tables[index]))
      order += hop.order(of: "t\(index + 1)")
    }
    columns += attributes.map { "t\(path.hops.count).\(path.end.quotedColumn($0))" }
    let ordered = order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", ")
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(path.start.quotedTable) t0 \(joins.joined(separator: " ")) \
      WHERE t0.Z_PK = ?1\(ordered) LIMIT ?2
      """
  }

  /// Calls `body` with the objects from which the first `hop + 1` relationships of `path` reach one of these keys. An
  /// object may occur repeatedly, and may belong to a subentity of the path's first entity. The objects with these keys
  /// may be deleted, because to-one relationships without an inverse still refer to them.
  package func eachOwner(
    along path: RelationshipPath, of keys: [Int64], afterHop hop: Int, _ body: (RowIdentifier) throws -> Void
  ) throws {
    try Self.translating(self.path) {
      // One statement for many keys: a foreign key without an index then costs one scan, not one per key.
      let list = "[" + keys.map(String.init).joined(separator: ",") + "]"
      try connection.eachRow(Self.ownersSQL(path, hop), [.text(list)]) {
        try body(RowIdentifier(entity: Int($0.integer(at: 1)), key: $0.integer(at: 0)))
      }
    }
  }

  private static func ownersSQL(_ path: RelationshipPath, _ hop: Int) -> String {
    let (tables, condition) = path.hops[hop].owners(as: "t\(hop)")
    let joins = (0..<hop).reversed().map { " " + path.hops[$0].joinOwners(from: "t\($0 + 1)", as: "t\($0)") }
    return "SELECT t0.Z_PK, t0.Z_ENT FROM \(tables)\(joins.joined()) WHERE \(condition)"
  }

  /// The related objects of a relationship, in its order.
  package func targets(of relationship: RelationshipLayout, from key: Int64) throws -> [RowIdentifier] {
    guard let start = layout.entity(number: relationship.owner),
      let end = layout.entity(number: relationship.destination)
    else { return [] }
    var found: [RowIdentifier] = []
    try eachRelated(along: RelationshipPath(start: start, hops: [relationship], end: end), from: key, attributes: []) {
      if let object = $0.object(0) { found.append(object) }
    }
    return found
  }
}
