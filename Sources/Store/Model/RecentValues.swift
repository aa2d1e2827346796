// SPDX-License-Identifier: MIT

internal import Synchronization

/// Values that were decoded from equal bytes or texts, for all threads of the process. It keeps the newest ones.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Values {
    var byKey: [Key: Value] = [:]
    /// The oldest one first.
    var keys: [Key] = []
  }

  private let values = Mutex(Values())
  /// The maximum number of values.
  private let limit = 64

  package init() {}

  /// The value of a key; nil if it is not known any more.
  package subscript(key: Key) -> Value? { values.withLock { $0.byKey[key] } }

  package func keep(_ value: Value, for key: Key) {
    values.withLock { values in
      if values.byKey.updateValue(value, forKey: key) == nil { values.keys.append(key) }
      if values.keys.count > limit { values.byKey[values.keys.removeFirst()] = nil }
    }
  }
}
