// SPDX-License-Identifier: MIT

/// One access to a property that changes its value in place, as `folder.items.append(item)` does.
public class _PropertyEdit<Value> {
  /// The value that the access changes. Its address stays the same.
  public let value: UnsafeMutablePointer<Value>

  init(_ initial: Value) {
    value = .allocate(capacity: 1)
    value.initialize(to: initial)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Ends the access. The property gets the value.
  public func end() { preconditionFailure("an edit ends by setting its property") }
}

extension PersistentModel {
  /// Begins a change in place of an attribute's value.
  @_disfavoredOverload
  public func _edit<Value: Codable>(forKey key: KeyPath<Self, Value>, at index: Int) -> _PropertyEdit<Value> {
    ValueEdit(getValue(forKey: key, at: index)) { self.setValue(forKey: key, to: $0, at: index) }
  }

  /// Begins a change in place of a to-many relationship.
  public func _edit<Value: RelationshipCollection>(
    forKey key: KeyPath<Self, Value>, at index: Int
  ) -> _PropertyEdit<Value> {
    guard let state = _currentState() else {
      return ValueEdit(getValue(forKey: key, at: index)) { self.setValue(forKey: key, to: $0, at: index) }
    }
    return RelationshipEdit(self, state, key, index)
  }
}

/// Sets the property at its end.
private final class ValueEdit<Value>: _PropertyEdit<Value> {
  private let set: (Value) -> Void

  init(_ initial: Value, set: @escaping (Value) -> Void) {
    self.set = set
    super.init(initial)
  }

  override func end() { set(value.pointee) }
}

/// A change in place of a to-many relationship.
///
/// The array shares its storage with the relationship. As long as it still does, nothing was changed in it, and a change
/// by one of the methods of `Array` for models is made in the relationship itself: it takes as long as the same change of
/// an array. After any other change both arrays are compared.
private final class RelationshipEdit<Model: PersistentModel, Many: RelationshipCollection>: _PropertyEdit<Many>,
  EditedRelationship
{
  private let model: Model
  private let state: _ModelState
  private let key: KeyPath<Model, Many>
  private let index: Int
  private var isOpen = false

  init(_ model: Model, _ state: _ModelState, _ key: KeyPath<Model, Many>, _ index: Int) {
    (self.model, self.state, self.key, self.index) = (model, state, key, index)
    super.init(model.getValue(forKey: key, at: index))
    // Small arrays are compared just as fast.
    if state.targets(at: index).count >= 32 {
      isOpen = true
      OpenEdits.insert(self, at: UnsafeRawPointer(value))
    }
  }

  override func end() {
    if isOpen { OpenEdits.remove(at: UnsafeRawPointer(value)) }
    let coder: TypedCollectionCoder<Many> = state.coder(at: index)
    if !isUnchanged(coder.objects(value.pointee)) { model.setValue(forKey: key, to: value.pointee, at: index) }
  }

  func isUnchanged(_ objects: [AnyObject]) -> Bool {
    guard case .many(let targets) = state.slots[index] else { return false }
    return targets.isStored(as: objects)
  }

  func replace(_ range: Range<Int>, with objects: [AnyObject]) -> [AnyObject] {
    state.mutate(model, key) {
      // An observer that was notified of the change may have made another one.
      let range = range.clamped(to: 0..<state.targets(at: index).count)
      state.setTargets(in: range, to: objects, at: index, of: model)
    }
    return state.targets(at: index)
  }
}
