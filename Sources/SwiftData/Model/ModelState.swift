// SPDX-License-Identifier: MIT

internal import SQLite

/// The values of one object, and its state in its context.
///
/// Values are kept by the index of their property. Not thread-safe: an object belongs to its context.
///
/// Each read of a property touches the members that are marked `@exclusivity(unchecked)`. The checks at run time cost a
/// tenth of a fetch whose attributes are all read.
public final class _ModelState {
  enum Status {
    /// In no context: not inserted yet, or its insert was taken back.
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

  /// Whether the related objects lead back to the object.
  enum Ends {
    case linked
    /// An initialiser set related objects, which do not lead back yet.
    case initial
    /// The object left its context, and the related objects were told.
    case cut
  }

  @exclusivity(unchecked) private(set) var type: ModelType
  @exclusivity(unchecked) var slots: ContiguousArray<Slot>
  /// What the slots held at the last save, once one of them changed.
  var originals: ContiguousArray<Slot>?
  /// The indexes of the properties that were changed since the last save.
  private(set) var changed = PropertySet()
  var status = Status.free
  /// Whether the slots have to be read from the store first.
  @exclusivity(unchecked) var isFault = false
  /// Whether only some properties were read of the row so far.
  var isPartial = false
  /// How often the row had been saved when it was read.
  var version: Int64 = 0
  /// Safe: a context lets its objects go before it ends itself.
  unowned(unsafe) var context: (any ObjectContext)?
  /// Reads in place of the context once that has gone.
  var successor: ContextSuccessor?
  /// Safe: the object's own backing takes it back when the object ends.
  unowned(unsafe) var model: (any PersistentModel)?
  /// While an object of a subclass is being made over this state: the class whose backing comes next.
  unowned(unsafe) var level: ModelType?
  /// The backing of the object.
  var owner: ObjectIdentifier?
  /// Keeps the object while the context has changes of it.
  var pin: AnyObject?
  /// The index among its context's pending objects; valid while the object is one of them.
  var pendingIndex = -1
  /// The index among the objects that the last save has inserted.
  var insertedIndex = -1
  /// Made when a property is read for the first time.
  @exclusivity(unchecked) var registrar: ObservationRegistrar?
  var ends = Ends.linked
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
    if let name, status == .saved || status == .deleted { context?.forget(name, self) }
  }

  var identifier: PersistentIdentifier {
    get {
      if let name { return name }
      let made = PersistentIdentifier(temporaryOf: type.unsavedEntity)
      name = made
      return made
    }
    set { name = newValue }
  }

  var hasChanges: Bool {
    switch status {
    case .inserted, .deleted: true
    case .saved: !changed.isEmpty
    case .free, .gone: false
    }
  }

  var isDeleted: Bool { status == .deleted }

  /// Whether its row is gone, or will be with the next save.
  var isLost: Bool { status == .deleted || status == .gone }

  /// The object of this state. A new one is made where the last one was deallocated.
  var object: any PersistentModel {
    if let model { return model }
    return type.object(self)
  }

  /// The values that the initialiser of a superclass gave.
  func takeOver(_ other: _ModelState) {
    for index in other.slots.indices { slots[index] = other.slots[index] }
    if other.ends == .initial { ends = .initial }
  }

  // MARK: Attributes

  func value<Content>(at index: Int) -> Content {
    if isFault { fill() }
    guard let coder = type.properties[index].coder, coder.valueType == Content.self else {
      preconditionFailure("\(type.name).\(type.properties[index].name) is not stored as \(Content.self)")
    }
    if case .unset = slots[index] {
      if isPartial { fill() }
      if case .unset = slots[index] { setDefault(index) }
    }
    do {
      return try unsafeDowncast(coder, to: TypedCoder<Content>.self).decode(&slots[index])
    } catch {
      preconditionFailure("\(type.name).\(type.properties[index].name) of \(identifier) cannot be read: \(error)")
    }
  }

  func set<Content>(_ value: Content, at index: Int, of model: (any PersistentModel)?) {
    guard let coder = type.properties[index].coder, coder.valueType == Content.self else {
      preconditionFailure("\(type.name).\(type.properties[index].name) is not stored as \(Content.self)")
    }
    willChange(index, of: model)
    slots[index] = unsafeDowncast(coder, to: TypedCoder<Content>.self).slot(value)
  }

  private func setDefault(_ index: Int) {
    let property = type.properties[index]
    if let value = property.defaultValue, let slot = property.coder?.slot(any: value) {
      slots[index] = slot
    } else if property.isOptional {
      slots[index] = .column(.null)
    } else {
      refuseLost(index)
      preconditionFailure("\(type.name).\(property.name) has no value yet")
    }
  }

  /// Stops the program where the row with the value is gone.
  func refuseLost(_ index: Int) {
    precondition(
      status != .gone,
      "\(type.name).\(type.properties[index].name) cannot be read: \(identifier.uriRepresentation) has no row any "
        + "more, because it was deleted")
  }

  // MARK: Changes

  /// Notes that a property is about to change.
  func willChange(_ index: Int, of model: (any PersistentModel)?) {
    guard let model else { return }
    if self.model == nil { self.model = model }
    guard let context else { return }
    if isFault || isPartial { fill() }
    context.noteUnsaved()
    if originals == nil { originals = slots }
    context.registerUndo(of: self, index, slots[index])
    if changed.insert(index) { context.noteChange(self) }
  }

  /// Clears the changes, which were saved or dropped.
  func settle() {
    originals = nil
    changed.removeAll()
    pin = nil
  }

  /// Reverts the unsaved changes. What other objects determine is read again.
  func restore() {
    guard let originals else { return }
    let indexes = changed.indexes
    slots = originals
    settle()
    for index in slots.indices {
      // Also where it did not change: it was first read with unsaved objects.
      if case .many = slots[index], type.inverse(of: index) != nil { slots[index] = .unread }
    }
    for index in indexes { announce(index) {} }
  }

  /// Runs `body` and notifies the observers of a property.
  func announce(_ index: Int, _ body: () -> Void) {
    if let model { model._withMutation(at: index, body) } else { body() }
  }

  /// Reads the row.
  func fill() {
    guard let context = reader else {
      fatalError("\(identifier.uriRepresentation) was not read while the object had its context: keep the ModelContext")
    }
    context.fill(self)
  }

  /// The context, or what reads in its place once it has gone.
  var reader: (any ObjectContext)? { context ?? successor?.context }
}

/// A set of property indexes.
struct PropertySet {
  private var words: [UInt64] = []

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// - Returns: Whether the index was not in the set.
  mutating func insert(_ index: Int) -> Bool {
    while words.count <= index / 64 { words.append(0) }
    let bit: UInt64 = 1 << UInt64(index % 64)
    defer { words[index / 64] |= bit }
    return words[index / 64] & bit == 0
  }

  mutating func removeAll() { words = [] }

  func contains(_ index: Int) -> Bool {
    index / 64 < words.count && words[index / 64] & (1 << UInt64(index % 64)) != 0
  }

  var indexes: [Int] {
    words.enumerated().flatMap { index, word in
      (0..<64).filter { word & (1 << UInt64($0)) != 0 }.map { $0 + index * 64 }
    }
  }
}
