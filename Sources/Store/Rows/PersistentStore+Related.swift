// SPDX-License-Identifier: MIT

internal import SQLite
internal import Synchronization

/// A chain of relationships that starts at an entity, such as `cast.person`.
package struct RelationshipPath: Sendable {
  package let start: EntityLayout
  package let hops: [RelationshipLayout]
  /// The destination entity of the last relationship.
  package let end: EntityLayout
  /// The relationships that one statement follows together. SQLite would read the whole of a view that joins tables for
  /// each row of a LEFT JOIN, so a statement begins with such a view.
  fileprivate let parts: [Range<Int>]
  private let texts = StatementTexts()

  /// The texts of its statements. A build runs them for each row, and would make the same texts again.
  private final class StatementTexts: Sendable {
    typealias Text = (part: Range<Int>, attributes: [Int], copies: [Int?], sql: String)
    let known = Mutex<[Text]>([])
  }

  init(start: EntityLayout, hops: [RelationshipLayout], end: EntityLayout) {
    precondition(!hops.isEmpty, "a path has at least one relationship")
    self.start = start
    self.hops = hops
    self.end = end
    let starts = hops.indices.filter { $0 == 0 || hops[$0].destinationIsJoined }
    parts = zip(starts, starts.dropFirst() + [hops.count]).map { $0..<$1 }
  }

  /// The statement that reads the chains of objects along a part, at most `?2`, from the object `?1`.
  ///
  /// - Parameters:
  ///   - attributes: Of the path's last entity, if the part contains it.
  ///   - copies: The numbers of copied references (`ReferenceIndexes`), for each relationship of the path.
  fileprivate func statement(_ part: Range<Int>, _ attributes: [Int], _ copies: [Int?]) -> String {
    texts.known.withLock { known in
      if let text = known.first(where: { $0.part == part && $0.attributes == attributes && $0.copies == copies }) {
        return text.sql
      }
      let sql = sql(part, attributes, copies)
      known.append((part, attributes, copies, sql))
      return sql
    }
  }

  private func sql(_ part: Range<Int>, _ attributes: [Int], _ copies: [Int?]) -> String {
    let start = "t\(part.lowerBound)"
    var columns: [String] = []
    var joins: [String] = []
    var order: [String] = []
    for hop in part {
      let alias = "t\(hop + 1)"
      columns += [alias + ".Z_PK", alias + ".Z_ENT"]
      joins.append(
        hops[hop].join(
          from: "t\(hop)", as: alias, copy: copies[hop], isOptional: hop > part.lowerBound))
      order += hops[hop].order(of: alias)
    }
    if part.upperBound == hops.count { columns += attributes.map { "t\(hops.count).\(end.quotedColumn($0))" } }
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(hops[part.lowerBound].ownerTable) \(start) \
      \(joins.joined(separator: " ")) WHERE \(start).Z_PK = ?1\
      \(order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", ")) LIMIT ?2
      """
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
  /// The objects before those of the row.
  private let before: [RowIdentifier]
  /// Its columns are the keys and entity numbers of further objects, then the requested attributes. nil if the chain ends
  /// before them.
  private let row: Statement?
  private let hops: Int

  init(_ before: [RowIdentifier], _ row: Statement?, hops: Int) {
    self.before = before
    self.row = row
    self.hops = hops
  }

  /// The object after the `hop`th relationship, from 0; nil if the chain ends earlier.
  package func object(_ hop: Int) -> RowIdentifier? {
    guard hop >= before.count else { return before[hop] }
    let column = Int32(hop - before.count) * 2
    guard let row, !row.isNull(at: column) else { return nil }
    return RowIdentifier(entity: Int(row.integer(at: column + 1)), key: row.integer(at: column))
  }

  /// The requested attributes as a row; nil if the chain ends earlier.
  package var end: Row? {
    guard let row, let object = object(hops - 1) else { return nil }
    return Row(statement: row, key: object.key, firstColumn: Int32(hops - before.count) * 2)
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
    var left = limit ?? Int.max
    try Self.translating(self.path) {
      let copies = try path.hops.map { try referenceIndexes?.copy(of: $0) }
      try eachRelated(along: path, path.parts[...], after: [], from: key, attributes, copies, &left, body)
    }
  }

  /// - Parameter before: The objects that lead to this one.
  private func eachRelated(
    along path: RelationshipPath, _ parts: ArraySlice<Range<Int>>, after before: [RowIdentifier], from key: Int64,
    _ attributes: [Int], _ copies: [Int?], _ left: inout Int, _ body: (RelatedRow) throws -> Void
  ) throws {
    let hops = path.hops.count
    func end() throws {
      left -= 1
      try body(RelatedRow(before, nil, hops: hops))
    }
    guard let part = parts.first else { return try end() }
    let sql = path.statement(part, attributes, copies)
    let parameters = [Value.integer(key), .integer(Int64(left))]
    let all = left
    if part.upperBound == hops {
      try connection.eachRow(sql, parameters) {
        left -= 1
        try body(RelatedRow(before, $0, hops: hops))
      }
    } else {
      let chains = try connection.mapRows(sql, parameters) { row in
        let found = RelatedRow(before, row, hops: hops)
        return (0..<part.upperBound).compactMap(found.object)
      }
      for chain in chains where left > 0 {
        let next = chain.count == part.upperBound ? parts.dropFirst() : []
        let last = chain[chain.count - 1].key
        try eachRelated(along: path, next, after: chain, from: last, attributes, copies, &left, body)
      }
    }
    if left == all, !before.isEmpty { try end() }
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
