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

  /// Whether values that an initialiser gives are passed over.
  var _isMute: Bool { get }

  /// The backing to give to others than its object.
  var _shared: any BackingData<Model> { get }

  /// Takes over the values of `state`; false for a backing of another make.
  func _adopt(_ state: _ModelState?) -> Bool
}

extension BackingData {
  public var _state: _ModelState? { nil }
  public var _isMute: Bool { false }
  public var _shared: any BackingData<Model> { self }
  public func _adopt(_ state: _ModelState?) -> Bool { false }

  /// Takes over the values of another backing of one object; false where this one cannot.
  public func _adopt<Other: PersistentModel>(_ other: any BackingData<Other>) -> Bool {
    _adopt(other._state)
  }

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
