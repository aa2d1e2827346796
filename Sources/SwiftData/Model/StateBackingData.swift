/// The values of an object of this module, by key path.
protocol StateBackingData<Model>: BackingData {
  var state: _ModelState { get }
}

extension StateBackingData {
  var _state: _ModelState? { state }

  @_disfavoredOverload
  func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    state.value(at: state.place(key))
  }

  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value {
    state.one(at: state.place(key))
  }

  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? {
    state.optionalOne(at: state.place(key))
  }

  func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value {
    state.many(at: state.place(key))
  }

  func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    state.many(at: state.place(key))
  }

  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { state.value(at: state.place(key)) }

  @_disfavoredOverload
  func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.set(newValue, at: state.place(key), of: state.model)
  }

  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setOne(newValue, at: state.place(key), of: state.model)
  }

  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) {
    state.setOne(newValue, at: state.place(key), of: state.model)
  }

  func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setMany(newValue, at: state.place(key), of: state.model)
  }

  func setValue<Value: RelationshipCollection & Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setMany(newValue, at: state.place(key), of: state.model)
  }

  func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.set(newValue, at: state.place(key), of: state.model)
  }
}

extension _ModelState {
  func place(_ key: AnyKeyPath) -> Int {
    if let place = type.place(of: key) { return place }
    preconditionFailure("\(type.name) has no persisted property at \(key)")
  }
}
