// SPDX-License-Identifier: MIT

internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// A store was saved.
struct StoreChange: Sendable {
  let store: String
  let url: URL?
  /// The newest transaction.
  let transaction: Int64
  /// The `changedStores` of the context that saved; nil for another container or process.
  let context: ObjectIdentifier?
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension Notification.Name {
  /// Posted after every save of a store of this program, by whichever context or process.
  ///
  /// Core Data's name and meaning. The object is the container; the user info names the store, its URL and its history
  /// token.
  public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// Keys of the remote-change notification's user info.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSStoreUUIDKey = "NSStoreUUID"
/// The key of the store's URL.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSPersistentStoreURLKey = "storeURL"
/// The key of the store's newest history token.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSPersistentHistoryTokenKey = "historyToken"

/// Notifies the contexts of a container of every save: by one of them, by another container or process.
final class ChangeCenter: Sendable {
  typealias Listener = @Sendable (StoreChange) -> Void

  private struct State {
    /// In the order of their registration, so a context is notified before the observers of its objects.
    var listeners: [(name: UUID, call: Listener)] = []
    var watches: [String: StoreWatch] = [:]
    /// The newest transaction of each store that listeners were notified of.
    var announced: [String: Int64] = [:]
    /// How many contexts are saving.
    var saves = 0
  }

  private let state = Locked(State())
  private let isQuiet: Bool
  /// The container, as the object of notifications.
  private let container = Locked<Weak?>(nil)

  private struct Weak: @unchecked Sendable {
    // Unchecked: the container itself is Sendable.
    weak var container: ModelContainer?
  }

  /// - Parameter isQuiet: Whether only the container's own contexts are notified.
  init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

  deinit { for watch in state.withLock({ Array($0.watches.values) }) { watch.stop() } }

  func begin(_ container: ModelContainer) { self.container.withLock { $0 = Weak(container: container) } }

  /// Calls `listener`, on a thread of its own choice, after every save until `remove`.
  func add(_ listener: @escaping Listener) -> UUID {
    let name = UUID()
    state.withLock { $0.listeners.append((name, listener)) }
    return name
  }

  func remove(_ name: UUID) { state.withLock { state in state.listeners.removeAll { $0.name == name } } }

  /// Runs the save of a context, which posts before it ends: until then the file's watch holds back what it sees.
  func saving<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.saves += 1 }
    defer { state.withLock { $0.saves -= 1 } }
    return try body()
  }

  /// A context of this container saved.
  func post(store: String, transaction: Int64, from context: ModelContext) {
    let watch = state.withLock { state in
      state.announced[store] = max(state.announced[store] ?? 0, transaction)
      return state.watches[store]
    }
    post(
      StoreChange(
        store: store, url: watch?.url, transaction: transaction, context: ObjectIdentifier(context.changedStores)))
  }

  private func post(_ change: StoreChange) {
    for listener in state.withLock({ $0.listeners }) { listener.call(change) }
    guard !isQuiet else { return }
    var info: [AnyHashable: Any] = [
      NSStoreUUIDKey: change.store,
      NSPersistentHistoryTokenKey: DefaultHistoryToken([change.store: change.transaction]),
    ]
    info[NSPersistentStoreURLKey] = change.url
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: container.withLock { $0?.container }, userInfo: info)
  }

  /// Posts whenever the file was saved to by others from now on.
  func watch(_ url: URL, store: String) {
    let newest = (try? StoreFile.open(url.path, busyMilliseconds: 100).newest()) ?? 0
    state.withLock { $0.announced[store] = newest }
    let watch = StoreWatch(url) { [weak self] newest in self?.noteSeen(newest, url, store) }
    state.withLock { $0.watches[store] = watch }
  }

  /// The file holds a newer transaction. A context of this container that is saving it posts it by itself.
  private func noteSeen(_ newest: Int64, _ url: URL, _ store: String) {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(1)
    while state.withLock({ $0.saves > 0 && $0.announced[store, default: 0] < newest }), clock.now < end { usleep(500) }
    let isNew = state.withLock { state in
      defer { state.announced[store] = max(state.announced[store] ?? 0, newest) }
      return newest > state.announced[store] ?? 0
    }
    if isNew { post(StoreChange(store: store, url: url, transaction: newest, context: nil)) }
  }
}
