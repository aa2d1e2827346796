// SPDX-License-Identifier: MIT

/// Values that a context or a store sets and reads.
extension _ModelState {
  func leads(to object: any PersistentModel, at index: Int) -> Bool {
    switch slots[index] {
    case .one(let target): target === object
    case .row(let identifier): identifier == object.persistentModelID
    case .many: withTargets(at: index) { $0.contains(object) } ?? false
    default: false
    }
  }

  /// Takes over what the row holds; unsaved changes stay.
  func merge(_ fresh: ContiguousArray<Slot>) {
    let wasFault = isFault
    isFault = false
    for index in fresh.indices {
      if case .unset = fresh[index] { continue }
      originals?[index] = fresh[index]
      guard !changed.contains(index) else { continue }
      // To-many relationships are read again at the next access.
      if wasFault { slots[index] = fresh[index] } else { announce(index) { slots[index] = fresh[index] } }
    }
  }

  /// Releases the related objects, which are read again at the next access: objects that refer to each other would keep
  /// each other alive.
  ///
  /// - Parameter keepsUnsaved: Whether relationships to objects without a row stay.
  func releaseRelated(keepsUnsaved: Bool) {
    for index in slots.indices {
      switch slots[index] {
      case .one(let target?) where !keepsUnsaved || !target.persistentModelID.isTemporary:
        slots[index] = .row(target.persistentModelID)
      case .many where !keepsUnsaved || !models(at: index).contains { $0.persistentModelID.isTemporary }:
        slots[index] = .unread
      default: continue
      }
    }
  }

  /// The value of an attribute, whatever its type.
  func any(at index: Int) throws -> Any? {
    if isFault || isPartial { fill() }
    if case .unset = slots[index] { return type.properties[index].defaultValue }
    return try type.properties[index].coder?.any(&slots[index])
  }

  /// Sets the properties to the values of a snapshot.
  func assign(_ values: [String: Any], _ object: (PersistentIdentifier) -> (any PersistentModel)?) {
    guard let model else { return }
    for property in type.properties where property.isStored {
      let value = values[property.name]
      switch property.kind {
      case .attribute:
        guard let value, let slot = property.coder?.slot(any: value) else { continue }
        willChange(property.index, of: model)
        slots[property.index] = slot
      case .toOne:
        setTarget((value as? PersistentIdentifier).flatMap(object), at: property.index, of: model)
      case .toMany:
        guard let identifiers = value as? [PersistentIdentifier] else { continue }
        setTargets(identifiers.compactMap(object), at: property.index, of: model)
      }
    }
  }
}
