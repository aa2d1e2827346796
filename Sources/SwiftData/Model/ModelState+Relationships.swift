/// Relationships of one object. Both ends change together.
extension _ModelState {
  // MARK: To-one

  func one<Target: PersistentModel>(at place: Int) -> Target {
    guard let object = target(at: place) else {
      preconditionFailure("\(type.name).\(type.properties[place].name) of \(identifier) leads to no object")
    }
    return unsafeDowncast(object as AnyObject, to: Target.self)
  }

  func optionalOne<Target: PersistentModel>(at place: Int) -> Target? {
    guard let object = target(at: place) else { return nil }
    // Its row may be gone: by another process's delete, or by a rule that takes no action.
    let state = object.state
    if state.isFault, state.standing == .saved { state.fill() }
    guard state.standing != .gone else {
      slots[place] = .one(nil)
      return nil
    }
    return unsafeDowncast(object as AnyObject, to: Target.self)
  }

  func setOne<Target: PersistentModel>(_ target: Target, at place: Int, of model: (any PersistentModel)?) {
    setTarget(target, at: place, of: model)
  }

  func setOne<Target: PersistentModel>(_ target: Target?, at place: Int, of model: (any PersistentModel)?) {
    setTarget(target, at: place, of: model)
  }

  /// The object of a to-one relationship, read from the store where need be.
  func target(at place: Int) -> (any PersistentModel)? {
    if isFault || isPartial { fill() }
    switch slots[place] {
    case .one(let object): return object
    case .row where standing == .gone: return nil
    case .row(let identifier):
      let object = owningContext(place).object(identifier)
      slots[place] = .one(object)
      return object
    default: return nil
    }
  }

  func setTarget(_ target: (any PersistentModel)?, at place: Int, of model: (any PersistentModel)?) {
    guard let model else {
      // In an initialiser: the object does not exist as a whole yet, so the other end learns of it when it does.
      slots[place] = .one(target)
      hasOpenEnds = true
      return
    }
    closeEnds(of: model)
    let before = self.target(at: place)
    guard before !== target else { return }
    willChange(place, of: model)
    slots[place] = .one(target)
    guard let back = type.inverse(of: place) else { return reach(target) }
    before?.state.drop(model, at: back)
    target?.state.take(model, at: back)
    reach(target)
  }

  /// An object that a context's object leads to belongs to the context.
  private func reach(_ target: (any PersistentModel)?) {
    guard let context, standing != .gone, let target, target.state.standing == .free else { return }
    context.adopt(target)
  }

  // MARK: To-many

  func many<Many: RelationshipCollection>(at place: Int) -> Many {
    let coder = type.properties[place].collection
    return unsafeDowncast(coder!, to: TypedCollectionCoder<Many>.self).collection(targets(at: place))
  }

  func setMany<Many: RelationshipCollection>(_ collection: Many, at place: Int, of model: (any PersistentModel)?) {
    let coder = unsafeDowncast(type.properties[place].collection!, to: TypedCollectionCoder<Many>.self)
    setTargets(coder.objects(collection), at: place, of: model)
  }

  func setTargets(_ objects: [any PersistentModel], at place: Int, of model: (any PersistentModel)?) {
    let targets = Self.unique(objects)
    guard let model else {
      slots[place] = .many(targets)
      if !targets.isEmpty { hasOpenEnds = true }
      return
    }
    closeEnds(of: model)
    let before = self.targets(at: place)
    guard !Self.isEqual(before, targets) else { return }
    willChange(place, of: model)
    slots[place] = .many(targets)
    if let back = type.inverse(of: place) {
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

  /// The objects of a to-many relationship, read from the store where need be.
  func targets(at place: Int) -> [any PersistentModel] {
    if isFault || isPartial { fill() }
    switch slots[place] {
    case .many(let objects): return objects
    case .unread:
      let objects = standing == .gone ? [] : owningContext(place).targets(of: self, at: place)
      slots[place] = .many(objects)
      // What it held at the last save is known only now, where another property was changed before.
      if case .unread = originals?[place] { originals?[place] = .many(objects) }
      return objects
    default: return []
    }
  }

  /// The context, which has to live as long as objects are asked for what was not read yet.
  private func owningContext(_ place: Int) -> ModelContext {
    if let context { return context }
    preconditionFailure(
      "\(type.name).\(type.properties[place].name) was not read while the object had its context: keep the ModelContext"
    )
  }

  // MARK: The other end

  /// This object's relationship leads to `object` from now on.
  private func take(_ object: any PersistentModel, at place: Int) {
    if isFault || isPartial { fill() }
    guard let model else { return }
    if type.properties[place].kind == .toOne {
      let before = target(at: place)
      guard before !== object else { return }
      announce(place) {
        willChange(place, of: model)
        slots[place] = .one(object)
      }
      if let back = type.inverse(of: place) { before?.state.drop(model, at: back) }
    } else {
      // A relationship that was not read yet takes the change in when it is.
      if case .unread = slots[place], isLearnt(at: place) { return announce(place) {} }
      let before = targets(at: place)
      guard !before.contains(where: { $0 === object }) else { return }
      announce(place) {
        willChange(place, of: model)
        slots[place] = .many(before + [object])
      }
    }
  }

  /// This object's relationship does not lead to `object` any more.
  func drop(_ object: any PersistentModel, at place: Int) {
    if isFault, standing == .gone { return }
    if isFault || isPartial { fill() }
    guard let model else { return }
    if type.properties[place].kind == .toOne {
      guard target(at: place) === object else { return }
      announce(place) {
        willChange(place, of: model)
        slots[place] = .one(nil)
      }
    } else {
      if case .unread = slots[place], isLearnt(at: place) { return announce(place) {} }
      let before = targets(at: place)
      guard before.contains(where: { $0 === object }) else { return }
      announce(place) {
        willChange(place, of: model)
        slots[place] = .many(before.filter { $0 !== object })
      }
    }
  }

  /// Whether what a to-many relationship leads to is told by the changes of the objects at its other end.
  private func isLearnt(at place: Int) -> Bool { type.inverse(of: place) != nil && standing == .saved }

  /// Tells the other ends of what an initialiser gave.
  func closeEnds(of model: any PersistentModel) {
    guard hasOpenEnds else { return }
    hasOpenEnds = false
    self.model = model
    for place in slots.indices {
      guard let back = type.inverse(of: place) else { continue }
      switch slots[place] {
      case .one(let target?): target.state.take(model, at: back)
      case .many(let targets): for target in targets { target.state.take(model, at: back) }
      default: continue
      }
    }
  }
}
