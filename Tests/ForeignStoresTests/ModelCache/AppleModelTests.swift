// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// The models of stores that Apple's software created, compared with their tables.
@Suite(
  .temporaryDirectory,
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"))
struct AppleModelTests {
  /// The columns of a table according to the layout, in capitals.
  private static func columns(_ entity: EntityLayout, in layout: StoreLayout) -> Set<String> {
    var columns: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    columns.formUnion(entity.columnNames)
    for relationship in entity.relationships {
      guard case .reference(let key, let target, let order) = relationship.storage else { continue }
      columns.formUnion([key, target, order].compactMap { $0 })
    }
    for relationship in layout.entities.flatMap(\.relationships)
    where relationship.isHidden && entity.lineage.contains(relationship.destination) {
      guard case .inverseReference(let key, let target, let order, _) = relationship.storage else { continue }
      columns.formUnion([key, target, order].compactMap { $0 })
    }
    return Set(columns.map { unquoted($0).uppercased() })
  }

  private func fixture(_ real: AppleStore) throws -> (StoredModel, Connection) {
    let (path, _) = try real.copy()
    let connection = try Connection(path: path, access: .readOnly)
    return try (AppleModel.read(connection, versionIdentifiers: [], for: .texts), connection)
  }

  @Test(arguments: AppleStore.all)
  func `the model describes every column of the file, and nothing is omitted`(_ real: AppleStore) throws {
    let (found, connection) = try fixture(real)
    #expect(!found.isOwn)
    #expect(found.remarks == [])
    let tables = try FileTables(connection)
    var explained: [String: Set<String>] = [:]
    for entity in found.layout.entities {
      explained[entity.tableName, default: []].formUnion(Self.columns(entity, in: found.layout))
      for case .joinTable(let table, let own, let other, let order, _) in entity.relationships.map(\.storage) {
        explained[unquoted(table), default: []].formUnion(
          [own, other, order].compactMap { $0 }.map(unquoted))
      }
    }
    let own: Set<String> = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"]
    let actual = tables.columns.filter {
      // R-trees of Photos are indexes that consist of tables.
      $0.key.hasPrefix("Z") && !$0.key.hasPrefix("Z_RT_") && !own.contains($0.key)
    }
    .mapValues { Set($0.map { $0.name.uppercased() }) }
    #expect(Set(actual.keys) == Set(explained.keys))
    for (table, columns) in explained { #expect(actual[table] == columns, "\(table)") }
    let numbers = Dictionary(uniqueKeysWithValues: found.layout.entities.map { ($0.entity.name, $0.number) })
    #expect(numbers == tables.numbers)
  }

  @Test(arguments: AppleStore.all)
  func `attributes have the types of their columns`(_ real: AppleStore) throws {
    let (found, connection) = try fixture(real)
    let tables = try FileTables(connection)
    for entity in found.layout.entities {
      for (attribute, name) in zip(entity.entity.attributes, entity.columnNames) {
        let column = tables.columns[entity.tableName]?.first { $0.name.uppercased() == name.uppercased() }
        #expect(column?.declaredType == attribute.type.columnType, "\(entity.entity.name).\(attribute.name)")
      }
    }
  }

  /// In a shared table, Core Data leaves columns of other entities NULL, so this test detects wrong names.
  @Test(arguments: AppleStore.all)
  func `rows have values only in columns of their own entity`(_ real: AppleStore) throws {
    let (found, connection) = try fixture(real)
    let tables = try FileTables(connection)
    var checked = 0
    for entity in found.layout.entities where !entity.isAloneInTable {
      let own = Self.columns(entity, in: found.layout)
      for column in tables.columns[entity.tableName] ?? [] where !own.contains(column.name.uppercased()) {
        let filled = try connection.integer(
          """
          SELECT COUNT(*) FROM \(entity.quotedTable)
          WHERE Z_ENT = \(entity.number) AND \(quoted(column.name)) IS NOT NULL
          """)
        #expect(filled == 0, "\(entity.entity.name) \(column.name)")
        checked += 1
      }
    }
    #expect(checked > 0 || found.layout.entities.allSatisfy(\.isAloneInTable))
  }

  @Test(arguments: AppleStore.all)
  func `keys refer to rows of the destination entity of the model`(_ real: AppleStore) throws {
    let (found, connection) = try fixture(real)
    for entity in found.layout.entities {
      for relationship in entity.relationships {
        guard let end = found.layout.entity(number: relationship.destination) else { continue }
        let family = found.layout.entities.filter { end.includes($0) }.map { String($0.number) }
        func checkTargets(of rows: String) throws {
          let wrong = try connection.integer(
            """
            SELECT COUNT(*) FROM (\(rows)) r LEFT JOIN \(end.quotedTable) t ON t.Z_PK = r.k
            WHERE t.Z_PK IS NOT NULL
            AND (t.Z_ENT NOT IN (\(family.joined(separator: ","))) OR (r.e IS NOT NULL AND r.e <> t.Z_ENT))
            """)
          #expect(wrong == 0, "\(entity.entity.name).\(relationship.name)")
        }
        switch relationship.storage {
        case .reference(let key, let target, _):
          let rows = """
            SELECT \(key) k, \(target ?? "NULL") e FROM \(entity.quotedTable)
            WHERE \(key) IS NOT NULL AND Z_ENT = \(entity.number)
            """
          try checkTargets(of: rows)
        case .joinTable(let table, _, let other, _, _): try checkTargets(of: "SELECT \(other) k, NULL e FROM \(table)")
        case .inverseReference: break
        }
      }
    }
  }

  @Test(arguments: AppleStore.withHistory)
  func `change bitmaps have the length that follows from the model`(_ real: AppleStore) throws {
    let (found, connection) = try fixture(real)
    let updates = try connection.cursor(
      "SELECT ZENTITY, length(ZCOLUMNS), COUNT(*) FROM ACHANGE WHERE ZCHANGETYPE = 1 GROUP BY 1, 2")
    while try updates.step() {
      let entity = try #require(found.layout.entity(number: Int(updates.integer(at: 0))))
      #expect(entity.bitmapLength == Int(updates.integer(at: 1)), "\(entity.entity.name)")
    }
    let columns = try connection.integer(
      "SELECT COUNT(*) FROM pragma_table_info('ACHANGE') WHERE name GLOB 'ZTOMBSTONE*'")
    #expect(columns == Int64(found.layout.tombstoneColumns))
  }
}
