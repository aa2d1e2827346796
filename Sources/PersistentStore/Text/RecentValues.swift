internal import Synchronization

/// Values that were decoded from equal bytes or texts, for all threads of the process. It keeps a few of them.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let values = Mutex<[Key: Value]>([:])
  /// The maximum number of values.
  private let limit = 16

  package init() {}

  package subscript(key: Key) -> Value? {
    get { values.withLock { $0[key] } }
    set {
      values.withLock {
        if $0.count >= limit { $0.removeAll() }
        $0[key] = newValue
      }
    }
  }
}
