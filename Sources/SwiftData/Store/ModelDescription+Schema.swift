// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

extension ModelDescription {
  /// The store's description of a schema's classes.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` that names a property whose type cannot be stored.
  init(_ schema: Schema) throws {
    guard !schema.types.isEmpty else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "the schema names no classes: make it of model classes, for one that was loaded from a file only describes them"
      )
    }
    self.init(entities: try schema.types.map { try EntityDescription($0) })
  }
}

extension EntityDescription {
  fileprivate init(_ type: ModelType) throws {
    self.init(type.name, superentity: type.superclass?.name)
    for property in type.properties[(type.superclass?.properties.count ?? 0)...] where property.isStored {
      if let target = property.target.map(ModelType.of) {
        relationships.append(RelationshipDescription(property, of: type, to: target))
        if property.kind == .toOne, property.relationship?.isUnique ?? false { uniqueness.append([property.name]) }
      } else {
        try add(property, of: type)
      }
    }
    uniqueness += try type.uniqueness.map { try $0.flatMap { try Self.names(at: $0, of: type) } }
    indexes = try type.indexes.map { paths in
      try paths.map { path in
        let names = try Self.names(at: path, of: type)
        guard names.count == 1 else {
          throw SwiftDataError(
            .unsupportedKeyPath,
            "\(type.name): #Index takes single values: name the stored properties instead, such as "
              + "\(names.map { "\\.\($0)" }.joined(separator: ", "))")
        }
        return names[0]
      }
    }
  }

  /// The attributes that hold what a key path of `#Unique` or `#Index` reads.
  private static func names(at path: AnyKeyPath, of type: ModelType) throws -> [String] {
    if let index = type.index(of: path) { return type.properties[index].columnNames }
    if let name = type.elementName(at: path) { return [name] }
    throw SwiftDataError(.unsupportedKeyPath, "\(type.name): #Unique and #Index take key paths of stored properties")
  }

  private mutating func add(_ property: PropertyType, of type: ModelType) throws {
    guard let coder = property.coder else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(type.name).\(property.name): \(property.valueType) cannot be stored; make it Codable, or mark the property "
          + "@Transient")
    }
    let declared = property.attribute
    if let transformer = declared?.transformerName, ValueTransformer.find(transformer) == nil {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(type.name).\(property.name): no value transformer is registered as \(transformer); call "
          + "ValueTransformer.setValueTransformer(_:forName:) before you make the container")
    }
    let isComposite = property.columnNames != [property.name]
    // The elements of a structure are unique together.
    let options = (declared?.options ?? []).filter { option in
      option == .externalStorage ? coder.isExternal : option != .unique || !isComposite
    }.compactMap { AttributeDescription.Option(rawValue: $0.name) }
    if isComposite, declared?.isUnique ?? false { uniqueness.append(property.columnNames) }
    let defaults = try property.defaultValue.flatMap { coder.slot(any: $0) }.map { try coder.encoded($0) }
    let elements = coder.columns.enumerated().map { index, column in
      AttributeDescription(
        column.name, column.type, isOptional: column.isOptional,
        defaultValue: defaults.flatMap { $0[index].isNull ? nil : $0[index] },
        options: options, originalName: isComposite ? nil : property.formerName, modifier: declared?.hashModifier)
    }
    if isComposite {
      composites.append(CompositeDescription(property.name, elements: elements, originalName: property.formerName))
    } else {
      attributes.append(elements[0])
    }
  }
}

extension RelationshipDescription {
  fileprivate init(_ property: PropertyType, of type: ModelType, to target: ModelType) {
    let declared = property.relationship
    let isToMany = property.kind == .toMany
    let rule: RelationshipDescription.DeleteRule =
      switch declared?.deleteRule ?? .nullify {
      case .noAction: .noAction
      case .nullify: .nullify
      case .cascade: .cascade
      case .deny: .deny
      }
    func bound(_ count: Int?) -> Int? { count.flatMap { isToMany && $0 > 0 ? $0 : nil } }
    self.init(
      property.name, to: target.name, isToMany: isToMany, isOptional: isToMany || property.isOptional,
      inverse: type.inverse(of: property.index).map { target.properties[$0].name }, deleteRule: rule,
      minimumCount: bound(declared?.minimumModelCount), maximumCount: bound(declared?.maximumModelCount),
      originalName: property.formerName, modifier: declared?.hashModifier)
  }
}
