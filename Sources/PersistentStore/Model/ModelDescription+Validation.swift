extension ModelDescription {
  /// Refuses what cannot be laid out, naming the place.
  ///
  /// Entity names become table names and parts of identifiers, so they are letters, digits and underscores, beginning
  /// with a letter. Attribute names may hold anything but control characters, up to 200 bytes.
  ///
  /// - Throws: `StoreError.invalidModel`.
  package func validate() throws {
    guard !entities.isEmpty else { throw StoreError.invalidModel("the model has no entity") }
    var tables: [String: String] = [:]
    for entity in entities {
      try Self.validate(entityName: entity.name)
      if let other = tables.updateValue(entity.name, forKey: entity.name.uppercased()) {
        throw StoreError.invalidModel("entities \(other) and \(entity.name) would share one table")
      }
      guard entity.attributes.count <= 1_900 else {
        throw StoreError.invalidModel(
          "\(entity.name) has \(entity.attributes.count) attributes; a table holds 1900 at most")
      }
      var names: Set<String> = []
      for attribute in entity.attributes {
        try Self.validate(attributeName: attribute.name, of: entity.name)
        guard names.insert(attribute.name).inserted else {
          throw StoreError.invalidModel("\(entity.name) has two attributes named \(attribute.name)")
        }
        if let value = attribute.defaultValue, !attribute.type.accepts(value) {
          throw StoreError.invalidModel(
            "the default of \(entity.name).\(attribute.name) is no \(attribute.type.rawValue)")
        }
      }
    }
  }

  private static func validate(entityName name: String) throws {
    let scalars = name.unicodeScalars
    let isWord = scalars.allSatisfy { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" }
    guard let first = scalars.first, first.properties.isAlphabetic, isWord, name.utf8.count <= 100 else {
      throw StoreError.invalidModel(
        "'\(name)' cannot be an entity's name: letters, digits and _, beginning with a letter, 100 bytes at most")
    }
  }

  private static func validate(attributeName name: String, of entity: String) throws {
    let hasControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard !name.isEmpty, !hasControl, name.utf8.count <= 200 else {
      throw StoreError.invalidModel(
        "\(entity) has an attribute whose name is empty, longer than 200 bytes or holds control characters")
    }
  }
}
