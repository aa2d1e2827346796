// SPDX-License-Identifier: MIT

/// The objects of a context with unsaved changes, in the order in which they came.
struct PendingObjects: Sequence {
  /// nil where an object was removed.
  private var entries: [_ModelState?] = []
  private(set) var count = 0

  init() {}

  init(_ states: [_ModelState]) {
    for state in states { append(state) }
  }

  var isEmpty: Bool { count == 0 }

  func makeIterator() -> some IteratorProtocol<_ModelState> { entries.lazy.compactMap { $0 }.makeIterator() }

  mutating func append(_ state: _ModelState) {
    state.pendingIndex = entries.count
    entries.append(state)
    count += 1
  }

  /// Removes the object. The others move up once half of the entries are empty.
  mutating func remove(_ state: _ModelState) {
    guard let index = index(of: state) else { return }
    entries[index] = nil
    count -= 1
    if count * 2 < entries.count { self = PendingObjects(Array(self)) }
  }

  private func index(of state: _ModelState) -> Int? {
    if entries.indices.contains(state.pendingIndex), entries[state.pendingIndex] === state { return state.pendingIndex }
    return entries.firstIndex { $0 === state }
  }
}
