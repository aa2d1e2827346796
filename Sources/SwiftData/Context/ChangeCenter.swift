internal import PersistentStore
internal import Synchronization

/// A store was saved.
struct StoreChange: Sendable {
  let store: String
  let url: URL?
  /// The newest transaction.
  let transaction: Int64
  /// Names the context that saved, by its news; nil where it was another container or process.
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
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSPersistentStoreURLKey = "storeURL"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSPersistentHistoryTokenKey = "historyToken"

/// Tells the contexts of a container that a store was saved: by one of them, by another container or process.
final class ChangeCenter: Sendable {
  typealias Listener = @Sendable (StoreChange) -> Void

  private struct State {
    var listeners: [UUID: Listener] = [:]
    var watches: [String: StoreWatch] = [:]
  }

  private let state = Mutex(State())
  /// The container, as the object of notifications.
  private let container = Mutex<Weak?>(nil)

  private struct Weak: @unchecked Sendable {
    // Unchecked: the container itself is Sendable.
    weak var container: ModelContainer?
  }

  deinit { for watch in state.withLock({ Array($0.watches.values) }) { watch.stop() } }

  func begin(_ container: ModelContainer) { self.container.withLock { $0 = Weak(container: container) } }

  /// Calls `listener`, on a thread of its own choice, after every save until `remove`.
  func add(_ listener: @escaping Listener) -> UUID {
    let name = UUID()
    state.withLock { $0.listeners[name] = listener }
    return name
  }

  func remove(_ name: UUID) { state.withLock { $0.listeners[name] = nil } }

  /// A context of this container saved.
  func post(store: String, transaction: Int64, from context: ModelContext) {
    let watch = state.withLock { $0.watches[store] }
    watch?.note(transaction)
    post(
      StoreChange(
        store: store, url: watch?.url, transaction: transaction, context: ObjectIdentifier(context.news)))
  }

  private func post(_ change: StoreChange) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener(change) }
    var info: [AnyHashable: Any] = [
      NSStoreUUIDKey: change.store,
      NSPersistentHistoryTokenKey: DefaultHistoryToken([change.store: change.transaction]),
    ]
    info[NSPersistentStoreURLKey] = change.url
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: container.withLock { $0?.container }, userInfo: info)
  }

  /// Posts whenever the file was saved to by others.
  func watch(_ url: URL, store: String) {
    let watch = StoreWatch(url) { [weak self] newest in
      self?.post(StoreChange(store: store, url: url, transaction: newest, context: nil))
    }
    state.withLock { $0.watches[store] = watch }
  }
}
