// SPDX-License-Identifier: MIT

internal import Store

/// A column of a table in SQL.
struct TableColumn {
  enum Source {
    /// The key and the entity of the row.
    case key, entity
    /// The key of the related row, and its number in the order, in the table of a to-many relationship.
    case target, position
    /// The name of the store in its group.
    case store
    /// Only other stores of the group have the column.
    case absent
    /// An attribute, by index.
    case attribute(Int)
    /// A composite as a JSON object, with the names and attributes of its elements.
    case composite([(name: String, attribute: Int)])
    /// A to-one relationship: the key of the related row.
    case reference(RelationshipLayout)
  }

  let name: String
  /// The declared type. It determines how SQLite compares values, so dates are TEXT.
  let type: String
  let source: Source

  static let key = TableColumn(name: "key", type: "TEXT", source: .key)
  static let store = TableColumn(name: "store", type: "TEXT", source: .store)

  /// The columns of an entity: its attributes in declared order, then composites and to-one relationships.
  ///
  /// - Parameter isOfGroup: Whether the table is to have the column `store`.
  static func columns(of entity: EntityLayout, isOfGroup: Bool) -> [TableColumn] {
    var names = SQLNames(taken: ["key", "entity"] + (isOfGroup ? ["store"] : []))
    var columns = [key, TableColumn(name: "entity", type: "TEXT", source: .entity)]
    let attributes = entity.entity.attributes
    for (index, attribute) in attributes.enumerated() {
      columns.append(
        TableColumn(name: names.unused(attribute.name), type: attribute.type.sqlType, source: .attribute(index)))
    }
    for composite in entity.entity.composites {
      let prefix = composite.name + "."
      let elements = attributes.indices.filter { attributes[$0].name.hasPrefix(prefix) }
        .map { (name: String(attributes[$0].name.dropFirst(prefix.count)), attribute: $0) }
      guard !elements.isEmpty else { continue }
      columns.append(TableColumn(name: names.unused(composite.name), type: "TEXT", source: .composite(elements)))
    }
    for relationship in entity.relationships {
      guard case .reference = relationship.storage else { continue }
      columns.append(
        TableColumn(name: names.unused(relationship.name), type: "TEXT", source: .reference(relationship)))
    }
    return columns
  }
}

extension AttributeType {
  fileprivate var sqlType: String {
    switch self {
    case .string, .url, .date, .uuid, .strings, .json: "TEXT"
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "REAL"
    case .decimal: "NUMERIC"
    case .data: "BLOB"
    }
  }
}

/// Makes names unique without regard to case, as SQLite compares them.
struct SQLNames {
  private var taken: Set<String>

  init(taken: [String]) { self.taken = Set(taken.map { $0.lowercased() }) }

  /// The name, with a number behind it if it is taken.
  mutating func unused(_ name: String) -> String {
    var (unique, number) = (name, 1)
    while !taken.insert(unique.lowercased()).inserted {
      number += 1
      unique = name + String(number)
    }
    return unique
  }
}
