/// Where a model object keeps its values.
///
/// `@Model` classes read and write through it. The overloads stand for plain values, to-one and to-many relationships;
/// which one is meant is decided by the property's type.
public protocol BackingData<Model> {
  associatedtype Model: PersistentModel

  init(for modelType: Model.Type)

  var persistentModelID: PersistentIdentifier? { get set }
  var metadata: Any { get }

  @_disfavoredOverload
  func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value?
  func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value
  func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Model, Value>) -> Value
  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

  @_disfavoredOverload
  mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  mutating func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  mutating func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Model, Value>, to newValue: Value)
  mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)

  /// The object's own state, found without its key paths; nil for a backing of another make.
  var _state: _ModelState? { get }
}

extension BackingData {
  public var _state: _ModelState? { nil }
  public var metadata: Any { () }
}

/// The collections a to-many relationship may be declared as.
public protocol RelationshipCollection {
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  public typealias PersistentElement = Wrapped.Element
}
