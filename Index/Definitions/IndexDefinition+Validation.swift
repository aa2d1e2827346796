package import FoundationEssentials

extension IndexDefinition {
  /// Names that queries use for themselves.
  package static let reservedNames: Set<String> = ["kind", "is"]

  /// Reads a definition and checks it by itself.
  ///
  /// - Throws: `DefinitionError` that names the place.
  package init(json: Data) throws {
    do {
      // What `followspot schema` prints holds the definition under a key.
      let wrapped = try? JSONDecoder().decode(Schema.self, from: json)
      self =
        wrapped == nil
        ? try JSONDecoder().decode(IndexDefinition.self, from: json)
        : try JSONDecoder().decode(WrappedDefinition.self, from: json).definition
    } catch let error as DecodingError {
      throw DefinitionError(error)
    }
    try validate()
  }

  private struct Schema: Decodable {
    let model: AnyValue
    let definition: AnyValue
  }

  private struct AnyValue: Decodable { init(from decoder: any Decoder) throws {} }

  private struct WrappedDefinition: Decodable { let definition: IndexDefinition }

  private func validate() throws {
    guard !entities.isEmpty else { throw DefinitionError("entities", "at least one entity is needed") }
    for (entityName, entity) in entities.sorted(by: { $0.key < $1.key }) {
      var names: Set<String> = []
      for (index, field) in entity.fields.enumerated() {
        let place = "entities.\(entityName).fields[\(index)]"
        guard !field.name.isEmpty, !field.path.isEmpty else { throw DefinitionError(place, "a name is needed") }
        guard field.name.utf8.count <= 200 else { throw DefinitionError(place + ".name", "200 bytes at most") }
        guard !Self.reservedNames.contains(field.name.lowercased()) else {
          throw DefinitionError(place + ".name", "\(field.name) means something else in queries")
        }
        guard names.insert(field.name.lowercased()).inserted else {
          throw DefinitionError(place + ".name", "\(field.name) is there twice (case does not count)")
        }
        guard !field.roles.isEmpty else { throw DefinitionError(place + ".roles", "at least one role is needed") }
        guard (1...100).contains(field.weight) else {
          throw DefinitionError(place + ".weight", "\(field.weight) is not between 1 and 100")
        }
      }
      if let title = entity.title, !entity.fields.contains(where: { $0.name == title }) {
        throw DefinitionError("entities.\(entityName).title", "no field is named \(title)")
      }
    }
  }

  /// Checks the definition against a model.
  ///
  /// - Throws: `DefinitionError` that names the place, and what is there instead.
  package func validate(against model: ModelShape) throws {
    for (entityName, entity) in entities.sorted(by: { $0.key < $1.key }) {
      guard let attributes = model[entityName] else {
        let known = model.keys.sorted().joined(separator: ", ")
        throw DefinitionError("entities.\(entityName)", "the store has no such entity; it has \(known)")
      }
      for (index, field) in entity.fields.enumerated() {
        let place = "entities.\(entityName).fields[\(index)]"
        guard let (attribute, keys) = field.resolve(in: attributes) else {
          let known = attributes.map(\.name).sorted().joined(separator: ", ")
          throw DefinitionError(place + ".path", "\(entityName) has no \(field.path); it has \(known)")
        }
        guard keys.isEmpty || attribute.kind == .json else {
          throw DefinitionError(place + ".path", "\(attribute.name) is no JSON value, so nothing lies inside it")
        }
        for role in field.roles.sorted(by: { $0.rawValue < $1.rawValue }) where !attribute.kind.allows(role) {
          throw DefinitionError(place + ".roles", "\(attribute.name) cannot be a \(role.rawValue)")
        }
      }
    }
  }
}

extension FieldDefinition {
  /// The attribute that the path begins with, and the JSON keys behind it. An attribute whose own name holds dots is
  /// found by its whole name.
  package func resolve(in attributes: [AttributeShape]) -> (attribute: AttributeShape, keys: String)? {
    if let whole = attributes.first(where: { $0.name == path }) { return (whole, "") }
    for attribute in attributes where path.hasPrefix(attribute.name + ".") {
      return (attribute, String(path.dropFirst(attribute.name.count + 1)))
    }
    return nil
  }
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
