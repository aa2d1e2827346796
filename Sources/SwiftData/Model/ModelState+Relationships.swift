/// Relationships of one object. Both ends change together.
extension _ModelState {
  // MARK: To-one

  func one<Target: PersistentModel>(at index: Int) -> Target {
    guard let object = target(at: index) else {
      preconditionFailure("\(type.name).\(type.properties[index].name) of \(identifier) leads to no object")
    }
    return unsafeDowncast(object as AnyObject, to: Target.self)
  }

  func optionalOne<Target: PersistentModel>(at index: Int) -> Target? {
    guard let object = target(at: index) else { return nil }
    // Its row may be gone: by another process's delete, or by a rule that takes no action.
    let state = object.state
    if state.isFault, state.status == .saved { state.fill() }
    guard state.status != .gone else {
      slots[index] = .one(nil)
      return nil
    }
    return unsafeDowncast(object as AnyObject, to: Target.self)
  }

  func setOne<Target: PersistentModel>(_ target: Target, at index: Int, of model: (any PersistentModel)?) {
    setTarget(target, at: index, of: model)
  }

  func setOne<Target: PersistentModel>(_ target: Target?, at index: Int, of model: (any PersistentModel)?) {
    setTarget(target, at: index, of: model)
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

  func setTarget(_ target: (any PersistentModel)?, at index: Int, of model: (any PersistentModel)?) {
    guard let model else {
      // In an initialiser: the object does not exist as a whole yet, so the other end learns of it when it does.
      slots[index] = .one(target)
      hasOpenEnds = true
      return
    }
    closeEnds(of: model)
    let before = self.target(at: index)
    guard before !== target else { return }
    willChange(index, of: model)
    slots[index] = .one(target)
    guard let back = type.inverse(of: index) else { return reach(target) }
    before?.state.drop(model, at: back)
    target?.state.take(model, at: back)
    reach(target)
  }

  /// Inserts an object that an object of the context refers to.
  private func reach(_ target: (any PersistentModel)?) {
    guard let context, status != .gone, let target, target.state.status == .free else { return }
    context.adopt(target)
  }

  // MARK: To-many

  func many<Many: RelationshipCollection>(at index: Int) -> Many {
    let coder = type.properties[index].collection
    return unsafeDowncast(coder!, to: TypedCollectionCoder<Many>.self).collection(targets(at: index))
  }

  func setMany<Many: RelationshipCollection>(_ collection: Many, at index: Int, of model: (any PersistentModel)?) {
    let coder = unsafeDowncast(type.properties[index].collection!, to: TypedCollectionCoder<Many>.self)
    setTargets(coder.objects(collection), at: index, of: model)
  }

  func setTargets(_ objects: [any PersistentModel], at index: Int, of model: (any PersistentModel)?) {
    let targets = Self.unique(objects)
    guard let model else {
      slots[index] = .many(targets)
      if !targets.isEmpty { hasOpenEnds = true }
      return
    }
    closeEnds(of: model)
    let before = self.targets(at: index)
    guard !Self.isEqual(before, targets) else { return }
    willChange(index, of: model)
    slots[index] = .many(targets)
    if let back = type.inverse(of: index) {
      let (old, new) = (Set(before.map(ObjectIdentifier.init)), Set(targets.map(ObjectIdentifier.init)))
      for target in before where !new.contains(ObjectIdentifier(target)) { target.state.drop(model, at: back) }
      for target in targets where !old.contains(ObjectIdentifier(target)) { target.state.take(model, at: back) }
    }
    for target in targets { reach(target) }
  }

  private static func unique(_ objects: [any PersistentModel]) -> [any PersistentModel] {
    var seen: Set<ObjectIdentifier> = []
    return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  private static func isEqual(_ left: [any PersistentModel], _ right: [any PersistentModel]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0 === $1 }
  }

  /// The objects of a to-many relationship, read from the store if necessary.
  func targets(at index: Int) -> [any PersistentModel] {
    if isFault || isPartial { fill() }
    switch slots[index] {
    case .many(let objects): return objects
    case .unread:
      let isSaved = status != .inserted && !changed.contains(index)
      let objects = status == .gone ? [] : reader(of: index, isSaved: isSaved).targets(of: self, at: index)
      slots[index] = .many(objects)
      // What it held at the last save is known only now, where another property was changed before.
      if case .unread = originals?[index] { originals?[index] = .many(objects) }
      return objects
    default: return []
    }
  }

  /// What reads a relationship.
  ///
  /// - Parameter isSaved: Whether the relationship is in the store. What is not saved goes with the context.
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

  /// Adds `object` to this object's relationship.
  private func take(_ object: any PersistentModel, at index: Int) {
    // An object whose context has gone would keep this object's context alive.
    if context != nil, object.state.successor != nil { return }
    if isFault || isPartial { fill() }
    guard let model else { return }
    if type.properties[index].kind == .toOne {
      let before = target(at: index)
      guard before !== object else { return }
      announce(index) {
        willChange(index, of: model)
        slots[index] = .one(object)
      }
      if let back = type.inverse(of: index) { before?.state.drop(model, at: back) }
    } else {
      // A relationship that was not read yet takes the change in when it is.
      if case .unread = slots[index], isLearnt(at: index) { return announce(index) {} }
      let before = targets(at: index)
      guard !before.contains(where: { $0 === object }) else { return }
      announce(index) {
        willChange(index, of: model)
        slots[index] = .many(before + [object])
      }
    }
  }

  /// Removes `object` from this object's relationship.
  func drop(_ object: any PersistentModel, at index: Int) {
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
      if case .unread = slots[index], isLearnt(at: index) { return announce(index) {} }
      let before = targets(at: index)
      guard before.contains(where: { $0 === object }) else { return }
      announce(index) {
        willChange(index, of: model)
        slots[index] = .many(before.filter { $0 !== object })
      }
    }
  }

  /// Whether what a to-many relationship leads to is told by the changes of the objects at its other end.
  private func isLearnt(at index: Int) -> Bool { type.inverse(of: index) != nil && status == .saved }

  /// Tells the other ends of what an initialiser gave.
  func closeEnds(of model: any PersistentModel) {
    guard hasOpenEnds else { return }
    hasOpenEnds = false
    self.model = model
    for index in slots.indices {
      guard let back = type.inverse(of: index) else { continue }
      switch slots[index] {
      case .one(let target?): target.state.take(model, at: back)
      case .many(let targets): for target in targets { target.state.take(model, at: back) }
      default: continue
      }
    }
  }
}
