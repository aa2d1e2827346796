// SPDX-License-Identifier: MIT

/// Access to values by key path and by index. `@Model` uses the indexes into the object's values, because a key path has
/// to be looked up. Access by index notifies the observers of the property.
extension PersistentModel {
  /// The value of an attribute.
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  /// The object of a required to-one relationship.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  /// The object of a to-one relationship; nil for none.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>) -> Value? {
    persistentBackingData.getValue(forKey: key)
  }

  /// The objects of a to-many relationship.
  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  /// The objects of a to-many relationship.
  public func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  /// The value of an attribute that a value transformer converts.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: key)
  }

  /// Sets the value of an attribute.
  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.set(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the object of a required to-one relationship.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.setOne(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the object of a to-one relationship; nil for none.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) {
    if let state = _currentState() {
      state.setOne(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the objects of a to-many relationship.
  public func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    if let state = _currentState() {
      state.setMany(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the objects of a to-many relationship.
  public func setValue<Value: RelationshipCollection & Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  {
    if let state = _currentState() {
      state.setMany(newValue, at: state.index(key), of: self)
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the value of an attribute that a value transformer converts.
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
  /// The value of an attribute that is stored as it stands, and observes the property.
  @inlinable
  public func getValue<Value: _PlainValue>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return Value._get(at: index, of: state)
  }

  /// Sets the value of an attribute that is stored as it stands, and notifies observers.
  @inlinable
  public func setValue<Value: _PlainValue>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { Value._set(newValue, at: index, in: state, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// The value of an attribute, and observes the property.
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.value(at: index)
  }

  /// The object of a required to-one relationship, and observes the property.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.one(at: index)
  }

  /// The object of a to-one relationship; nil for none. It observes the property.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, at index: Int) -> Value? {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.optionalOne(at: index)
  }

  /// The objects of a to-many relationship, and observes the property.
  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.many(at: index)
  }

  /// The objects of a to-many relationship, and observes the property.
  public func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Self, Value>, at index: Int)
    -> Value
  {
    guard let state = _currentState() else { return persistentBackingData.getValue(forKey: key) }
    state.observe(self, key)
    return state.many(at: index)
  }

  /// The value of an attribute that a value transformer converts, and observes the property.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    guard let state = _currentState() else { return persistentBackingData.getTransformableValue(forKey: key) }
    state.observe(self, key)
    return state.value(at: index)
  }

  /// Sets the value of an attribute, and notifies observers.
  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.set(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the object of a required to-one relationship, and notifies observers.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setOne(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the object of a to-one relationship; nil for none. It notifies observers.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setOne(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the objects of a to-many relationship, and notifies observers.
  public func setValue<Value: RelationshipCollection>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int
  ) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setMany(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the objects of a to-many relationship, and notifies observers.
  public func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int
  ) {
    if let state = _currentState() {
      state.mutate(self, key) { state.setMany(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setValue(forKey: key, to: newValue)
    }
  }

  /// Sets the value of an attribute that a value transformer converts, and notifies observers.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    if let state = _currentState() {
      state.mutate(self, key) { state.set(newValue, at: index, of: self) }
    } else {
      persistentBackingData.setTransformableValue(forKey: key, to: newValue)
    }
  }
}
