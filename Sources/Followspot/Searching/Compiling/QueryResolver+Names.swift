// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

extension QueryResolver {
  // MARK: Names

  /// The field of a condition, and the prefix of its words.
  func resolve(_ name: String, at offset: Int) throws -> (FieldTable.Field, prefix: [UInt8]) {
    switch FieldName(name, in: view.fields, isOrder: true) {
    case .field(let field): return (field, field.textPrefix)
    case .keys(let field, let keys):
      if let prefix = try view.prefix(of: field, keys: keys) { return (field, prefix) }
      throw unknown("field", name, NearestNames.of(name, among: try view.keys(of: field)), offset)
    default:
      let known = Set(view.fields.typedNames + FieldName.own).subtracting([name.lowercased()]).sorted()
      throw unknown("field", name, NearestNames.of(name, among: known), offset)
    }
  }

  func kind(_ value: String, at offset: Int) throws -> String {
    let known = view.definition.entities.keys.sorted()
    if let found = known.first(where: { $0.lowercased() == value.lowercased() }) { return found }
    let nearest = NearestNames.of(value, among: known)
    // The field of an attribute with that name has another one.
    let isNamed: (FieldDefinition) -> Bool = {
      ["kind", ModelDescription.usableName("kind")].contains($0.path.lowercased())
    }
    if nearest.isEmpty, let field = view.definition.entities.values.lazy.flatMap(\.fields).first(where: isNamed) {
      let isQuoted = value.contains(where: \.isWhitespace)
      throw error(
        "no kind is named '\(value)'; the field of the attribute kind is \(field.name)", at: offset,
        recovery: .examples([QueryNode.field(name: field.name, value: value, isQuoted: isQuoted, offset: 0).text]))
    }
    throw unknown("kind", value, nearest, among: known, offset)
  }

  /// The documents of a store of the group.
  func documents(ofStore value: String, at offset: Int) throws -> Query {
    guard let group = view.group else {
      throw error("\(FieldName.storeName) is a condition on the stores of a group; one store is searched", at: offset)
    }
    let position = offset + FieldName.storeName.count + 1
    guard let number = group.number(of: value) else {
      throw unknown(
        "store of the group", value, NearestNames.of(value, among: group.stores), among: group.stores, position)
    }
    guard let documents = group.documents(of: number) else {
      throw error("the indexes of other machines are searched together, and cannot be told apart", at: position)
    }
    return documents
  }

  /// What `is:new` may mean.
  private static func flagNames(_ value: String) -> [String] { [value, "is" + value, "is_" + value] }

  /// The field of truth values that `is:value` means: of a role for them, or for numbers.
  func flag(_ value: String, _ role: FieldDefinition.Role) -> FieldTable.Field? {
    Self.flagNames(value).lazy.compactMap { view.fields[$0] }.first { roles(of: $0).contains(role) }
  }

  func unknownFlag(_ value: String, at offset: Int) -> QueryError {
    let known = view.fields.names.filter { view.fields[$0]?.roles.contains(.flag) == true }
    // `favourite` means `isFavorite`.
    let nearest = known.filter { name in
      Self.flagNames(value).contains { !NearestNames.of($0, among: [name]).isEmpty }
    }
    return unknown("flag", value, nearest, among: known, offset)
  }

  /// - Parameter known: Names to list if none is close.
  func unknown(
    _ what: String, _ name: String, _ nearest: [String], among known: [String] = [], _ offset: Int
  ) -> QueryError {
    let isUnindexed = what == "field" && view.store.layout.hasAttribute(name)
    let recovery: QueryError.Recovery? =
      if isUnindexed {
        .indexAttribute
      } else if !nearest.isEmpty {
        .nearestNames(nearest)
      } else if what == "field" {
        .listFields
      } else {
        known.isEmpty ? nil : .knownNames(Array(known.prefix(5)))
      }
    var found = error("no \(what) is named '\(name)'", at: offset, recovery: recovery)
    found.unknownName = name
    return found
  }

  static func truth(_ value: String) -> Bool? {
    switch value.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  static func types(_ roles: Set<FieldDefinition.Role>) -> String {
    let words: [(FieldDefinition.Role, String)] = [(.number, "a number"), (.date, "a date"), (.flag, "true or false")]
    let own = words.filter { roles.contains($0.0) }.map(\.1)
    return own.isEmpty ? "no search: it is only stored" : own.joined(separator: " or ")
  }

  static func examples(_ name: String, _ roles: Set<FieldDefinition.Role>) -> [String] {
    if roles.contains(.number) { return ["\(name):5", "\(name):1..10"] }
    if roles.contains(.date) { return ["\(name):1995", "\(name):1995-11-22", "\(name):1995..2010"] }
    return roles.contains(.flag) ? ["is:\(name)"] : []
  }
}

extension FieldTable.Field {
  /// The unit of the field, or one that the definition could name; nil if the value is not a quantity with a unit.
  func scale(for value: String) -> QueryError.Scale? {
    guard roles.contains(.number), let quantity = Quantity(value) else { return nil }
    if let unit { return .counts(unit, field: name) }
    let units = FieldUnit.allCases.filter { $0.dimension == quantity.dimension }
    return .undeclared(units[units.count == 4 ? 1 : 0], field: name)
  }
}
