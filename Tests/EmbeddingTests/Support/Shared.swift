// SPDX-License-Identifier: MIT

import Synchronization

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
  private let stored: Mutex<Value>

  init(_ value: Value) { stored = Mutex(value) }

  var value: Value { stored.withLock { $0 } }
  func change(_ body: (inout sending Value) -> Void) { stored.withLock { body(&$0) } }
}
