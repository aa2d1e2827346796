// SPDX-License-Identifier: MIT

internal import Base
package import FoundationEssentials

extension IndexDefinition {
  /// Names that are reserved in the query language.
  static let reservedNames: Set<String> = ["kind", "is"]

  /// Reads a definition and checks it without a model.
  ///
  /// - Throws: `DefinitionError` with the location.
  package init(json: Data) throws {
    do {
      self = try JSONDecoder().decode(IndexDefinition.self, from: json)
    } catch {
      self = try Self.wrapped(json, after: error)
    }
    try validate()
  }

  /// The definition in the output of `followspot schema`, which contains it under a key.
  ///
  /// - Parameter error: That of other JSON.
  private static func wrapped(_ json: Data, after error: any Error) throws -> IndexDefinition {
    do {
      guard (try? JSONDecoder().decode(Schema.self, from: json)) != nil else { throw error }
      return try JSONDecoder().decode(WrappedDefinition.self, from: json).definition
    } catch let error as DecodingError {
      throw DefinitionError(error)
    }
  }

  private struct Schema: Decodable {
    let model: AnyValue
    let definition: AnyValue
  }

  private struct AnyValue: Decodable { init(from decoder: any Decoder) throws {} }

  private struct WrappedDefinition: Decodable { let definition: IndexDefinition }

  private func validate() throws {
    guard !entities.isEmpty else { throw DefinitionError("entities", "at least one entity is needed") }
    for (word, others) in synonyms.sorted(by: { $0.key < $1.key }) {
      guard ([word] + others).allSatisfy({ $0.contains { $0.isLetter || $0.isNumber } }) else {
        throw DefinitionError("synonyms", "'\(word)' and what is found with it need letters or digits")
      }
    }
    var units: [String: FieldUnit?] = [:]
    for (entityName, entity) in entities.sorted(by: { $0.key < $1.key }) {
      var names: Set<String> = []
      for (index, field) in entity.fields.enumerated() {
        let location = "entities.\(entityName).fields[\(index)]"
        guard !field.name.isEmpty, !field.path.isEmpty else { throw DefinitionError(location, "a name is needed") }
        guard field.name.utf8.count <= 200 else { throw DefinitionError(location + ".name", "200 bytes at most") }
        guard !Self.reservedNames.contains(field.name.lowercased()) else {
          throw DefinitionError(location + ".name", "\(field.name) has another meaning in queries")
        }
        guard names.insert(field.name.lowercased()).inserted else {
          throw DefinitionError(location + ".name", "\(field.name) is defined twice (names ignore case)")
        }
        guard !field.roles.isEmpty else { throw DefinitionError(location + ".roles", "at least one role is needed") }
        guard (0...100).contains(field.weight) else {
          throw DefinitionError(location + ".weight", "\(field.weight) is not between 0 and 100")
        }
        guard field.length ?? 1 >= 1, field.length?.isFinite ?? true else {
          throw DefinitionError(location + ".length", "the typical number of words must be 1 or more")
        }
        guard field.roles.contains(.number) else {
          guard field.unit == nil else { throw DefinitionError(location + ".unit", "\(field.name) is not a number") }
          continue
        }
        let name = field.name.lowercased()
        guard units[name, default: field.unit] == field.unit else {
          throw DefinitionError(location + ".unit", "\(field.name) has another unit in another entity")
        }
        units[name] = .some(field.unit)
      }
      if let boost = entity.boost, entity.fields.first(where: { $0.name == boost })?.roles.contains(.number) != true {
        throw DefinitionError("entities.\(entityName).boost", "no field with numbers is named \(boost)")
      }
      for title in entity.title where !entity.fields.contains(where: { $0.name == title }) {
        throw DefinitionError("entities.\(entityName).title", "no field is named \(title)")
      }
      for word in entity.words where !word.contains(where: \.isLetter) {
        throw DefinitionError("entities.\(entityName).words", "'\(word)' needs letters")
      }
      for title in entity.titledBy where !entity.fields.contains(where: { $0.name == title }) {
        throw DefinitionError("entities.\(entityName).titledBy", "no field is named \(title)")
      }
    }
  }

  /// Checks the definition against a model.
  ///
  /// - Throws: `DefinitionError` with the location and the names that exist.
  package func validate(against model: ModelShape) throws {
    for (entityName, entity) in entities.sorted(by: { $0.key < $1.key }) {
      guard model[entityName] != nil else {
        let known = model.keys.sorted().joined(separator: ", ")
        throw DefinitionError("entities.\(entityName)", "the store has no such entity; it has \(known)")
      }
      for (index, field) in entity.fields.enumerated() {
        try validate(field, of: entityName, in: model, location: "entities.\(entityName).fields[\(index)]")
      }
      try validateExtension(entity, of: entityName, in: model)
      try entity.validateIdentity(in: model[entityName]?.attributes ?? [], location: "entities.\(entityName).identify")
    }
  }

  /// A row that extends a record is not found beside it, so that the record needs all of its texts.
  private func validateExtension(_ entity: EntityDefinition, of name: String, in model: ModelShape) throws {
    guard let extends = entity.extends else { return }
    let location = "entities.\(name).extends"
    guard let reference = model.extended(by: name), reference.name == extends, let inverse = reference.inverse else {
      throw DefinitionError(location, "the primary key of \(name) is not \(extends), the key of another table")
    }
    let known = Set(entities[reference.destination]?.fields.filter { $0.roles.contains(.text) }.map(\.path) ?? [])
    let texts = entity.fields.filter { $0.roles.contains(.text) && !$0.path.hasPrefix(extends + ".") }
    guard let lost = texts.map({ inverse + "." + $0.path }).first(where: { !known.contains($0) }) else { return }
    throw DefinitionError(
      location,
      "\(reference.destination) needs the text of \(lost) as a field; leave out extends to search \(name) beside it")
  }

  private func validate(
    _ field: FieldDefinition, of entityName: String, in model: ModelShape, location: String
  ) throws {
    let target = try field.target(from: entityName, in: model, location: location + ".path")
    guard target.keys.isEmpty || target.attribute.kind == .json else {
      throw DefinitionError(
        location + ".path", "\(target.attribute.name) does not hold JSON, so it has no elements to index")
    }
    for role in field.roles.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard target.attribute.kind.allows(role) else {
        throw DefinitionError(location + ".roles", "\(target.attribute.name) cannot be a \(role.rawValue)")
      }
      guard !target.isToMany || !role.isSingle else {
        throw DefinitionError(
          location + ".roles", "\(field.path) leads to many objects, and a \(role.rawValue) is one value")
      }
    }
  }
}

extension EntityDefinition {
  fileprivate func validateIdentity(in attributes: [AttributeShape], location: String) throws {
    guard let identify else { return }
    guard let attribute = attributes.first(where: { $0.name == identify }) else {
      let known = attributes.map(\.name).sorted().joined(separator: ", ")
      throw DefinitionError(location, "there is no attribute \(identify); there are \(known)")
    }
    guard attribute.identifies else {
      throw DefinitionError(location, "\(identify) is not both unique and preserved on deletion")
    }
  }
}

extension FieldDefinition.Role {
  /// Whether a document has at most one value with this role.
  var isSingle: Bool { self == .number || self == .date || self == .flag }
}

extension AttributeShape.Kind {
  func allows(_ role: FieldDefinition.Role) -> Bool {
    switch role {
    case .stored: true
    case .text, .facet: self == .text || self == .strings || self == .json
    case .number: self == .number
    case .date: self == .date
    case .flag: self == .boolean
    }
  }
}
