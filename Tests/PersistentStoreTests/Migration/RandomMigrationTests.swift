// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Random models, saves and edits. The expected contents follow from the earlier contents by names.
@Suite(.overlapping, .temporaryDirectory)
struct RandomMigrationTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: Rounds.seeds(8, full: 24, long: 1_000))
  func `rows, relationships and history follow random edits of a random model`(seed: Int) throws {
    var source = RandomModel(seed: seed)
    let path = directory.file("random.store")
    var store = try PersistentStore.create(path, model: source.model)
    for _ in 0..<4 {
      for _ in 0..<source.number(2...6) { try source.saveRandomly(store) }
      #expect(try StoreGraph.contradictions(in: store) == [])
      let before = try StoreGraph(store)
      let old = store.layout
      source.edit()
      let outcome = try store.migrate(to: Self.indexed(&source))
      store = try PersistentStore.open(path, access: .readWrite)
      try expect(store, before, old, source.renames, outcome)
    }
    try source.saveRandomly(store)
    #expect(try StoreGraph.contradictions(in: store) == [])
  }

  /// The model with random indexes over properties with a column.
  private static func indexed(_ source: inout RandomModel) -> ModelDescription {
    var model = source.model
    for entityIndex in model.entities.indices {
      let entity = model.entities[entityIndex]
      let names =
        entity.attributes.filter { !$0.isExternal }.map(\.name)
        + entity.relationships.filter { !$0.isToMany }.map(\.name)
      model.entities[entityIndex].indexes = (0..<source.number(0...2)).compactMap { _ in
        let list = names.filter { _ in source.chance(3) }
        return list.isEmpty ? nil : list
      }
    }
    return model
  }

  private func expect(
    _ store: PersistentStore, _ before: StoreGraph, _ old: StoreLayout, _ renames: RandomModel.Renames,
    _ outcome: MigrationOutcome
  ) throws {
    let after = try StoreGraph(store)
    let translation = Translation(old: old, new: store.layout, renames: renames)
    let objects = translation.objects(before)
    #expect(translation.withoutNewOrder(after.objects) == objects)
    let changes = translation.changes(before)
    #expect(after.changes.count == changes.count)
    for (found, wanted) in zip(after.changes, changes) { #expect(found == wanted) }
    guard let marker = outcome.transaction else {
      #expect(after.transactions == before.transactions)
      return
    }
    #expect(Array(after.transactions.dropLast()) == before.transactions)
    #expect(after.transactions.last?.hasPrefix("\(marker) ") == true)
    #expect(try StoreGraph.contradictions(in: store) == [])
    #expect(try StoreFixture.rows(Connection(path: store.path, access: .readOnly), "PRAGMA integrity_check") == ["ok"])
    let tables = try StoreFixture.rows(store.connection, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    let wanted = Set((store.layout.dataTables + store.layout.historyTables).filter { !$0.contains("ACHANGE (") })
    let directory = store.path.replacing("random.store", with: ".random_SUPPORT/_EXTERNAL_DATA")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    #expect(try Set(files) == store.externalNames())
    // The history keeps the columns of an earlier model.
    #expect(Set(tables.filter { !$0.contains("ACHANGE (") && !$0.contains("ACHANGE ADD") }) == wanted)
  }

  /// Maps names of the earlier model to the new one.
  private struct Translation {
    let old: StoreLayout
    let new: StoreLayout
    let renames: RandomModel.Renames

    private func entity(_ name: String) -> EntityLayout? { new.entity(named: renames.entities[name] ?? name) }

    private func identifier(_ text: String) -> String? {
      guard let parsed = RecordURI(text), let entity = entity(parsed.entityName) else { return nil }
      return "\(entity.entity.name)/p\(parsed.key)"
    }

    /// The earlier name of a property, or the same name.
    private func earlier(_ name: String) -> String { renames.properties.first { $0.value == name }?.key ?? name }

    func objects(_ before: StoreGraph) -> [String: [String: [String]]] {
      var objects: [String: [String: [String]]] = [:]
      for (old, properties) in before.objects {
        guard let identifier = identifier(old), let name = RecordURI(identifier)?.entityName,
          let entity = new.entity(named: name)
        else { continue }
        var kept: [String: [String]] = [:]
        for attribute in entity.entity.attributes {
          let fresh = [StoreGraph.text(attribute.defaultValue ?? .null)]
          kept[attribute.name] = properties[earlier(attribute.name)] ?? fresh
        }
        for relationship in entity.relationships {
          kept[relationship.name] = targets(of: relationship, from: old, properties, before)
        }
        objects[identifier] = kept
      }
      return objects
    }

    private func targets(
      of relationship: RelationshipLayout, from object: String, _ properties: [String: [String]], _ before: StoreGraph
    ) -> [String] {
      let known = properties[earlier(relationship.name)]
      // A new inverse of an existing relationship contains the same pairs from its end.
      let reversed = relationship.description.inverse.map { inverse in
        before.objects.filter { $0.value[earlier(inverse)]?.contains(object) ?? false }.map(\.key)
      }
      let found = (known ?? reversed ?? []).compactMap(identifier)
      return wasOrdered(relationship) ? found : found.sorted()
    }

    private func wasOrdered(_ relationship: RelationshipLayout) -> Bool {
      let name = earlier(relationship.name)
      let was = old.entities.flatMap(\.relationships).first { $0.name == name }
      return relationship.description.isOrdered && (was?.description.isOrdered ?? false)
    }

    /// Objects without an earlier order may get any order.
    func withoutNewOrder(_ objects: [String: [String: [String]]]) -> [String: [String: [String]]] {
      let unordered = Set(new.entities.flatMap(\.relationships).filter { !wasOrdered($0) }.map(\.name))
      return objects.mapValues { properties in
        Dictionary(uniqueKeysWithValues: properties.map { ($0, unordered.contains($0) ? $1.sorted() : $1) })
      }
    }

    func changes(_ before: StoreGraph) -> [StoreGraph.Change] {
      before.changes.compactMap { change in
        guard let entity = entity(change.entity) else { return nil }
        var change = change
        change.entity = entity.entity.name
        let names = entity.entity.attributes.map(\.name) + entity.relationships.map(\.name)
        let known = names.filter { change.properties?.contains(earlier($0)) ?? false }
        change.properties = known.isEmpty ? nil : Set(known)
        let preserved = entity.tombstoneOrder.map { entity.entity.attributes[$0].name }
        change.tombstone = Dictionary(
          uniqueKeysWithValues: preserved.compactMap { name in change.tombstone[earlier(name)].map { (name, $0) } })
        return change
      }
    }
  }
}
