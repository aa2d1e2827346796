// SPDX-License-Identifier: MIT

/// One persisted property of a model class.
final class PropertyType {
  enum Kind { case attribute, toOne, toMany }

  let name: String
  let keyPath: AnyKeyPath
  /// Its index among the object's properties, inherited ones first.
  let index: Int
  let valueType: Any.Type
  let kind: Kind
  let isOptional: Bool
  /// The destination class of a relationship.
  let target: (any PersistentModel.Type)?
  let attribute: Schema.Attribute?
  let relationship: Schema.Relationship?
  private let makeDefault: () -> Any?
  /// Of attributes; nil for a relationship, and for a type that cannot be stored.
  let coder: ValueCoder?
  /// Of a to-many relationship: makes the property's own collection of objects, and back.
  let collection: (any CollectionCoder)?
  let isOneWay: Bool

  init(_ metadata: Schema.PropertyMetadata, index: Int) {
    name = metadata.name
    keyPath = metadata.keypath
    self.index = index
    let type = Swift.type(of: metadata.keypath).valueType
    valueType = type
    isOptional = type is any OptionalProtocol.Type
    makeDefault = metadata.makeDefault
    isOneWay = metadata.isOneWay
    attribute = metadata.metadata as? Schema.Attribute
    relationship = metadata.metadata as? Schema.Relationship
    let isAttribute = attribute != nil
    let wrapped = OptionalTypes.unwrapped(type)
    if !isAttribute, let model = wrapped as? any PersistentModel.Type {
      (kind, target, coder, collection) = (.toOne, model, nil, nil)
    } else if !isAttribute, let many = type as? any RelationshipCollection.Type {
      (kind, target, coder) = (.toMany, Self.element(many), nil)
      collection = Self.collection(many)
    } else {
      (kind, target, collection) = (.attribute, nil, nil)
      coder = CoderFactory.coder(name: metadata.name, type, attribute)
    }
  }

  /// The names of the attributes that hold it: its own, or those of a structure's elements.
  var columnNames: [String] {
    guard let coder, coder.columns.count > 1 || coder.columns.first.map({ $0.name != name }) ?? false else {
      return [name]
    }
    return coder.columns.map { "\(name).\($0.name)" }
  }
  /// The names under which a store may hold it: its own, then the one that it had before it was renamed.
  var storedNames: [String] {
    [name] + [formerName].compactMap { $0 == name ? nil : $0 }
  }
  /// The name before the property was renamed; nil where it was not.
  var formerName: String? {
    (attribute?.originalName ?? relationship?.originalName).flatMap { $0.isEmpty ? nil : $0 }
  }
  /// Evaluated each time.
  var defaultValue: Any? { makeDefault() }
  var inverseKeyPath: AnyKeyPath? { relationship?.inverseKeyPath }
  var isStored: Bool { !(attribute?.options.contains(.ephemeral) ?? false) }

  private static func element<Many: RelationshipCollection>(_ type: Many.Type) -> any PersistentModel.Type {
    Many.PersistentElement.self
  }

  private static func collection<Many: RelationshipCollection>(_ type: Many.Type) -> any CollectionCoder {
    TypedCollectionCoder<Many>()
  }
}

/// Converts between references and the collection of a to-many relationship. Only the references are stored.
protocol CollectionCoder: AnyObject {
  /// - Parameter object: One of the relationship's objects.
  func model(_ object: AnyObject) -> any PersistentModel
}

final class TypedCollectionCoder<Many: RelationshipCollection>: CollectionCoder {
  typealias Element = Many.PersistentElement

  func model(_ object: AnyObject) -> any PersistentModel { unsafeDowncast(object, to: Element.self) }

  /// An array of references has the same layout whatever their class is, so nothing is copied.
  func collection(_ objects: [AnyObject]) -> Many {
    let models = unsafeBitCast(objects, to: [Element].self)
    if Many.self == [Element].self { return unsafeBitCast(models, to: Many.self) }
    if let collection = models as? Many { return collection }
    preconditionFailure("a to-many relationship is an array of models; \(Many.self) is not one")
  }

  func objects(_ collection: Many) -> [AnyObject] {
    if Many.self == [Element].self { return unsafeBitCast(collection, to: [AnyObject].self) }
    if let models = collection as? [Element]? { return unsafeBitCast(models ?? [], to: [AnyObject].self) }
    preconditionFailure("a to-many relationship is an array of models; \(Many.self) is not one")
  }
}
