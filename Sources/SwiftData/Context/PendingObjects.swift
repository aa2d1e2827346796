// SPDX-License-Identifier: MIT

/// The objects of a context with unsaved changes, in the order in which they came.
struct PendingObjects: Sequence {
  /// nil where an object was removed.
  private var places: [_ModelState?] = []
  private(set) var count = 0

  init() {}

  init(_ states: [_ModelState]) {
    for state in states { append(state) }
  }

  var isEmpty: Bool { count == 0 }

  func makeIterator() -> some IteratorProtocol<_ModelState> { places.lazy.compactMap { $0 }.makeIterator() }

  /// Of places, which objects that are appended meanwhile follow.
  var endIndex: Int { places.count }
  subscript(_ place: Int) -> _ModelState? { places[place] }

  mutating func append(_ state: _ModelState) {
    state.place = places.count
    places.append(state)
    count += 1
  }

  /// Removes the object. The others move up once half of the places are free.
  mutating func remove(_ state: _ModelState) {
    guard let place = place(of: state) else { return }
    places[place] = nil
    count -= 1
    if count * 2 < places.count { self = PendingObjects(Array(self)) }
  }

  private func place(of state: _ModelState) -> Int? {
    if places.indices.contains(state.place), places[state.place] === state { return state.place }
    return places.firstIndex { $0 === state }
  }
}
