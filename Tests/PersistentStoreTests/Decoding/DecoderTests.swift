// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// Random saves in stores of random models, read back by a decoder that shares no code with the store.
@Suite(.overlapping, .temporaryDirectory)
struct DecoderTests {
  @Test(arguments: Rounds.seeds(20, full: 60, long: 2_000))
  func `the file contains exactly what was saved, in any model`(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let sketch = Sketch.random(&random)
    let bench = try StoreFixture(sketch.model)
    let decoder = PlainDecoder(sketch, bench.outside)
    var oracle = StoreOracle(sketch)
    var transaction: Int64 = 0
    for _ in 0..<12 {
      oracle.begin()
      try bench.store.save { save in
        for _ in 0..<random.number(1...7) { try Self.step(save, &oracle, &random) }
      }
      let lines = oracle.end()
      if !lines.isEmpty { transaction += 1 }
      let newest = try bench.store.newest()
      try #require(newest == transaction)
      if !lines.isEmpty {
        let changes = try decoder.changes(of: transaction)
        try #require(changes.lines == lines)
        try #require(changes.kinds == changes.kinds.sorted())
      }
      let (objects, faults) = try decoder.objects()
      let expected = oracle.expected()
      for name in Set(objects.keys).union(expected.keys).sorted() {
        try #require(objects[name] == expected[name], "\(name)")
      }
      try #require(faults == [])
      for (root, key) in oracle.highest {
        let highest = try decoder.highestKey(root)
        try #require(highest == key)
      }
    }
    let integrity = try bench.rows("PRAGMA integrity_check")
    #expect(integrity == ["ok"])
  }

  private static func step(_ save: Save, _ oracle: inout StoreOracle, _ random: inout SeededGenerator) throws {
    let layout = save.store.layout
    let name = oracle.objects.keys.sorted().randomElement(using: &random)
    func row(_ name: String) throws -> (entity: EntityLayout, key: Int64) {
      let entity = try #require(layout.entity(named: String(name.prefix { $0 != "/" })))
      return (entity, PlainDecoder.key(name))
    }
    switch (random.number(0...9), name) {
    case (4...5, let name?):
      let (entity, key) = try row(name)
      let values = Self.values(entity, &random).filter { _ in random.chance(2) }
      try save.update(
        entity, key: key, values.map { (attribute: try #require(entity.entity.index(of: $0.key)), $0.value) })
      oracle.update(name, values)
    case (6...8, let name?):
      let (entity, key) = try row(name)
      let relationships = oracle.relationships(entity.entity.name)
      guard let relationship = relationships.randomElement(using: &random) else { return }
      let targets = Self.targets(relationship, oracle, &random)
      let changed = try save.setTargets(
        entity, key: key, try #require(entity.entity.relationship(named: relationship.name)),
        targets.map { name in
          let (entity, key) = try row(name)
          return RowIdentifier(entity: entity.number, key: key)
        })
      try #require(oracle.set(name, relationship, targets) == changed)
    case (9, let name?):
      let (entity, key) = try row(name)
      let isDeleted = try save.delete(entity, key: key)
      try #require(isDeleted)
      oracle.delete(name)
    default:
      let entity = try #require(layout.entities.randomElement(using: &random))
      let values = Self.values(entity, &random)
      var related: [(Sketch.Relationship, [String])] = []
      for relationship in oracle.relationships(entity.entity.name) where random.chance(2) {
        related.append((relationship, Self.targets(relationship, oracle, &random)))
      }
      let found = try save.insert(
        entity, entity.entity.attributes.map { values[$0.name] },
        related: Dictionary(
          uniqueKeysWithValues: try related.map { relationship, targets in
            let index = try #require(entity.entity.relationship(named: relationship.name))
            return (index, try targets.map { RowIdentifier(entity: try row($0).entity.number, key: try row($0).key) })
          }))
      let name = oracle.insert(entity.entity.name, values)
      try #require("\(entity.entity.name)/p\(found.key)" == name)
      for (relationship, targets) in related { _ = oracle.set(name, relationship, targets) }
    }
  }

  /// Random objects of the right entity for a relationship, which may include current ones.
  private static func targets(
    _ relationship: Sketch.Relationship, _ oracle: StoreOracle, _ random: inout SeededGenerator
  ) -> [String] {
    let all = oracle.objects(of: relationship.destination).shuffled(using: &random)
    return Array(all.prefix(relationship.isToMany ? random.number(0...4) : random.number(0...1)))
  }

  private static func values(_ entity: EntityLayout, _ random: inout SeededGenerator) -> [String: Value] {
    var values: [String: Value] = [:]
    for attribute in entity.entity.attributes {
      let number = Int64(random.number(0...3))
      values[attribute.name] =
        switch attribute.type {
        case _ where number == 0: .null
        case .double, .date: .real(Double(number) + 0.5)
        case .string, .url: .text("text \(number)")
        case .data: .blob([UInt8(number)])
        case .decimal: DecimalNumber.value("-12345678901234567890.\(number)") ?? .null
        default: .integer(number)
        }
    }
    return values
  }
}
