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
    set({ $0.set(newValue, at: $0.index(key), of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the object of a required to-one relationship.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    set({ $0.setTarget(newValue, at: $0.index(key), of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the object of a to-one relationship; nil for none.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) {
    set({ $0.setTarget(newValue, at: $0.index(key), of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the objects of a to-many relationship.
  public func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    set({ $0.setMany(newValue, at: $0.index(key), of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the objects of a to-many relationship.
  public func setValue<Value: RelationshipCollection & Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  {
    set({ $0.setMany(newValue, at: $0.index(key), of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the value of an attribute that a value transformer converts.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    set({ $0.set(newValue, at: $0.index(key), of: self) }, or: { $0.setTransformableValue(forKey: key, to: newValue) })
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
    read(key, { $0.value(at: index) }, or: { $0.getValue(forKey: key) })
  }

  /// The object of a required to-one relationship, and observes the property.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    read(key, { $0.one(at: index) }, or: { $0.getValue(forKey: key) })
  }

  /// The object of a to-one relationship; nil for none. It observes the property.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, at index: Int) -> Value? {
    read(key, { $0.optionalOne(at: index) }, or: { $0.getValue(forKey: key) })
  }

  /// The objects of a to-many relationship, and observes the property.
  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    read(key, { $0.many(at: index) }, or: { $0.getValue(forKey: key) })
  }

  /// The objects of a to-many relationship, and observes the property.
  public func getValue<Value: RelationshipCollection & Decodable>(forKey key: KeyPath<Self, Value>, at index: Int)
    -> Value
  {
    read(key, { $0.many(at: index) }, or: { $0.getValue(forKey: key) })
  }

  /// The value of an attribute that a value transformer converts, and observes the property.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>, at index: Int) -> Value {
    read(key, { $0.value(at: index) }, or: { $0.getTransformableValue(forKey: key) })
  }

  /// Sets the value of an attribute, and notifies observers.
  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    change(key, { $0.set(newValue, at: index, of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the object of a required to-one relationship, and notifies observers.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    change(key, { $0.setTarget(newValue, at: index, of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the object of a to-one relationship; nil for none. It notifies observers.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?, at index: Int) {
    change(key, { $0.setTarget(newValue, at: index, of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the objects of a to-many relationship, and notifies observers.
  public func setValue<Value: RelationshipCollection>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int
  ) {
    change(key, { $0.setMany(newValue, at: index, of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the objects of a to-many relationship, and notifies observers.
  public func setValue<Value: RelationshipCollection & Encodable>(
    forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int
  ) {
    change(key, { $0.setMany(newValue, at: index, of: self) }, or: { $0.setValue(forKey: key, to: newValue) })
  }

  /// Sets the value of an attribute that a value transformer converts, and notifies observers.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value, at index: Int) {
    change(key, { $0.set(newValue, at: index, of: self) }, or: { $0.setTransformableValue(forKey: key, to: newValue) })
  }
}

extension PersistentModel {
  /// Sets a value in the object's state, or in a backing of another kind.
  @inline(__always)
  private func set(_ body: (_ModelState) -> Void, or otherwise: (inout any BackingData<Self>) -> Void) {
    if let state = _currentState() { body(state) } else { otherwise(&persistentBackingData) }
  }

  /// As `set(_:or:)`, and notifies the observers of the property.
  @inline(__always)
  private func change<Value>(
    _ key: KeyPath<Self, Value>, _ body: (_ModelState) -> Void, or otherwise: (inout any BackingData<Self>) -> Void
  ) {
    set({ state in state.mutate(self, key) { body(state) } }, or: otherwise)
  }

  /// A value of the object's state, whose property is observed, or of a backing of another kind.
  @inline(__always)
  private func read<Value>(
    _ key: KeyPath<Self, Value>, _ body: (_ModelState) -> Value, or otherwise: (any BackingData<Self>) -> Value
  ) -> Value {
    guard let state = _currentState() else { return otherwise(persistentBackingData) }
    state.observe(self, key)
    return body(state)
  }
}
