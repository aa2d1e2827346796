// SPDX-License-Identifier: MIT

/// The objects of a container that one task works with, and their unsaved changes.
///
/// Not thread-safe: a context and its objects belong to one thread, actor or task at a time. In one context there is one
/// object for each row.
public final class ModelContext: Equatable, SendableMetatype {
  /// What `willSave` and `didSave` carry in their user info.
  public enum NotificationKey: String, Hashable, Sendable {
    /// Kept for source compatibility (the first two), and the identifiers of the saved objects.
    case queryGeneration, invalidatedAllIdentifiers, insertedIdentifiers, updatedIdentifiers, deletedIdentifiers
    /// The history tokens after the save.
    case historyTokens
  }

  /// Posted before a save, with the context as object.
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")
  /// Posted after a save, with the context as object.
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  /// The container of the context.
  public let container: ModelContainer
  /// The author of this context's changes, recorded with every transaction; nil for none.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// The older spelling of `author`.
  @available(*, deprecated, renamed: "author", message: "not in version 1.0")
  public var transactionAuthor: String? {
    get { author }
    set { author = newValue }
  }

  /// Describes the context to its stores.
  public var editingState = EditingState(id: UUID())
  /// Whether changes are saved automatically, soon after they are made, on the main thread.
  public var autosaveEnabled = false {
    didSet { if autosaveEnabled && hasChanges { scheduleAutosave() } }
  }
  /// Undoes and redoes changes of the context's objects; nil for neither.
  public var undoManager: UndoManager?

  /// By index of the container's stores.
  var accesses: [Int: StoreAccess] = [:]
  /// Every object of a row that is in memory.
  let registry = ObjectRegistry()
  /// Objects with unsaved changes, in the order in which they came.
  private(set) var pending = PendingObjects()
  var isAutosaveScheduled = false
  /// Whether objects left the context since its last save, and may still be in relationships without an inverse.
  var hasRemoved = false
  /// Keeps objects that are read together alive until they are returned.
  var held: ContiguousArray<AnyObject> = []
  /// The stores that others have saved to since the context last read their changes.
  let changedStores = ChangedStores()
  private var watchers: [WeakWatcher] = []
  private var listener: UUID?

  /// Creates a context of the container.
  public init(_ container: ModelContainer) {
    self.container = container
    listener = container.center.add { [changedStores] change in
      if change.context != ObjectIdentifier(changedStores) { changedStores.insert(change.store) }
    }
  }

  deinit {
    if let listener { container.center.remove(listener) }
    var held: [_ModelState] = []
    let successor = ContextSuccessor { [container] in ModelContext(container) }
    registry.visit { state in
      state.context = nil
      if state.isFault || state.isPartial || state.type.hasRelationships { state.successor = successor }
      if state.pin != nil || state.type.hasRelationships { held.append(state) }
    }
    // Objects that refer to each other would keep each other alive.
    for state in held {
      state.pin = nil
      state.releaseRelated(keepsUnsaved: false)
    }
  }

  /// Whether both are the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  // MARK: The registry

  func registered(_ identifier: PersistentIdentifier) -> _ModelState? {
    registry[identifier.id]
  }

  func register(_ state: _ModelState) {
    registry.insert(state, state.identifier.id)
    state.context = self
    state.successor = nil
  }

  func forget(_ identifier: PersistentIdentifier, _ state: _ModelState) {
    registry.remove(state, identifier.id)
  }

  // MARK: Changes

  /// Notifies `watcher` of changes before they are saved. It is held weakly.
  func watch(by watcher: any ContextWatcher) { watchers.append(WeakWatcher(watcher: watcher)) }

  /// An object is about to be inserted, changed or deleted.
  func noteUnsaved() {
    guard !watchers.isEmpty else { return }
    watchers.removeAll { $0.watcher == nil }
    for watcher in watchers { watcher.watcher?.contextChanges() }
  }

  /// Whether there are unsaved changes.
  public var hasChanges: Bool { pending.contains(where: \.hasChanges) }

  /// The objects that were inserted and are not saved yet.
  public var insertedModelsArray: [any PersistentModel] {
    pending.filter { $0.status == .inserted }.map(\.object)
  }
  /// The saved objects that have unsaved changes.
  public var changedModelsArray: [any PersistentModel] {
    pending.filter { $0.status == .saved && $0.hasChanges }.map(\.object)
  }
  /// The objects whose delete is not saved yet.
  public var deletedModelsArray: [any PersistentModel] {
    pending.filter { $0.status == .deleted }.map(\.object)
  }

  /// An object of the context changed.
  func noteChange(_ state: _ModelState) {
    if state.pin == nil {
      state.pin = state.model
      pending.append(state)
    }
    if autosaveEnabled { scheduleAutosave() }
  }

  func setPending(_ states: [_ModelState]) { pending = PendingObjects(states) }

  /// Inserts the object and every object that it refers to.
  ///
  /// Its identifier is temporary until the first save. An object of another context is refused. A new object is also
  /// inserted when both ends of a relationship connect it with an object of the context.
  public func insert<Model: PersistentModel>(_ model: Model) { adopt(model) }

  func adopt(_ model: any PersistentModel) {
    noteUnsaved()
    let state = model.state
    state.model = model
    if state.isDeleted, state.context === self {
      state.status = .saved
      state.linkEnds(of: model)
      if autosaveEnabled { scheduleAutosave() }
      return
    }
    if state.status == .gone {
      state.identifier = PersistentIdentifier(temporaryOf: state.type.unsavedEntity)
      state.status = .free
    }
    // Not by recursion: a chain of objects may be long.
    var waiting = [model]
    while let next = waiting.popLast() { waiting += adoptAlone(next) }
  }

  /// Inserts the object if it is new. A deleted one that a new object refers to stays deleted.
  ///
  /// - Returns: The objects that a new object refers to.
  private func adoptAlone(_ model: any PersistentModel) -> [any PersistentModel] {
    let state = model.state
    guard state.status == .free else {
      precondition(
        state.context == nil || state.context === self,
        "\(state.identifier) belongs to another context: fetch it here")
      return []
    }
    state.model = model
    state.status = .inserted
    register(state)
    if undoManager != nil { registerUndo(ofInsert: state) }
    noteChange(state)
    guard state.type.hasRelationships else { return [] }
    if state.ends != .linked { state.linkEnds(of: model) }
    return state.slots.indices.flatMap { index -> [any PersistentModel] in
      switch state.slots[index] {
      case .one(let target?): [target]
      case .many: state.models(at: index)
      default: []
      }
    }
  }

  /// Deletes the object at the next save. The delete rules decide what happens to related objects.
  public func delete<Model: PersistentModel>(_ model: Model) { remove(model) }

  func remove(_ model: any PersistentModel) {
    guard model.state.context === self else { return }
    noteUnsaved()
    // Not by recursion: a chain of objects may be long.
    var waiting = [model]
    while let next = waiting.popLast() { waiting += removeAlone(next) }
  }

  /// Deletes the object, and removes it from the relationships of objects in memory.
  ///
  /// - Returns: The objects that the rules delete with it.
  private func removeAlone(_ model: any PersistentModel) -> [any PersistentModel] {
    let state = model.state
    state.model = model
    guard state.context === self, !state.isDeleted else { return [] }
    if state.isFault { fill(state) }
    guard state.status != .gone else { return [] }
    if undoManager != nil { registerUndo(ofDelete: state) }
    // The deleted object keeps its relationships until the save.
    let (inverses, cascade) = state.relatedToDelete()
    if state.status == .inserted {
      release(state, as: .free)
      pending.remove(state)
    } else {
      (state.status, state.ends) = (.deleted, .cut)
      noteChange(state)
    }
    hasRemoved = true
    for (target, index) in inverses { target.state.removeTarget(model, at: index) }
    return cascade
  }

  /// Removes the objects that left the context from relationships without an inverse, which do not learn of it otherwise.
  func sweepOneWay() {
    guard hasRemoved else { return }
    hasRemoved = false
    // The registry must not change meanwhile.
    var lost: [AnyObject] = []
    for binding in accesses.values.compactMap(\.session).flatMap(\.binding.bindings) {
      let indexes = binding.type.oneWay
      guard !indexes.isEmpty else { continue }
      registry.table(binding.reference).visit { state in for index in indexes { lost += state.removeLost(at: index) } }
    }
  }

  /// Takes back every unsaved change.
  public func rollback() {
    let states = pending
    pending = PendingObjects()
    if !states.isEmpty { noteUnsaved() }
    for state in states {
      state.forgetInverses()
      switch state.status {
      case .inserted: release(state, as: .free)
      case .deleted, .saved:
        (state.status, state.ends) = (.saved, .linked)
        state.restore()
        state.settle()
      case .free, .gone: state.settle()
      }
    }
    undoManager?.removeAllActions(withTarget: self)
  }

  /// Reads what others saved since the last fetch. Changes of objects are tracked when they are made, so nothing else is
  /// processed.
  public func processPendingChanges() { try? mergeChanges() }

  // MARK: Objects by identifier

  /// The object of that identifier. Its row is read at the first access and may be missing.
  public func model(for identifier: PersistentIdentifier) -> any PersistentModel {
    if let object = object(identifier) { return object }
    fatalError("\(identifier.uriRepresentation) is of no store of this container")
  }

  /// The object of that identifier, if it is in memory. The store is not read.
  public func registeredModel<Model: PersistentModel>(for identifier: PersistentIdentifier) -> Model? {
    registered(identifier)?.object as? Model
  }

  func object(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if let state = registered(identifier) { return state.object }
    guard let type = type(of: identifier), let store = identifier.storeIdentifier else { return nil }
    let state = _ModelState(type)
    state.identifier = PersistentIdentifier(
      EntityReference.of(storeIdentifier: store, entityName: type.name), identifier.id.key)
    state.status = .saved
    state.isFault = true
    register(state)
    return state.object
  }
}

/// Observes the unsaved changes of a context.
protocol ContextWatcher: AnyObject {
  /// Called on the context's own thread before an object is inserted, changed or deleted.
  func contextChanges()
}

private struct WeakWatcher {
  weak var watcher: (any ContextWatcher)?
}

/// The identifiers of the stores that others have saved to.
final class ChangedStores: Sendable {
  private let stores = Locked<Set<String>>([])

  func insert(_ store: String) { stores.withLock { _ = $0.insert(store) } }

  /// - Returns: Whether there were any.
  func removeAll() -> Bool {
    stores.withLock { stores in
      defer { stores = [] }
      return !stores.isEmpty
    }
  }
}
