// SPDX-License-Identifier: MIT

/// The backing that an object holds: its state, made at the first use.
///
/// Only the object holds it, so both are deallocated together, and the state is notified. All others get a
/// `SharedBackingData`.
public final class _ModelBackingData<Model: PersistentModel>: StateBackingData {
  @exclusivity(unchecked) fileprivate var made: _ModelState?
  /// Whether the object is initialised over existing values, and the initial values of its properties are ignored.
  fileprivate var isMute: Bool

  /// Backing data of a new object, or of the object that is being made over existing values.
  public init(for modelType: Model.Type) {
    made = InitializingState.take(modelType)
    isMute = made != nil
    made?.owner = ObjectIdentifier(self)
  }

  /// The backing of an object over existing values.
  init(over state: _ModelState) {
    made = state
    isMute = false
    state.owner = ObjectIdentifier(self)
  }

  deinit {
    if let made, made.owner == ObjectIdentifier(self) { (made.model, made.owner) = (nil, nil) }
  }

  /// The object's state, made at the first use.
  public var _state: _ModelState? { state }

  var state: _ModelState {
    if let made { return made }
    let state = _ModelState(ModelType.of(Model.self))
    hold(state)
    return state
  }

  private func hold(_ state: _ModelState) {
    made = state
    if state.owner == nil { state.owner = ObjectIdentifier(self) }
  }

  /// The identifier of the object.
  public var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    set { if let newValue { state.identifier = newValue } }
  }

  /// The backing for all others than the object.
  public var _shared: any BackingData<Model> { SharedBackingData<Model>(state) }

  /// Takes over the state of another backing of the object.
  public func _adopt<Other: PersistentModel>(_ other: any BackingData<Other>) {
    isMute = false
    if let state = other._state { hold(state) }
  }
}

// MARK: First values

/// The values that an initialiser sets before the object exists as a whole. An object over existing values ignores them.
extension _ModelBackingData {
  /// Sets the first value of an attribute.
  @_disfavoredOverload
  public func _start<Value: Encodable>(with value: Value, at index: Int) {
    receiver?.set(value, at: index, of: nil)
  }

  /// Sets the first value of an attribute that is stored as it stands.
  @inlinable
  public func _start<Value: _PlainValue>(with value: Value, at index: Int) {
    if let state = receiver { Value._set(value, at: index, in: state, of: nil) }
  }

  /// The state that receives values; nil where they are ignored.
  @usableFromInline var receiver: _ModelState? { isMute ? nil : state }

  /// Sets the first object of a required to-one relationship.
  public func _start<Value: PersistentModel>(with value: Value, at index: Int) {
    receiver?.setTarget(value, at: index, of: nil)
  }

  /// Sets the first object of a to-one relationship; nil for none.
  public func _start<Value: PersistentModel>(with value: Value?, at index: Int) {
    receiver?.setTarget(value, at: index, of: nil)
  }

  /// Sets the first objects of a to-many relationship.
  public func _start<Value: RelationshipCollection>(with value: Value, at index: Int) {
    receiver?.setMany(value, at: index, of: nil)
  }

  /// Sets the first objects of a to-many relationship.
  public func _start<Value: RelationshipCollection & Encodable>(with value: Value, at index: Int) {
    receiver?.setMany(value, at: index, of: nil)
  }

  /// Sets the first value of an attribute that a value transformer converts.
  public func _startTransformable<Value>(with value: Value, at index: Int) {
    receiver?.set(value, at: index, of: nil)
  }
}

/// An object's values, for others than the object itself.
struct SharedBackingData<Model: PersistentModel>: StateBackingData {
  let state: _ModelState

  init(_ state: _ModelState) { self.state = state }
  init(for modelType: Model.Type) { state = _ModelState(ModelType.of(modelType)) }

  var _state: _ModelState? { state }
  var receiver: _ModelState? { state }

  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    nonmutating set { if let newValue { state.identifier = newValue } }
  }
}

// MARK: Inheritance

/// The number of persisted properties of a class, inherited ones included. It is the index of a subclass's first one.
public func _propertyCount<Model: PersistentModel>(_ model: Model.Type) -> Int { ModelType.of(model).properties.count }

/// The values of an object of a subclass as one backing, once its initialiser has given those of both classes; nil where
/// they are one already.
public func _join<Own: PersistentModel, Parent: PersistentModel>(
  _ own: any BackingData<Own>, _ parent: any BackingData<Parent>
) -> (any BackingData<Parent>)? {
  guard let other = parent._state, let state = own._state, state !== other,
    state.type !== other.type, other.type.includes(state.type)
  else { return nil }
  state.takeOver(other)
  return SharedBackingData<Parent>(state)
}
