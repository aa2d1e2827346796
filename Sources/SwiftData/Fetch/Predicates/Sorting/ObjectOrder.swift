// SPDX-License-Identifier: MIT

/// Sorts objects in memory as `SortCompiler` sorts rows.
///
/// Foundation's `SortDescriptor.compare` goes on in the order with which a descriptor was made when its `order` is
/// changed later; here `order` counts.
struct ObjectOrder<Compared> {
  // In an array: a type that has a descriptor among its own fields does not link where it is optimized.
  private let descriptors: [SortDescriptor<Compared>]
  /// Whose order was changed.
  private let isTurned: [Bool]
  private let paths: [ForcedKeyPath?]

  init(_ descriptors: [SortDescriptor<Compared>]) {
    self.descriptors = descriptors
    let type = (Compared.self as? any PersistentModel.Type).map(ModelType.of)
    paths = descriptors.map { descriptor in
      if let type, let keyPath = descriptor.keyPath { ForcedKeyPath(keyPath, of: type) } else { nil }
    }
    isTurned = descriptors.map { descriptor in
      let comparison = Mirror(reflecting: descriptor).descendant("comparison")
      return Self.orders(in: comparison, depth: 5).contains { $0 != descriptor.order }
    }
  }

  /// The orders of the comparators in a descriptor.
  private static func orders(in value: Any?, depth: Int) -> [SortOrder] {
    guard let value, depth > 0 else { return [] }
    if let order = value as? SortOrder { return [order] }
    if value is AnyKeyPath { return [] }
    return Mirror(reflecting: value).children.flatMap { orders(in: $0.value, depth: depth - 1) }
  }

  /// Equal objects keep their order.
  func sorted(_ objects: [Compared]) -> [Compared] {
    guard !descriptors.isEmpty else { return objects }
    return objects.sorted { left, right in
      for index in descriptors.indices {
        let result = compare(left, right, by: index)
        if result != .orderedSame { return result == .orderedAscending }
      }
      return false
    }
  }

  private func compare(_ left: Compared, _ right: Compared, by index: Int) -> ComparisonResult {
    if let path = paths[index], let a = left as? any PersistentModel, let b = right as? any PersistentModel {
      // nil is sorted first.
      let (isNil, isOtherNil) = (path.isCut(for: a), path.isCut(for: b))
      if isNil && isOtherNil { return .orderedSame }
      if isNil || isOtherNil {
        return isNil == (descriptors[index].order == .forward) ? .orderedAscending : .orderedDescending
      }
    }
    let result = descriptors[index].compare(left, right)
    guard isTurned[index], result != .orderedSame, !isTurnedByNil(left, right, index) else { return result }
    return result == .orderedAscending ? .orderedDescending : .orderedAscending
  }

  /// Optional texts are the one case in which nil follows `order` already.
  private func isTurnedByNil(_ left: Compared, _ right: Compared, _ index: Int) -> Bool {
    guard descriptors[index].stringComparator != nil, let keyPath = descriptors[index].keyPath else { return false }
    return [left, right].contains { ConstantValue.unwrapped($0[keyPath: keyPath]) == nil }
  }
}
