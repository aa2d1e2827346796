// SPDX-License-Identifier: MIT

/// The values of an object of this module, by key path.
protocol StateBackingData<Model>: BackingData {
  var state: _ModelState { get }
  /// The state that receives values; nil where they are ignored.
  var receiver: _ModelState? { get }
}

extension StateBackingData {
  /// The value of an attribute.
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    state.value(at: state.index(key))
  }

  /// The object of a required to-one relationship.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value {
    state.one(at: state.index(key))
  }

  /// The object of a to-one relationship; nil for none.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? {
    state.optionalOne(at: state.index(key))
  }

  /// The objects of a to-many relationship.
  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value {
    state.many(at: state.index(key))
  }

  /// The objects of a to-many relationship.
  public func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    state.many(at: state.index(key))
  }

  /// The value of an attribute that a value transformer converts.
  public func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value {
    state.value(at: state.index(key))
  }

  /// Sets the value of an attribute.
  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    receiver?.set(newValue, at: state.index(key), of: state.model)
  }

  /// Sets the object of a required to-one relationship.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    receiver?.setTarget(newValue, at: state.index(key), of: state.model)
  }

  /// Sets the object of a to-one relationship; nil for none.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) {
    receiver?.setTarget(newValue, at: state.index(key), of: state.model)
  }

  /// Sets the objects of a to-many relationship.
  public func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    receiver?.setMany(newValue, at: state.index(key), of: state.model)
  }

  /// Sets the objects of a to-many relationship.
  public func setValue<Value: RelationshipCollection & Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  {
    receiver?.setMany(newValue, at: state.index(key), of: state.model)
  }

  /// Sets the value of an attribute that a value transformer converts.
  public func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    receiver?.set(newValue, at: state.index(key), of: state.model)
  }
}

extension _ModelState {
  func index(_ key: AnyKeyPath) -> Int {
    if let index = type.index(of: key) { return index }
    preconditionFailure("\(type.name) has no persisted property at \(key)")
  }
}
