package import PersistentStore

/// Finds the attributes of an entity from all records of a file.
package struct Inference {
  private struct Column {
    var name: String
    var seen = 0
    var kinds: Set<Kind> = []
    var areDates = true
  }

  private enum Kind { case bool, integer, real, text, strings, json }

  private var columns: [Column] = []
  private var places: [String: Int] = [:]
  private var records = 0
  private let shapes: ValueShapes

  package init() throws { shapes = try ValueShapes() }

  /// Whether no record was added yet.
  package var isEmpty: Bool { records == 0 }

  package mutating func add(_ record: Record) throws {
    records += 1
    for (name, value) in record.fields {
      let place = places[name] ?? columns.count
      if place == columns.count {
        columns.append(Column(name: name))
        places[name] = place
      }
      guard let (kind, isDate) = try kind(of: value) else { continue }
      columns[place].seen += 1
      columns[place].kinds.insert(kind)
      columns[place].areDates = columns[place].areDates && isDate
    }
  }

  private func kind(of value: FieldValue) throws -> (Kind, isDate: Bool)? {
    switch value {
    case .null: return nil
    case .bool: return (.bool, false)
    case .integer: return (.integer, false)
    case .real: return (.real, false)
    case .text(let text): return (.text, DateText.parse(text) != nil)
    case .json(let json): return (try shapes.isArrayOfStrings(json) ? .strings : .json, false)
    case .cell(let text):
      if ValueShapes.integer(text) != nil { return (.integer, false) }
      if ValueShapes.real(text) != nil { return (.real, false) }
      if ValueShapes.bool(text) != nil { return (.bool, false) }
      return (.text, DateText.parse(text) != nil)
    }
  }

  /// The entity that takes every record.
  ///
  /// - Parameter key: The attribute that becomes unique and preserved on deletion.
  /// - Throws: `FollowspotError.usage` where there is nothing to infer from.
  package func entity(named name: String, key: String?) throws -> EntityDescription {
    guard !columns.isEmpty else {
      throw FollowspotError(.usage, "the file has no record to learn \(name) from", hint: "give at least one record")
    }
    if let key, places[key] == nil {
      let nearest = NearestNames.of(key, among: columns.map(\.name))
      throw FollowspotError(
        .usage, "--key \(key): no record has such a field",
        hint: NearestNames.hint(nearest))
    }
    return EntityDescription(
      name,
      attributes: columns.map { column in
        AttributeDescription(
          column.name, Self.type(of: column), isOptional: column.seen < records,
          options: column.name == key ? [.unique, .preserveValueOnDeletion] : [])
      })
  }

  private static func type(of column: Column) -> AttributeType {
    switch column.kinds {
    case [.bool]: .boolean
    case [.integer]: .integer64
    case [.real], [.integer, .real]: .double
    case [.text]: column.areDates ? .date : .string
    case [.strings]: .strings
    case let kinds where kinds.contains(.json) || kinds.contains(.strings): .json
    default: .string
    }
  }
}
