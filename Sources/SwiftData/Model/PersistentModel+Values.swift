/// Access to values by key path and by index. `@Model` uses the indexes into the object's values, because a key path has
/// to be looked up. Access by index notifies the observers of the property.
extension PersistentModel {
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>) -> Value? {
    persistentBackingData.getValue(forKey: key)
  }

  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  public func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: key)
  }

  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.set(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.setOne(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) {
    if let state = _currentState() {
      state.setOne(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.setMany(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection & Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  {
    if let state = _currentState() {
      state.setMany(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.set(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setTransformableValue(forKey: key, to: newValue)
    }
  }
}

// MARK: By index

extension PersistentModel {
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.value(at: index)
  }

  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.one(at: index)
  }

  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, at index: Int) -> Value? {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.optionalOne(at: index)
  }

  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.many(at: index)
  }

  public func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Self, Value>, at index: Int)
    -> Value
  {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.many(at: index)
  }

  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getTransformableValue(forKey: key) }
    state.observe(self, key)
    return state.value(at: index)
  }

  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.set(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setOne(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setOne(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int
  ) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setMany(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int
  ) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setMany(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.set(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setTransformableValue(forKey: key, to: newValue)
    }
  }
}

// MARK: First values

/// What an initialiser gives, before the object exists as a whole.
extension BackingData {
  @_disfavoredOverload
  public mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value, at index: Int)
  {
    if _isMute { return }
    if let state = _state { state.set(newValue, at: index, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at index: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setOne(newValue, at: index, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value?>, to newValue: Value?, at index: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setOne(newValue, at: index, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: RelationshipCollection>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at index: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setMany(newValue, at: index, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at index: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setMany(newValue, at: index, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setTransformableValue<Value>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at index: Int
  ) {
    if _isMute { return }
    if let state = _state {
      state.set(newValue, at: index, of: nil)
    } else {
      setTransformableValue(forKey: key, to: newValue)
    }
  }
}
