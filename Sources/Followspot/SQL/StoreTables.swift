// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// The tables that SQL statements can read, with unique names: those of one store, or of all stores of a group.
package struct StoreTables {
  /// A table or function and its columns, for people.
  package struct Description: Sendable {
    package let name: String
    package let columns: [(name: String, type: String)]
    /// Whether it is a function, which takes arguments.
    package var isFunction = false
  }

  let tables: [any VirtualTable]
  let descriptions: [Description]

  /// - Parameter members: At least one.
  init(_ members: [MemberStore]) {
    let isOfGroup = members[0].name != nil
    let found = members.map(Self.tables)
    let all = found.flatMap { $0.entities } + found.flatMap { $0.relations }
    let parts = Dictionary(grouping: all) { $0.name.lowercased() }
    var known: Set<String> = []
    let named = all.map { $0.name.lowercased() }.filter { known.insert($0).inserted }.compactMap { parts[$0] }
    if isOfGroup { for tables in named { Self.unite(tables) } }
    tables = named.map { tables -> any VirtualTable in tables.count == 1 ? tables[0] : GroupTable(tables) }
    descriptions =
      named.map { Description(name: $0[0].name, columns: $0[0].columns.map { ($0.name, $0.type) }) }
      + [Description(name: "search", columns: SearchTable.columns(isOfGroup: isOfGroup), isFunction: true)]
  }

  /// The tables of one store. The name of the function is reserved: an entity of that name gets another one, as do
  /// relationships.
  private static func tables(_ member: MemberStore) -> (entities: [any StoreTable], relations: [any StoreTable]) {
    var names = SQLNames(taken: ["search"])
    let entities = member.store.layout.entities.map { entity in
      EntityTable(entity, name: names.unused(entity.entity.name), member: member)
    }
    var relations: [RelationTable] = []
    for table in entities {
      for relationship in table.entity.relationships where relationship.description.isToMany {
        let name = names.unused("\(table.name)_\(relationship.name)")
        if let relation = RelationTable(relationship, of: table.entity, name: name, member: member) {
          relations.append(relation)
        }
      }
    }
    return (entities, relations)
  }

  /// Gives tables the columns of all of them, by name, and the name of the store as the last one. The first table that has
  /// a column gives its type.
  private static func unite(_ tables: [any StoreTable]) {
    var known: Set<String> = []
    let columns = tables.flatMap(\.columns).filter { known.insert($0.name.lowercased()).inserted }
    for table in tables {
      let sources = Dictionary(table.columns.map { ($0.name.lowercased(), $0.source) }) { first, _ in first }
      table.columns =
        columns.map { column in
          TableColumn(name: column.name, type: column.type, source: sources[column.name.lowercased()] ?? .absent)
        } + [.store]
    }
  }
}
