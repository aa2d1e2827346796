internal import SQLite

/// The values of one object, and what its context knows of it.
///
/// Values are kept by the place of their property. Not thread-safe: an object belongs to its context.
public final class _ModelState {
  enum Standing {
    /// In no context.
    case free
    /// Inserted and not saved.
    case inserted
    /// A row of the store.
    case saved
    /// A row of the store whose delete is not saved.
    case deleted
    /// Its row is gone.
    case gone
  }

  private(set) var type: ModelType
  var slots: ContiguousArray<Slot>
  /// What the slots held at the last save, once one of them changed.
  var originals: ContiguousArray<Slot>?
  /// The places that were changed since the last save.
  private(set) var changed = PlaceSet()
  var standing = Standing.free
  /// Whether the slots have to be read from the store first.
  var isFault = false
  /// Whether only some properties were read of the row so far.
  var isPartial = false
  /// How often the row had been saved when it was read.
  var version: Int64 = 0
  /// Safe: a context lets its objects go before it ends itself.
  unowned(unsafe) var context: ModelContext?
  /// Safe: the object's own backing takes it back when the object ends.
  unowned(unsafe) var model: (any PersistentModel)?
  /// While an object of a subclass is being made over this state: the class whose backing comes next.
  unowned(unsafe) var level: ModelType?
  /// The backing of the object.
  unowned(unsafe) var owner: AnyObject?
  /// Keeps the object while the context has changes of it.
  var pin: AnyObject?
  /// Made for the first observer.
  var registrar: ObservationRegistrar?
  /// Whether an initialiser gave related objects whose other ends do not know of it yet.
  var hasOpenEnds = false
  private var name: PersistentIdentifier?

  init(_ type: ModelType) {
    self.type = type
    slots = ContiguousArray(repeating: .unset, count: type.properties.count)
  }

  init(_ type: ModelType, _ slots: ContiguousArray<Slot>) {
    self.type = type
    self.slots = slots
  }

  deinit {
    if let name, standing == .saved || standing == .deleted { context?.forget(name, self) }
  }

  var identifier: PersistentIdentifier {
    get {
      if let name { return name }
      let made = PersistentIdentifier(temporaryFor: type.name)
      name = made
      return made
    }
    set { name = newValue }
  }

  var hasChanges: Bool {
    switch standing {
    case .inserted, .deleted: true
    case .saved: !changed.isEmpty
    case .free, .gone: false
    }
  }

  var isDeleted: Bool { standing == .deleted }

  /// The object of this state, made anew where nobody holds it any more.
  var object: any PersistentModel {
    if let model { return model }
    return type.object(self)
  }

  /// The values that the initialiser of a superclass gave.
  func takeOver(_ other: _ModelState) {
    for place in other.slots.indices { slots[place] = other.slots[place] }
    hasOpenEnds = hasOpenEnds || other.hasOpenEnds
  }

  // MARK: Attributes

  func value<Content>(at place: Int) -> Content {
    if isFault { fill() }
    guard let coder = type.properties[place].coder, coder.valueType == Content.self else {
      preconditionFailure("\(type.name).\(type.properties[place].name) is not stored as \(Content.self)")
    }
    if case .unset = slots[place] {
      if isPartial { fill() }
      if case .unset = slots[place] { giveDefault(place) }
    }
    do {
      return try unsafeDowncast(coder, to: TypedCoder<Content>.self).decode(&slots[place])
    } catch {
      preconditionFailure("\(type.name).\(type.properties[place].name) of \(identifier) cannot be read: \(error)")
    }
  }

  func set<Content>(_ value: Content, at place: Int, of model: (any PersistentModel)?) {
    guard let coder = type.properties[place].coder, coder.valueType == Content.self else {
      preconditionFailure("\(type.name).\(type.properties[place].name) is not stored as \(Content.self)")
    }
    willChange(place, of: model)
    slots[place] = unsafeDowncast(coder, to: TypedCoder<Content>.self).slot(value)
  }

  private func giveDefault(_ place: Int) {
    let property = type.properties[place]
    if let value = property.defaultValue, let slot = property.coder?.slot(any: value) {
      slots[place] = slot
    } else if property.isOptional {
      slots[place] = .column(.null)
    } else {
      preconditionFailure("\(type.name).\(property.name) has no value yet")
    }
  }

  // MARK: Changes

  /// Notes that a property is about to change.
  func willChange(_ place: Int, of model: (any PersistentModel)?) {
    guard let model else { return }
    if self.model == nil { self.model = model }
    guard let context else { return }
    if isFault || isPartial { fill() }
    context.noteUnsaved()
    if originals == nil { originals = slots }
    if context.undoManager != nil { context.registerUndo(of: self, place, slots[place]) }
    if changed.insert(place) { context.noteChange(self) }
  }

  /// Forgets what was changed: it was saved.
  func settle() {
    originals = nil
    changed.removeAll()
    pin = nil
  }

  /// Takes back what was changed.
  func restore() {
    guard let originals else { return }
    let places = changed.places
    slots = originals
    settle()
    for place in places { announce(place) {} }
  }

  /// Runs `body` and tells the observers of a property that it changed.
  func announce(_ place: Int, _ body: () -> Void) {
    if let model { model._withMutation(at: place, body) } else { body() }
  }

  /// Reads the row.
  func fill() {
    guard let context else {
      preconditionFailure("\(identifier.uri) was not read while the object had its context: keep the ModelContext")
    }
    context.fill(self)
  }
}

/// Places of properties.
struct PlaceSet {
  private var words: [UInt64] = []

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// - Returns: Whether the place was not in the set.
  mutating func insert(_ place: Int) -> Bool {
    while words.count <= place / 64 { words.append(0) }
    let bit: UInt64 = 1 << UInt64(place % 64)
    defer { words[place / 64] |= bit }
    return words[place / 64] & bit == 0
  }

  mutating func removeAll() { words.removeAll(keepingCapacity: true) }

  func contains(_ place: Int) -> Bool {
    place / 64 < words.count && words[place / 64] & (1 << UInt64(place % 64)) != 0
  }

  var places: [Int] {
    words.enumerated().flatMap { index, word in
      (0..<64).filter { word & (1 << UInt64($0)) != 0 }.map { $0 + index * 64 }
    }
  }
}
