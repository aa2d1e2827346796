// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

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
  @available(*, deprecated, renamed: "author", message: "Core Data's spelling; SwiftData says author")
  public var transactionAuthor: String? {
    get { author }
    set { author = newValue }
  }

  /// What the context's stores are told about it.
  public var editingState = EditingState(id: UUID())
  /// Whether changes are saved automatically, soon after they are made, on the main thread.
  public var autosaveEnabled = false {
    didSet { if autosaveEnabled && hasChanges { scheduleAutosave() } }
  }
  /// Undoes and redoes changes of the context's objects; nil for neither.
  public var undoManager: UndoManager?

  /// By index of the container's stores.
  var accesses: [Int: StoreAccess] = [:]
  /// Every object of a row that somebody holds.
  let registry = ObjectRegistry()
  /// Objects with unsaved changes, in the order in which they came.
  private(set) var pending = PendingObjects()
  var isAutosaveScheduled = false
  /// Objects that were read together and are about to be handed out.
  var held: [any PersistentModel] = []
  let news = ContextNews()
  private var watchers: [WeakWatcher] = []
  private var listener: UUID?

  /// Creates a context of the container.
  public init(_ container: ModelContainer) {
    self.container = container
    let news = news
    listener = container.center.add { change in
      if change.context != ObjectIdentifier(news) { news.note(change.store) }
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
    for state in held { state.letGo() }
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

  /// An object is about to change, to come or to go.
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
  /// Its identifier is temporary until the first save. An object of another context is refused.
  public func insert<Model: PersistentModel>(_ model: Model) { adopt(model) }

  func adopt(_ model: any PersistentModel) {
    noteUnsaved()
    // Not by recursion: a chain of objects may be long.
    var waiting = adoptAlone(model)
    while let next = waiting.popLast() { waiting += adoptAlone(next) }
  }

  /// Inserts the object.
  ///
  /// - Returns: The objects that a new object refers to.
  private func adoptAlone(_ model: any PersistentModel) -> [any PersistentModel] {
    let state = model.state
    state.model = model
    if state.status == .deleted, state.context === self {
      undelete(state)
      return []
    }
    guard state.status == .free || state.status == .gone else {
      precondition(
        state.context == nil || state.context === self,
        "\(state.identifier) belongs to another context: fetch it here")
      return []
    }
    if state.status == .gone { state.identifier = PersistentIdentifier(temporaryOf: state.type.unsavedEntity) }
    state.status = .inserted
    register(state)
    if undoManager != nil { registerUndo(ofInsert: state) }
    noteChange(state)
    guard state.type.hasRelationships else { return [] }
    state.closeEnds(of: model)
    return state.slots.indices.flatMap { index -> [any PersistentModel] in
      switch state.slots[index] {
      case .one(let target?): [target]
      case .many: state.models(at: index)
      default: []
      }
    }
  }

  private func undelete(_ state: _ModelState) {
    state.status = .saved
    if autosaveEnabled { scheduleAutosave() }
  }

  /// Deletes the object at the next save. The delete rules decide what happens to related objects.
  public func delete<Model: PersistentModel>(_ model: Model) { remove(model) }

  func remove(_ model: any PersistentModel) {
    let state = model.state
    state.model = model
    guard state.context === self else { return }
    noteUnsaved()
    switch state.status {
    case .inserted:
      if undoManager != nil { registerUndo(ofDelete: state) }
      loosen(model, state)
      forget(state.identifier, state)
      state.status = .free
      state.context = nil
      state.settle()
      pending.remove(state)
    case .saved:
      if undoManager != nil { registerUndo(ofDelete: state) }
      if state.isFault { fill(state) }
      guard state.status == .saved else { return }
      loosen(model, state)
      state.status = .deleted
      noteChange(state)
    case .free, .deleted, .gone: return
    }
  }

  /// Objects in memory forget a deleted one, and those that go with it are deleted too.
  private func loosen(_ model: any PersistentModel, _ state: _ModelState) {
    for property in state.type.properties where property.kind != .attribute {
      let rule = property.relationship?.deleteRule ?? .nullify
      if case .unread = state.slots[property.index], rule != .cascade { continue }
      let targets =
        property.kind == .toOne
        ? [state.target(at: property.index)].compactMap { $0 } : state.models(at: property.index)
      switch rule {
      case .cascade:
        for target in targets where target !== model && !target.isDeleted {
          // The deleted object keeps what it led to until the save, as it was.
          if target.state.context === self { remove(target) }
        }
      case .nullify:
        guard let back = state.type.inverse(of: property.index) else { continue }
        for target in targets { target.state.drop(model, at: back) }
      case .deny, .noAction: continue
      }
    }
  }

  /// Takes back every unsaved change.
  public func rollback() {
    let states = pending
    pending = PendingObjects()
    if !states.isEmpty { noteUnsaved() }
    for state in states {
      switch state.status {
      case .inserted:
        forget(state.identifier, state)
        state.status = .free
        state.context = nil
        state.settle()
      case .deleted, .saved:
        state.status = .saved
        state.restore()
        state.settle()
      case .free, .gone: state.settle()
      }
    }
    undoManager?.removeAllActions(withTarget: self)
  }

  /// Reads what others saved since the last fetch. Changes of objects are tracked when they are made, so nothing else is
  /// processed.
  public func processPendingChanges() { try? takeNews() }

  // MARK: Objects by identifier

  /// The object of that identifier. Its row is read at the first access and may be missing.
  public func model(for identifier: PersistentIdentifier) -> any PersistentModel {
    if let object = object(identifier) { return object }
    fatalError("\(identifier.uri) is of no store of this container")
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

/// Is told, on the context's own thread, that unsaved changes of it are other ones.
protocol ContextWatcher: AnyObject {
  func contextChanges()
}

private struct WeakWatcher {
  weak var watcher: (any ContextWatcher)?
}

/// Which stores were saved by others since a context last looked.
final class ContextNews: Sendable {
  private let stores = Locked<Set<String>>([])

  func note(_ store: String) { stores.withLock { _ = $0.insert(store) } }
  func take() -> Set<String> {
    stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
  }
}
