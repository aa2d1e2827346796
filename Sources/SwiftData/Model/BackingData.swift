// SPDX-License-Identifier: MIT

/// Where a model object keeps its values.
///
/// `@Model` classes read and write through it. The overloads stand for plain values, to-one and to-many relationships;
/// which one is meant is decided by the property's type.
public protocol BackingData<Model> {
  /// The class of the object.
  associatedtype Model: PersistentModel

  /// Backing data of a new object, without values.
  init(for modelType: Model.Type)

  /// The identifier of the object; nil where it has none yet.
  var persistentModelID: PersistentIdentifier? { get set }
  /// What the backing keeps beside the values.
  var metadata: Any { get }

  /// The value of an attribute.
  @_disfavoredOverload
  func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value
  /// The object of a required to-one relationship.
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value
  /// The object of a to-one relationship; nil for none.
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value?
  /// The objects of a to-many relationship.
  func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value
  /// The objects of a to-many relationship.
  func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Model, Value>) -> Value
  /// The value of an attribute that a value transformer converts.
  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

  /// Sets the value of an attribute.
  @_disfavoredOverload
  mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the object of a required to-one relationship.
  mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the object of a to-one relationship; nil for none.
  mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  /// Sets the objects of a to-many relationship.
  mutating func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the objects of a to-many relationship.
  mutating func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the value of an attribute that a value transformer converts.
  mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)

  /// The object's own state, found without its key paths; nil for another kind of backing.
  var _state: _ModelState? { get }
}

extension BackingData {
  /// nil: only the backings of this module have a state.
  public var _state: _ModelState? { nil }
  /// Nothing.
  public var metadata: Any { () }

  /// The same values as a backing of the object's own class.
  public func _generateCurrentClassBackingData<CurrentClass: PersistentModel>() -> any BackingData<CurrentClass> {
    backing()
  }

  /// The same values as a backing of a class above the object's own.
  public func _superClassBackingData<SuperClass: PersistentModel>(
    of givenType: any PersistentModel.Type
  ) -> any BackingData<SuperClass> { backing() }

  private func backing<Other: PersistentModel>() -> any BackingData<Other> {
    _state.map { SharedBackingData<Other>($0) } ?? SharedBackingData<Other>(for: Other.self)
  }
}

/// The collections a to-many relationship may be declared as.
public protocol RelationshipCollection {
  /// The class of the objects.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the objects.
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  /// The class of the objects.
  public typealias PersistentElement = Wrapped.Element
}
