/// Sorts objects in memory as `SortCompiler` sorts rows.
///
/// Foundation's `SortDescriptor.compare` goes on in the order with which a descriptor was made when its `order` is
/// changed later; here `order` counts.
struct ObjectOrder<Compared> {
  private struct Step {
    let descriptor: SortDescriptor<Compared>
    let isTurned: Bool

    init(_ descriptor: SortDescriptor<Compared>) {
      self.descriptor = descriptor
      isTurned = Self.orders(in: Mirror(reflecting: descriptor).descendant("comparison"), depth: 5).contains {
        $0 != descriptor.order
      }
    }

    /// The orders of the comparators in a descriptor.
    private static func orders(in value: Any?, depth: Int) -> [SortOrder] {
      guard let value, depth > 0 else { return [] }
      if let order = value as? SortOrder { return [order] }
      if value is AnyKeyPath { return [] }
      return Mirror(reflecting: value).children.flatMap { orders(in: $0.value, depth: depth - 1) }
    }

    func compare(_ left: Compared, _ right: Compared) -> ComparisonResult {
      let result = descriptor.compare(left, right)
      guard isTurned, result != .orderedSame, !(descriptor.stringComparator != nil && hasNil(left, right)) else {
        return result
      }
      return result == .orderedAscending ? .orderedDescending : .orderedAscending
    }

    /// Optional texts are the one case in which nil follows `order` already.
    private func hasNil(_ left: Compared, _ right: Compared) -> Bool {
      guard let keyPath = descriptor.keyPath else { return false }
      return [left, right].contains { ConstantValue.unwrapped($0[keyPath: keyPath]) == nil }
    }
  }

  private let steps: [Step]

  init(_ descriptors: [SortDescriptor<Compared>]) { steps = descriptors.map(Step.init) }

  /// Equal objects keep their order.
  func sorted(_ objects: [Compared]) -> [Compared] {
    guard !steps.isEmpty else { return objects }
    return objects.sorted { left, right in
      for step in steps {
        let result = step.compare(left, right)
        if result != .orderedSame { return result == .orderedAscending }
      }
      return false
    }
  }
}
