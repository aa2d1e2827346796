/// What an object itself holds on to: its state, made at the first use.
///
/// Nobody else holds it, so its end is the object's end, and the state knows. Everybody else is given a
/// `SharedBackingData`.
final class ModelBackingData<Model: PersistentModel>: StateBackingData {
  private var made: _ModelState?
  /// Whether the object is being made over values that exist already: what its initialiser gives is not wanted.
  private var isMute: Bool

  init(for modelType: Model.Type) { isMute = Materialising.takes(modelType) }

  deinit {
    if let made, made.owner === self { (made.model, made.owner) = (nil, nil) }
  }

  var state: _ModelState {
    get {
      if let made { return made }
      let state = _ModelState(ModelType.of(Model.self))
      hold(state)
      return state
    }
    set { hold(newValue) }
  }

  private func hold(_ state: _ModelState) {
    isMute = false
    made = state
    if state.owner == nil { state.owner = self }
  }

  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    set { if let newValue { state.identifier = newValue } }
  }

  var _shared: any BackingData<Model> { SharedBackingData<Model>(state) }

  var _isMute: Bool { isMute }

  func _adopt(_ state: _ModelState) -> Bool {
    hold(state)
    return true
  }
}

/// An object's values, for others than the object itself.
struct SharedBackingData<Model: PersistentModel>: StateBackingData {
  let state: _ModelState

  init(_ state: _ModelState) { self.state = state }
  init(for modelType: Model.Type) { state = _ModelState(ModelType.of(modelType)) }

  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    nonmutating set { if let newValue { state.identifier = newValue } }
  }
}

// MARK: Inheritance

/// The number of persisted properties of a class, those it inherits included: the place of a subclass's first one.
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
