// SPDX-License-Identifier: MIT

/// A model that is inferred from tables and columns alone, for a file without a readable model. Names are those of the
/// columns in lower case, and types follow from the declared types.
struct ColumnModel {
  private(set) var model = ModelDescription(entities: [])
  /// Columns with keys of other rows. The file does not record which relationship they belong to.
  private(set) var references: [String] = []

  init(_ tables: FileTables) {
    for (name, _) in tables.numbers.sorted(by: { $0.value < $1.value }) {
      var entity = EntityDescription(name, superentity: tables.superentities[name])
      // All entities of a hierarchy share a table, which does not show which columns a subentity adds.
      if entity.superentity == nil { entity.attributes = attributes(of: name, tables) }
      model.entities.append(entity)
    }
  }

  private mutating func attributes(of entity: String, _ tables: FileTables) -> [AttributeDescription] {
    let table = "Z" + entity.uppercased()
    var found: [AttributeDescription] = []
    for column in tables.columns[table] ?? [] {
      let plain = column.name.dropFirst()
      // Skips keys and the columns that accompany keys: `Z_PK`, `Z_FOK_ALBUM`, `Z2_FOLDER`.
      guard column.name.hasPrefix("Z"), !plain.isEmpty, let type = Self.type(column.declaredType),
        !["_PK", "_ENT", "_OPT"].contains(plain), !plain.hasPrefix("_FOK_"),
        !(plain.first?.isWholeNumber ?? false && plain.drop(while: \.isWholeNumber).hasPrefix("_"))
      else { continue }
      if tables.indexes.contains("\(table)_\(column.name.uppercased())_INDEX") {
        references.append("\(table).\(column.name)")
        continue
      }
      let name = String(column.name.dropFirst()).lowercased()
      guard !found.contains(where: { $0.name == name }) else { continue }
      found.append(AttributeDescription(name, type, isOptional: true))
    }
    return found
  }

  /// nil if Core Data does not declare the type.
  static func type(_ declared: String) -> AttributeType? {
    switch declared {
    case "INTEGER": .integer64
    case "FLOAT": .double
    case "DECIMAL": .decimal
    case "TIMESTAMP": .date
    case "VARCHAR": .string
    case "BLOB": .data
    default: nil
    }
  }
}
