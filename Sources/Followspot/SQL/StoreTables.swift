// SPDX-License-Identifier: MIT

internal import Store

/// The tables that SQL statements on a store can read, with unique names.
package struct StoreTables {
  /// A table or function and its columns, for people.
  package struct Description: Sendable {
    package let name: String
    package let columns: [(name: String, type: String)]
    /// Whether it is a function, which takes arguments.
    package var isFunction = false
  }

  let entities: [EntityTable]
  let relations: [RelationTable]

  /// The name of the function is reserved: an entity of that name gets another one, as do relationships.
  init(_ store: PersistentStore) {
    var names = SQLNames(taken: ["search"])
    entities = store.layout.entities.map { entity in
      EntityTable(entity, name: names.unused(entity.entity.name), store: store)
    }
    var relations: [RelationTable] = []
    for table in entities {
      for relationship in table.entity.relationships where relationship.description.isToMany {
        let name = names.unused("\(table.name)_\(relationship.name)")
        if let relation = RelationTable(relationship, of: table.entity, name: name, store: store) {
          relations.append(relation)
        }
      }
    }
    self.relations = relations
  }

  var descriptions: [Description] {
    entities.map { Description(name: $0.name, columns: $0.columns.map { ($0.name, $0.type) }) }
      + relations.map { relation in
        Description(name: relation.name, columns: relation.columns.map { ($0, $0 == "position" ? "INTEGER" : "TEXT") })
      } + [Description(name: "search", columns: SearchTable.columns, isFunction: true)]
  }
}
