// SPDX-License-Identifier: MIT

/// A key path of a model class that stops the program for some objects: it unwraps an optional by force, or follows a
/// required relationship whose object may be gone.
struct ForcedKeyPath {
  private let parts: [KeyPathParts.Part]

  /// nil for a key path that reads one property.
  init?(_ keyPath: AnyKeyPath) {
    guard let parts = KeyPathParts(keyPath)?.parts, parts.count > 1 else { return nil }
    self.parts = parts
  }

  /// Whether the key path has to unwrap nil for an object. Never for a value that is not a model object.
  func isCut(for value: Any) -> Bool {
    guard var state = (value as? any PersistentModel)?.state else { return false }
    var rest = parts[...]
    while let part = rest.popFirst(), let index = state.type.index(of: part) {
      let property = state.type.properties[index]
      let link = rest.first
      guard property.kind == .toOne else {
        return link == .forced
          && ConstantValue.unwrapped((state.object as Any)[keyPath: property.keyPath] as Any) == nil
      }
      guard state.hasTarget(at: index), let target = state.target(at: index) else { return link != .chained }
      state = target.state
      if link == .chained || link == .forced { rest.removeFirst() }
    }
    return false
  }
}
