// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Compares names and bits with stores of Apple's software. The tests report it if FOLLOWSPOT_DATA is not set.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping, .temporaryDirectory)
struct RealStoreTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let file: String
    let text: String
    /// Entities that are not described completely.
    var skipped: Set<String> = []

    var testDescription: String { file }
  }

  static let cases = [
    Case(file: "RMAdminStore-Local.sqlite", text: RealModels.screenTime),
    Case(file: "knowledgec-10.13.db", text: RealModels.knowledge, skipped: ["ZSTRUCTUREDMETADATA"]),
  ]

  /// A store of the same model, and the real store.
  private func fixture(_ real: Case) throws -> (StoreFixture, Sketch, Connection) {
    let data = try #require(Shell.dataDirectory)
    let sketch = Sketch(real.text)
    let bench = try StoreFixture(sketch.model)
    let copy = bench.directory.file("real.store")
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: data + "/stores/" + real.file + suffix) {
      try FileManager.default.copyItem(atPath: data + "/stores/" + real.file + suffix, toPath: copy + suffix)
    }
    return try (bench, sketch, Connection(path: copy, access: .readWrite))
  }

  private static func tables(_ connection: Connection, besides skipped: Set<String>) throws -> [String: [String]] {
    let tables = try StoreFixture.rows(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")
    var found: [String: [String]] = [:]
    for table in tables where table.hasPrefix("Z") && !skipped.contains(table) {
      found[table] = try StoreFixture.rows(connection, "SELECT name FROM pragma_table_info('\(table)')").sorted()
    }
    return found
  }

  @Test(arguments: cases)
  func `entities, tables, columns and the indexes of keys have the same names`(_ real: Case) throws {
    let (bench, _, theirs) = try fixture(real)
    let numbers = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"
    let (own, entities) = (try bench.rows(numbers), try StoreFixture.rows(theirs, numbers))
    #expect(own == entities)
    let (made, found) = (
      try Self.tables(bench.outside, besides: real.skipped), try Self.tables(theirs, besides: real.skipped)
    )
    #expect(made == found)
    let indexes = "SELECT name FROM sqlite_master WHERE name GLOB 'Z*_INDEX' AND type = 'index' ORDER BY name"
    let (ownIndexes, theirIndexes) = (try bench.rows(indexes), try StoreFixture.rows(theirs, indexes))
    #expect(ownIndexes == theirIndexes)
  }

  @Test(arguments: cases)
  func `the names that PlainNames derives are the same too`(_ real: Case) throws {
    let (_, sketch, theirs) = try fixture(real)
    let names = PlainNames(sketch)
    let found = try Self.tables(theirs, besides: [])
    for (property, column) in names.columns {
      let entity = try #require(property.split(separator: ".").first.map(String.init))
      #expect(found[names.table(entity)]?.contains(column) ?? false, "\(property)")
    }
    for pairs in names.pairs.values { #expect(found[pairs.table] == [pairs.own, pairs.other].sorted()) }
  }

  @Test(arguments: cases)
  func `bitmaps of every updated entity have the same length`(_ real: Case) throws {
    let (bench, sketch, theirs) = try fixture(real)
    let names = PlainNames(sketch)
    let lengths = try theirs.cursor(
      "SELECT ZENTITY, length(ZCOLUMNS), COUNT(*) FROM ACHANGE WHERE ZCHANGETYPE = 1 GROUP BY 1, 2")
    var seen = 0
    while try lengths.step() {
      let entity = try #require(bench.store.layout.entity(number: Int(lengths.integer(at: 0))))
      guard !real.skipped.contains(names.table(entity.entity.name)) else { continue }
      #expect(entity.bitmapLength == Int(lengths.integer(at: 1)), "\(entity.entity.name)")
      #expect((names.bits(entity.entity.name).count + 7) / 8 == Int(lengths.integer(at: 1)))
      seen += 1
    }
    #expect(seen > 0)
  }

  @Test(arguments: cases)
  func `tombstones fill as many columns as there are preserved attributes`(_ real: Case) throws {
    let (bench, sketch, theirs) = try fixture(real)
    let names = PlainNames(sketch)
    let columns = try StoreFixture.rows(theirs, "SELECT name FROM pragma_table_info('ACHANGE')")
      .filter { $0.hasPrefix("ZTOMBSTONE") }
    #expect(columns.count == bench.store.layout.tombstoneColumns)
    let counts = columns.map { "count(\($0))" }.joined(separator: ", ")
    let filled = try theirs.cursor("SELECT ZENTITY, \(counts) FROM ACHANGE WHERE ZCHANGETYPE = 2 GROUP BY 1")
    while try filled.step() {
      let entity = try #require(bench.store.layout.entity(number: Int(filled.integer(at: 0))))
      let used = columns.indices.filter { filled.integer(at: Int32($0) + 1) > 0 }
      #expect(used.allSatisfy { $0 < entity.tombstoneOrder.count }, "\(entity.entity.name)")
      #expect(entity.tombstoneOrder.map { entity.entity.attributes[$0].name } == names.preserved(entity.entity.name))
    }
  }
}
