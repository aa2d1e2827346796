// SPDX-License-Identifier: MIT

/// Relationships of one object. Both ends change together.
extension _ModelState {
  // MARK: To-one

  func one<Target: PersistentModel>(at index: Int) -> Target {
    guard let object = target(at: index) else {
      refuseLost(index)
      preconditionFailure("\(type.name).\(type.properties[index].name) of \(identifier) leads to no object")
    }
    return unsafeDowncast(object as AnyObject, to: Target.self)
  }

  func optionalOne<Target: PersistentModel>(at index: Int) -> Target? {
    optionalTarget(at: index).map { unsafeDowncast($0 as AnyObject, to: Target.self) }
  }

  private func optionalTarget(at index: Int) -> (any PersistentModel)? {
    guard let object = target(at: index) else { return nil }
    // Its row may be gone: by another process's delete, or by a rule that takes no action.
    let state = object.state
    if state.isFault, state.status == .saved { state.fill() }
    guard state.status != .gone else {
      slots[index] = .one(nil)
      return nil
    }
    // A delete that is not saved yet counts as well, unless both objects are deleted.
    if context != nil, status != .deleted, state.status == .deleted || state.status == .free { return nil }
    return object
  }

  /// The object of a to-one relationship, read from the store if necessary.
  func target(at index: Int) -> (any PersistentModel)? {
    if isFault || isPartial { fill() }
    switch slots[index] {
    case .one(let object): return object
    case .row where status == .gone: return nil
    case .row(let identifier):
      let object = reader(of: index, isSaved: !identifier.isTemporary).object(identifier)
      slots[index] = .one(object)
      return object
    default: return nil
    }
  }

  /// Whether a to-one relationship leads to an object that has values.
  func hasTarget(at index: Int) -> Bool {
    guard !type.properties[index].isOptional else { return optionalTarget(at: index) != nil }
    guard let state = target(at: index)?.state else { return false }
    if state.isFault, state.status == .saved { state.fill() }
    return state.status != .gone
  }

  func setTarget(_ target: (any PersistentModel)?, at index: Int, of model: (any PersistentModel)?) {
    guard let model else {
      // In an initialiser the object does not exist as a whole yet. `linkEnds` changes the other end later.
      slots[index] = .one(target)
      if target != nil { ends = .initial }
      return
    }
    if ends == .initial { linkEnds(of: model) }
    let before = self.target(at: index)
    guard before !== target || ends == .cut else { return }
    willChange(index, of: model)
    slots[index] = .one(target)
    guard let back = type.inverse(of: index) else { return adopt(target) }
    before?.state.removeTarget(model, at: back)
    target?.state.addTarget(model, at: back)
    adopt(target)
  }

  /// Inserts an object that this object of a context leads to. So no object of a context leads to one outside of it.
  private func adopt(_ target: (any PersistentModel)?) {
    guard let context, !isLost, let target, target.state.status == .free else { return }
    context.adopt(target)
  }

  // MARK: To-many

  func many<Many: RelationshipCollection>(at index: Int) -> Many { coder(at: index).collection(targets(at: index)) }

  func setMany<Many: RelationshipCollection>(_ collection: Many, at index: Int, of model: (any PersistentModel)?) {
    let coder: TypedCollectionCoder<Many> = coder(at: index)
    setTargets(coder.objects(collection), at: index, of: model)
  }

  func coder<Many>(at index: Int) -> TypedCollectionCoder<Many> {
    unsafeDowncast(type.properties[index].collection!, to: TypedCollectionCoder<Many>.self)
  }

  func setTargets(_ objects: [AnyObject], at index: Int, of model: (any PersistentModel)?) {
    guard let model else {
      let targets = Self.unique(objects)
      slots[index] = .many(RelatedObjects(targets))
      if !targets.isEmpty { ends = .initial }
      return
    }
    if ends == .initial { linkEnds(of: model) }
    let before = targets(at: index)
    guard let part = ArrayDifference(from: before, to: objects) else { return }
    guard areUnique(objects[part.new], insteadOf: part.old, of: before.count, at: index) else {
      return setTargets(Self.unique(objects), at: index, of: model)
    }
    replace(before[part.old], objects[part.new], at: index, of: model) {
      $0.become(objects, part.old, with: objects[part.new])
    }
  }

  /// Replaces a range of the objects in place.
  ///
  /// - Complexity: That of the same change of an array. Nothing else may hold the array.
  func setTargets(in range: Range<Int>, to objects: [AnyObject], at index: Int, of model: any PersistentModel) {
    if ends == .initial { linkEnds(of: model) }
    let (count, old) = (targets(at: index).count, Array(targets(at: index)[range]))
    guard areUnique(objects[...], insteadOf: range, of: count, at: index) else {
      var all = targets(at: index)
      all.replaceSubrange(range, with: objects)
      return setTargets(all, at: index, of: model)
    }
    replace(old[...], objects[...], at: index, of: model) { $0.replace(range, with: objects) }
  }

  private func replace(
    _ old: ArraySlice<AnyObject>, _ new: ArraySlice<AnyObject>, at index: Int, of model: any PersistentModel,
    _ body: (inout RelatedObjects) -> Void
  ) {
    let (left, added) = Self.withoutCommon(old, new)
    willChange(index, of: model)
    withTargets(at: index, body)
    let coder = type.properties[index].collection!
    if let back = type.inverse(of: index) {
      for object in left { coder.model(object).state.removeTarget(model, at: back) }
      for object in added { coder.model(object).state.addTarget(model, at: back) }
    }
    for object in added { adopt(coder.model(object)) }
  }

  /// Whether the objects that replace a range are distinct, and none of them is in the rest of the relationship.
  private func areUnique(
    _ new: ArraySlice<AnyObject>, insteadOf range: Range<Int>, of count: Int, at index: Int
  ) -> Bool {
    if new.count > 1, Set(new.map(ObjectIdentifier.init)).count < new.count { return false }
    guard !new.isEmpty, range.count < count else { return true }
    let replaced = range.isEmpty ? [] : Set(targets(at: index)[range].map(ObjectIdentifier.init))
    return withTargets(at: index) { targets in
      new.allSatisfy { replaced.contains(ObjectIdentifier($0)) || !targets.contains($0) }
    } ?? true
  }

  private static func unique(_ objects: [AnyObject]) -> [AnyObject] {
    var seen: Set<ObjectIdentifier> = []
    return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// The objects that are in one of two parts only.
  private static func withoutCommon(
    _ old: ArraySlice<AnyObject>, _ new: ArraySlice<AnyObject>
  ) -> (ArraySlice<AnyObject>, ArraySlice<AnyObject>) {
    guard !old.isEmpty, !new.isEmpty else { return (old, new) }
    let (before, after) = (Set(old.map(ObjectIdentifier.init)), Set(new.map(ObjectIdentifier.init)))
    return (
      old.filter { !after.contains(ObjectIdentifier($0)) }[...],
      new.filter { !before.contains(ObjectIdentifier($0)) }[...]
    )
  }

  /// The objects of a to-many relationship, read from the store if necessary. Copies nothing of what was read.
  func targets(at index: Int) -> [AnyObject] {
    if isFault || isPartial { fill() }
    switch slots[index] {
    case .many:
      return withTargets(at: index) { targets in
        targets.sweep()
        return targets.objects
      } ?? []
    case .unread:
      let isSaved = status != .inserted && !changed.contains(index)
      let targets =
        status == .gone ? RelatedObjects() : reader(of: index, isSaved: isSaved).targets(of: self, at: index)
      slots[index] = .many(targets)
      // Another property was changed before this one was read, so its saved value is known only now.
      if case .unread = originals?[index] { originals?[index] = .many(targets) }
      return targets.objects
    default: return []
    }
  }

  /// The models of a to-many relationship, read from the store if necessary.
  func models(at index: Int) -> [any PersistentModel] {
    guard let coder = type.properties[index].collection else { return [] }
    return targets(at: index).map(coder.model)
  }

  /// Runs `body` with the objects of a to-many relationship, in place; nil where they were not read.
  @discardableResult
  func withTargets<Result>(at index: Int, _ body: (inout RelatedObjects) -> Result) -> Result? {
    var targets: RelatedObjects
    switch slots[index] {
    case .many(let known): targets = known
    case .unset: targets = RelatedObjects()
    default: return nil
    }
    // The slot is not to share the array while it changes.
    slots[index] = .unset
    defer { slots[index] = .many(targets) }
    return body(&targets)
  }

  /// The context that reads a relationship.
  ///
  /// - Parameter isSaved: Whether the relationship is in the store. Unsaved changes end with their context.
  private func reader(of index: Int, isSaved: Bool) -> any ObjectContext {
    if let context { return context }
    let name = "\(type.name).\(type.properties[index].name)"
    guard isSaved else {
      fatalError("\(name) was not saved before its ModelContext ended: save it, or keep the ModelContext")
    }
    guard let reader else {
      fatalError("\(name) was not read while the object had its context: keep the ModelContext")
    }
    return reader
  }

  // MARK: The other end

  /// Adds `object` to this object's relationship, and to its context.
  private func addTarget(_ object: any PersistentModel, at index: Int) {
    // An object whose context has gone would keep this object's context alive.
    if context != nil, object.state.successor != nil { return }
    if isFault || isPartial { fill() }
    guard let model, !isLost, !object.state.isLost else { return }
    // First, because a relationship that is not read yet will include the object only as one of the context.
    adopt(object)
    if type.properties[index].kind == .toOne {
      let before = target(at: index)
      guard before !== object else { return }
      announce(index) {
        willChange(index, of: model)
        slots[index] = .one(object)
      }
      if let back = type.inverse(of: index) { before?.state.removeTarget(model, at: back) }
    } else {
      // A relationship that was not read yet includes the change when it is read.
      if case .unread = slots[index], followsInverse(at: index) { return announce(index) {} }
      guard !isTarget(object, at: index) else { return }
      announce(index) {
        willChange(index, of: model)
        withTargets(at: index) { $0.append(object) }
      }
    }
  }

  /// Removes `object` from this object's relationship.
  func removeTarget(_ object: any PersistentModel, at index: Int) {
    if isFault, status == .gone { return }
    if isFault || isPartial { fill() }
    guard let model else { return }
    if type.properties[index].kind == .toOne {
      guard target(at: index) === object else { return }
      announce(index) {
        willChange(index, of: model)
        slots[index] = .one(nil)
      }
    } else {
      if case .unread = slots[index], followsInverse(at: index) { return announce(index) {} }
      guard isTarget(object, at: index) else { return }
      announce(index) {
        willChange(index, of: model)
        withTargets(at: index) { $0.remove(object) }
      }
    }
  }

  /// Whether a to-many relationship leads to `object`. It is read from the store if necessary.
  private func isTarget(_ object: any PersistentModel, at index: Int) -> Bool {
    if case .unread = slots[index] { _ = targets(at: index) }
    return withTargets(at: index) { $0.contains(object) } ?? false
  }

  /// Whether reading a to-many relationship includes the unsaved changes of the objects at its other end.
  private func followsInverse(at index: Int) -> Bool { type.inverse(of: index) != nil && status == .saved }

  /// Adds the object to the other ends of its relationships.
  func linkEnds(of model: any PersistentModel) {
    ends = .linked
    self.model = model
    for property in type.properties {
      guard let back = type.inverse(of: property.index) else { continue }
      for target in known(at: property.index) {
        if !target.state.isLost {
          target.state.addTarget(model, at: back)
        } else if property.kind == .toMany {
          removeTarget(target, at: property.index)
        } else {
          // Its row still has the key of the deleted object.
          willChange(property.index, of: model)
        }
      }
    }
  }

  /// The objects of a relationship. A to-many relationship that was not read has none.
  func known(at index: Int) -> [any PersistentModel] {
    switch slots[index] {
    case .one(let target): [target].compactMap { $0 }
    case .row(let identifier): [reader?.object(identifier)].compactMap { $0 }
    case .many: models(at: index)
    default: []
    }
  }

  /// Lets the objects that the relationships lead to read again what leads back. What was changed there stays.
  func forgetInverses() {
    for index in slots.indices { forgetInverse(of: index) }
  }

  func forgetInverse(of index: Int) {
    guard let back = type.inverse(of: index) else { return }
    for target in known(at: index) { target.state.forgetTargets(at: back) }
    if case .one(let target?) = originals?[index] { target.state.forgetTargets(at: back) }
  }

  /// Lets a to-many relationship that its inverse determines be read again.
  private func forgetTargets(at index: Int) {
    guard status == .saved || isDeleted, !changed.contains(index), case .many = slots[index] else { return }
    announce(index) { slots[index] = .unread }
  }

  /// Removes the objects that left the context from a to-many relationship.
  ///
  /// - Returns: These objects.
  func removeLost(at index: Int) -> [AnyObject] {
    guard let coder = type.properties[index].collection else { return [] }
    return withTargets(at: index) { targets in
      let lost = targets.objects.filter {
        let status = coder.model($0).state.status
        return status == .gone || status == .free
      }
      for object in lost { targets.remove(object) }
      return lost
    } ?? []
  }

  // MARK: Deletes

  /// What the delete of the object changes: the relationships of other objects that lead to it, and the objects that its
  /// rules delete too.
  func relatedToDelete() -> (inverses: [(object: any PersistentModel, index: Int)], cascade: [any PersistentModel]) {
    var inverses: [(object: any PersistentModel, index: Int)] = []
    var cascade: [any PersistentModel] = []
    for property in type.properties {
      guard let target = property.target.map(ModelType.of) else { continue }
      let rule = property.relationship?.deleteRule ?? .nullify
      let back = type.inverse(of: property.index)
      // No row can be in a to-many relationship and be gone. A to-one relationship is nil when its object is gone.
      let leavesMany = back.map { target.properties[$0].kind == .toMany } ?? false
      if case .unread = slots[property.index], rule == .nullify || rule == .noAction, !leavesMany { continue }
      let targets =
        property.kind == .toOne
        ? [self.target(at: property.index)].compactMap { $0 } : models(at: property.index)
      if rule == .cascade {
        cascade += targets
      } else if let back, rule == .nullify || leavesMany {
        inverses += targets.map { ($0, back) }
      }
    }
    return (inverses, cascade)
  }
}
