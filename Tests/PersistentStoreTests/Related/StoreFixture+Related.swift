// SPDX-License-Identifier: MIT

import SQLite
import Testing

@testable import Store

extension Save {
  func entity(_ name: String) throws -> EntityLayout { try #require(store.layout.entity(named: name)) }

  func entity(of row: RowIdentifier) throws -> EntityLayout { try #require(store.layout.entity(number: row.entity)) }

  /// Inserts an object with attributes and relationships by name.
  @discardableResult
  func add(
    _ name: String, _ values: [String: Value] = [:], _ related: [String: [RowIdentifier]] = [:]
  ) throws -> RowIdentifier {
    let entity = try entity(name)
    let targets = try related.map { (try #require(entity.entity.relationship(named: $0.key)), $0.value) }
    return try insert(
      entity, entity.entity.attributes.map { values[$0.name] }, related: Dictionary(uniqueKeysWithValues: targets))
  }

  @discardableResult
  func set(_ row: RowIdentifier, _ relationship: String, _ targets: [RowIdentifier]) throws -> Bool {
    let entity = try entity(of: row)
    return try setTargets(
      entity, key: row.key, try #require(entity.entity.relationship(named: relationship)), targets)
  }

  @discardableResult
  func remove(_ row: RowIdentifier) throws -> Bool { try delete(try entity(of: row), key: row.key) }
}

extension StoreFixture {
  init(_ sketch: String) throws { try self.init(Sketch(sketch).model) }

  /// The identifier of a row by entity name and key.
  func row(_ entity: String, _ key: Int64) throws -> RowIdentifier {
    RowIdentifier(entity: try #require(store.layout.entity(named: entity)).number, key: key)
  }

  /// The objects of a relationship, as `Film/p1`.
  func targets(_ row: RowIdentifier, _ relationship: String) throws -> [String] {
    let entity = try #require(store.layout.entity(number: row.entity))
    let layout = entity.relationships[try #require(entity.entity.relationship(named: relationship))]
    return try store.targets(of: layout, from: row.key).map(short)
  }

  func short(_ row: RowIdentifier) -> String {
    "\(store.layout.entity(number: row.entity)?.entity.name ?? "?")/p\(row.key)"
  }

  /// The changes of the newest transaction as read from the file: kind, object and the bitmap's bytes.
  func newestChanges() throws -> [String] {
    try rows(
      """
      SELECT CASE ZCHANGETYPE WHEN 0 THEN 'insert' WHEN 1 THEN 'update' ELSE 'delete' END || ' ' || Z_NAME || '/p' ||
        ZENTITYPK || CASE WHEN ZCOLUMNS IS NULL THEN '' ELSE ' ' || hex(ZCOLUMNS) END
      FROM ACHANGE JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY
      WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
      ORDER BY ZCHANGETYPE, ZENTITY, ZENTITYPK
      """)
  }

  /// Inserts `count` objects of an entity in one save.
  @discardableResult
  func add(_ count: Int, _ entity: String) throws -> [RowIdentifier] {
    var rows: [RowIdentifier] = []
    try store.save { save in for _ in 0..<count { rows.append(try save.add(entity)) } }
    return rows
  }
}
