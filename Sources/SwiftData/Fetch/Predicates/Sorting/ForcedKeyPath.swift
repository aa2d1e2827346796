// SPDX-License-Identifier: MIT

/// A key path of a model class that stops the program for some objects: it unwraps an optional by force, or follows a
/// required relationship whose object may be gone.
struct ForcedKeyPath {
  /// A to-one relationship, or an attribute that is unwrapped by force.
  private struct Step {
    let index: Int
    let isChained: Bool
  }

  private let steps: [Step]

  /// nil for a key path that is safe for every object.
  init?(_ keyPath: AnyKeyPath, of type: ModelType) {
    var rest = KeyPathParts(keyPath)?.parts[...] ?? []
    var (type, steps, isSafe): (ModelType, [Step], Bool) = (type, [], true)
    while let part = rest.popFirst(), !rest.isEmpty, let index = type.index(of: part) {
      let property = type.properties[index]
      let (isChained, isForced) = (rest.first == .chained, rest.first == .forced)
      if isChained || isForced { rest.removeFirst() }
      if isForced || (property.kind == .toOne && !property.isOptional) { isSafe = false }
      guard property.kind == .toOne, let target = property.target else {
        if isForced { steps.append(Step(index: index, isChained: false)) }
        break
      }
      steps.append(Step(index: index, isChained: isChained))
      type = ModelType.of(target)
    }
    if isSafe { return nil }
    self.steps = steps
  }

  /// Whether the key path has to unwrap nil for an object.
  func isCut(for model: any PersistentModel) -> Bool {
    var state = model.state
    for step in steps {
      let property = state.type.properties[step.index]
      guard property.kind == .toOne else {
        return ConstantValue.unwrapped((state.object as Any)[keyPath: property.keyPath] as Any) == nil
      }
      guard state.hasTarget(at: step.index), let target = state.target(at: step.index) else { return !step.isChained }
      state = target.state
    }
    return false
  }
}
