// SPDX-License-Identifier: MIT

/// The model classes that a schema was made of.
final class ModelTypes: SchemaClasses {
  /// Superclasses before their subclasses.
  let all: [ModelType]

  /// The classes, their superclasses, and the destinations of their relationships.
  init(reachableFrom models: [any PersistentModel.Type]) {
    var found: [ModelType] = []
    func add(_ type: ModelType) {
      guard !found.contains(where: { $0 === type }) else { return }
      if let superclass = type.superclass { add(superclass) }
      found.append(type)
      for property in type.properties {
        if let target = property.target { add(ModelType.of(target)) }
      }
    }
    for model in models { add(ModelType.of(model)) }
    all = found
  }
}

extension Schema {
  /// The classes, superclasses before their subclasses; none of a schema that was loaded from a file.
  var types: [ModelType] { (classes as? ModelTypes)?.all ?? [] }

  /// A schema of these classes, their superclasses, and the destinations of their relationships.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.init(types, version, hasOwnVersion: version != Version(1, 0, 0))
  }

  /// A schema of these classes, their superclasses, and the destinations of their relationships.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// The schema of one version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, versionedSchema.versionIdentifier, hasOwnVersion: true)
  }

  private convenience init(_ models: [any PersistentModel.Type], _ version: Version, hasOwnVersion: Bool) {
    let types = ModelTypes(reachableFrom: models)
    self.init(
      entities: Entity.linked(types.all), classes: types, version: version, hasOwnVersion: hasOwnVersion)
  }

  /// The entity of a class; nil where the schema does not have it.
  public func entity<Model: PersistentModel>(for type: Model.Type) -> Entity? {
    entitiesByName[Self.entityName(for: type)]
  }

  /// The class's bare name.
  public static func entityName<Model: PersistentModel>(for type: Model.Type) -> String { String(describing: type) }
}

extension Schema.Entity {
  /// The entity of a class.
  private convenience init(_ type: ModelType) {
    self.init(type.name)
    superentityName = type.superclass?.name
    let inherited = type.superclass?.properties.count ?? 0
    let all = type.properties.map { Self.property($0, of: type) }
    inheritedProperties = Array(all[..<inherited])
    storedProperties = Array(all[inherited...])
    func names(_ paths: [[AnyKeyPath]]) -> [[String]] {
      paths.map {
        $0.compactMap { path in
          type.index(of: path).map { type.properties[$0].name } ?? type.elementName(at: path)
        }
      }
    }
    uniquenessConstraints =
      type.properties[inherited...].filter { $0.attribute?.isUnique ?? $0.relationship?.isUnique ?? false }
      .map { [$0.name] }
      + names(type.uniqueness)
    indices = names(type.indexes)
  }

  /// The entities of classes, each knowing those above and below it.
  static func linked(_ types: [ModelType]) -> [Schema.Entity] {
    let made = types.map { (type: $0, entity: Schema.Entity($0)) }
    for (type, entity) in made {
      guard let above = made.first(where: { $0.type === type.superclass })?.entity else { continue }
      entity.superentity = above
      above.subentities.insert(entity)
    }
    return made.map(\.entity)
  }

  private static func property(_ property: PropertyType, of type: ModelType) -> any SchemaProperty {
    guard let target = property.target.map(ModelType.of) else { return attribute(property) }
    let declared = property.relationship
    let made = Schema.Relationship(
      deleteRule: declared?.deleteRule ?? .nullify, minimumModelCount: declared?.minimumModelCount ?? 0,
      maximumModelCount: declared?.maximumModelCount ?? 0, inverse: declared?.inverseKeyPath,
      hashModifier: declared?.hashModifier)
    made.options = declared?.options ?? []
    made.name = property.name
    made.originalName = property.formerName ?? property.name
    made.keypath = property.keyPath
    made.valueType = property.valueType
    made.isDeclaredToOne = property.kind == .toOne
    made.destination = target.name
    made.inverseName = type.inverse(of: property.index).map { target.properties[$0].name }
    return made
  }

  private static func attribute(_ property: PropertyType) -> Schema.Attribute {
    let elements = Array(zip(property.coder?.columns ?? [], property.coder?.elementTypes ?? []))
    let composite = Schema.CompositeAttribute(name: property.name, valueType: property.valueType)
    composite.properties = elements.map { Schema.Attribute(name: $0.name, valueType: $1) }
    let made = elements.count > 1 ? composite : Schema.Attribute(name: property.name, valueType: property.valueType)
    made.originalName = property.formerName ?? property.name
    made.options = property.attribute?.options ?? []
    made.defaultValue = property.defaultValue
    made.hashModifier = property.attribute?.hashModifier
    return made
  }
}
