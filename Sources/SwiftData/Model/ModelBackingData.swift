/// The backing of every object of this module: a reference to its state, made at the first use.
final class ModelBackingData<Model: PersistentModel>: BackingData {
  private var made: _ModelState?

  init(for modelType: Model.Type) {}

  init(_ state: _ModelState) { made = state }

  var _state: _ModelState? { state }

  var state: _ModelState {
    get {
      if let made { return made }
      let state = _ModelState(ModelType.of(Model.self))
      made = state
      return state
    }
    set { made = newValue }
  }

  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    set { if let newValue { state.identifier = newValue } }
  }

  private func place(_ key: AnyKeyPath) -> Int {
    guard let place = state.type.place(of: key) else {
      preconditionFailure("\(Model.self) has no persisted property at \(key)")
    }
    return place
  }

  @_disfavoredOverload
  func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    state.value(at: place(key))
  }

  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value {
    state.one(at: place(key))
  }

  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? {
    state.optionalOne(at: place(key))
  }

  func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value {
    state.many(at: place(key))
  }

  func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    state.many(at: place(key))
  }

  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { state.value(at: place(key)) }

  @_disfavoredOverload
  func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.set(newValue, at: place(key), of: state.model)
  }

  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setOne(newValue, at: place(key), of: state.model)
  }

  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) {
    state.setOne(newValue, at: place(key), of: state.model)
  }

  func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setMany(newValue, at: place(key), of: state.model)
  }

  func setValue<Value: RelationshipCollection & Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setMany(newValue, at: place(key), of: state.model)
  }

  func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.set(newValue, at: place(key), of: state.model)
  }
}

// MARK: Inheritance

/// The number of persisted properties of a class, those it inherits included: the place of a subclass's first one.
public func _propertyCount<Model: PersistentModel>(_ model: Model.Type) -> Int { ModelType.of(model).properties.count }

/// The one backing of an object of a subclass: the values its initialiser gave to the subclass's own properties, and
/// those of the superclass, come together in the first.
public func _join<Own: PersistentModel, Parent: PersistentModel>(
  _ own: any BackingData<Own>, _ parent: any BackingData<Parent>
) -> any BackingData<Parent> {
  guard let state = own._state, let other = parent._state, state !== other else { return parent }
  guard let parent = parent as? ModelBackingData<Parent>, other.type !== state.type else { return parent }
  state.takeOver(other)
  parent.state = state
  return parent
}

/// The same values under the type of a subclass.
public func _recast<Own: PersistentModel, Parent: PersistentModel>(
  _ backing: any BackingData<Parent>
) -> any BackingData<Own> {
  backing._state.map(ModelBackingData<Own>.init) ?? ModelBackingData<Own>(for: Own.self)
}
