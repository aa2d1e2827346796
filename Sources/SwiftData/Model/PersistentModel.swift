// SPDX-License-Identifier: MIT

/// A class whose objects live in a store; `@Model` writes the conformance.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The class at the top of the inheritance.
  associatedtype Root: PersistentModel = Self

  /// Makes an object over values that exist already; fetches use it.
  init(backingData: any BackingData<Self>)

  /// Where the object's values are.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The object's values without their key paths; nil for another kind of backing.
  func _currentState() -> _ModelState?

  /// Runs `body`, which changes the property at `index`, and notifies the property's observers.
  func _withMutation(at index: Int, _ body: () -> Void)

  /// The persisted properties in the order of their indexes, and the constraints and indexes of the class.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
}

extension PersistentModel {
  /// Backing data of a new object.
  @inlinable
  public static func createBackingData<Model: PersistentModel>() -> some BackingData<Model> {
    _ModelBackingData<Model>(for: Model.self)
  }

  /// The state of the object's backing.
  public func _currentState() -> _ModelState? { persistentBackingData._state }

  /// Runs `body`; a class without observed properties notifies nobody.
  public func _withMutation(at index: Int, _ body: () -> Void) { body() }

  var state: _ModelState {
    if let state = _currentState() {
      if state.model == nil { state.model = self }
      return state
    }
    preconditionFailure("\(Self.self) keeps its values in a backing of its own, which no context can save")
  }

  /// The object's values are those of `state` from now on.
  func hold(_ state: _ModelState) {
    persistentBackingData = SharedBackingData<Self>(state)
    // A class that the macro has not written keeps this backing, which does not notify the state of the object's end.
    if state.owner == nil { persistentBackingData = _ModelBackingData<Self>(over: state) }
  }

  /// Identifies the object. It is temporary until the first save, and permanent afterwards.
  public var persistentModelID: PersistentIdentifier {
    if let state = _currentState() { return state.identifier }
    if let identifier = persistentBackingData.persistentModelID { return identifier }
    preconditionFailure("the backing of \(Self.self) has no identifier")
  }

  /// The same as `persistentModelID`.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the object was inserted, changed or deleted since its context's last save.
  public var hasChanges: Bool { _currentState()?.hasChanges ?? false }

  /// Whether the object was deleted and the delete is not saved yet.
  public var isDeleted: Bool { _currentState()?.isDeleted ?? false }

  /// Objects are equal when they are the same row, in whichever context.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || left.persistentModelID == right.persistentModelID
  }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(persistentModelID) }
}
