/// Access to values by key path and by place. `@Model` uses the places: a place is an index into the object's values,
/// while a key path has to be looked up. Those by place tell the observers of the property.
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
      state.set(newValue, at: state.place(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.setOne(newValue, at: state.place(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) {
    if let state = _currentState() {
      state.setOne(newValue, at: state.place(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.setMany(newValue, at: state.place(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection & Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  {
    if let state = _currentState() {
      state.setMany(newValue, at: state.place(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.set(newValue, at: state.place(key), of: self)
    } else {
      persistentBackingData.setTransformableValue(forKey: key, to: newValue)
    }
  }
}

// MARK: By place

extension PersistentModel {
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>, at place: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.value(at: place)
  }

  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, at place: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.one(at: place)
  }

  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, at place: Int) -> Value? {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.optionalOne(at: place)
  }

  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, at place: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.many(at: place)
  }

  public func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Self, Value>, at place: Int)
    -> Value
  {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.many(at: place)
  }

  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>, at place: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getTransformableValue(forKey: key) }
    state.observe(self, key)
    return state.value(at: place)
  }

  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value, at place: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.set(newValue, at: place, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value, at place: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setOne(newValue, at: place, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?, at place: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setOne(newValue, at: place, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at place: Int
  ) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setMany(newValue, at: place, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at place: Int
  ) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setMany(newValue, at: place, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value, at place: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.set(newValue, at: place, of: self) }
    } else {
      persistentBackingData.setTransformableValue(forKey: key, to: newValue)
    }
  }
}

// MARK: First values

/// What an initialiser gives, before the object exists as a whole.
extension BackingData {
  @_disfavoredOverload
  public mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value, at place: Int)
  {
    if _isMute { return }
    if let state = _state { state.set(newValue, at: place, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at place: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setOne(newValue, at: place, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value?>, to newValue: Value?, at place: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setOne(newValue, at: place, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: RelationshipCollection>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at place: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setMany(newValue, at: place, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at place: Int
  ) {
    if _isMute { return }
    if let state = _state { state.setMany(newValue, at: place, of: nil) } else { setValue(forKey: key, to: newValue) }
  }

  public mutating func setTransformableValue<Value>(
    forKey key: KeyPath<Model, Value>, to newValue: Value, at place: Int
  ) {
    if _isMute { return }
    if let state = _state {
      state.set(newValue, at: place, of: nil)
    } else {
      setTransformableValue(forKey: key, to: newValue)
    }
  }
}
