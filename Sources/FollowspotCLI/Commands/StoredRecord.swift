// SPDX-License-Identifier: MIT

internal import Followspot
internal import SQLite
internal import SearchIndex
internal import Store

/// A record of the store, as `show` prints it.
struct StoredRecord {
  private let entity: EntityLayout
  private let row: RowIdentifier
  private let identifier: RecordURI
  private let values: [Value]
  private let store: PersistentStore

  /// nil if the record does not exist.
  init?(_ identifier: RecordURI, in store: PersistentStore) throws {
    guard let named = store.layout.entity(matching: identifier.entityName),
      let entity = try store.concreteEntity(of: named, key: identifier.key),
      let values = try store.values(of: entity, key: identifier.key)
    else { return nil }
    (self.store, self.entity, self.values) = (store, entity, values)
    row = RowIdentifier(entity: entity.number, key: identifier.key)
    self.identifier = try store.identifier(of: row)
  }

  /// - Parameters:
  ///   - titles: Name related records.
  ///   - dependencies: Finds the records that it depends on; nil if they are not printed.
  ///   - index: The index whose terms are printed; nil if they are not.
  func print(_ titles: RecordTitles, _ dependencies: Dependencies?, termsIn index: IndexDirectory?) throws {
    Console.write(line: identifier.uri)
    for (attribute, value) in zip(entity.entity.attributes, values) {
      Console.write(line: "\(attribute.name.printable): \(ValueText.plain(value, as: attribute.type).printable)")
    }
    let joins = Set(store.joins)
    for relationship in entity.relationships {
      let names = try related(by: relationship, through: joins).enumerated().map { number, row in
        let title = number < Self.mostTitles ? try titles.title(of: row, in: store) ?? "" : ""
        return try store.identifier(of: row).short + (title.isEmpty ? "" : " (\(title.printable))")
      }
      Console.write(line: "\(relationship.name.printable): \(names.joined(separator: "; "))")
    }
    for dependency in try dependencies?.of(entity, key: row.key) ?? [] {
      let state = dependency.isIndexed ? "indexed" : "not indexed yet"
      Console.write(
        line: "deps: \(try store.identifier(of: dependency.object).short)\t\(dependency.path.printable)\t\(state)")
    }
    guard let index else { return }
    let terms = try terms(in: index)
    if terms == nil { Console.write(line: "terms: not in the index") }
    for term in terms ?? [] {
      Console.write("term: ")
      Console.write(cells: [term.kind.rawValue, term.field ?? "", term.text, String(term.weight)])
    }
  }

  /// Maximum number of records of a relationship that are printed with their titles.
  private static let mostTitles = 100

  /// The records that a relationship leads to. Of rows that only join records, the records on the other side.
  ///
  /// - Parameter joins: The entities of such rows.
  private func related(by relationship: RelationshipLayout, through joins: Set<String>) throws -> [RowIdentifier] {
    let rows = try store.targets(of: relationship, from: row.key)
    let name = relationship.description.destination
    guard joins.contains(name), let link = store.layout.entity(named: name) else { return rows }
    let others = link.relationships.filter {
      !$0.description.isToMany && $0.description.name != relationship.description.inverse
    }
    return try rows.flatMap { row in try others.flatMap { try store.targets(of: $0, from: row.key) } }
  }

  /// The terms of its document; nil if the index does not have the record.
  private func terms(in index: IndexDirectory) throws -> [IndexedTerm]? {
    try IndexedTerm.of(entity, key: row.key, layout: store.layout, directory: index)
  }

  func document(_ dependencies: Dependencies?, termsIn index: IndexDirectory?) throws -> JSONObject {
    var document: JSONObject = [
      "id": identifier.uri, "entity": identifier.entityName,
      "fields": JSONFragment.row(values, of: entity),
    ]
    if !entity.relationships.isEmpty {
      document = document + ["related": try JSONObject(relatedTo: row.key, of: entity, in: store)]
    }
    if let index {
      let objects = try terms(in: index)?.map { term in
        [
          "kind": term.kind.rawValue, "field": term.field, "text": term.text, "weight": term.weight,
        ] as JSONObject
      }
      document = document + ["terms": objects]
    }
    let objects = try dependencies?.of(entity, key: row.key).map { dependency in
      [
        "id": try store.identifier(of: dependency.object).uri, "path": dependency.path,
        "indexed": dependency.isIndexed,
      ] as JSONObject
    }
    return document + ["deps": IfPresent(objects)]
  }
}
