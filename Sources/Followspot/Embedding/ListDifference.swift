// SPDX-License-Identifier: MIT

/// What turns one list of different texts into another: positions as list views take them.
package struct ListDifference: Equatable {
  /// Positions in the old list, ascending.
  package private(set) var removed: [Int] = []
  /// Positions in the new list, ascending.
  package private(set) var inserted: [Int] = []
  /// From a position in the old list to one in the new list, ascending by the new one. As few as possible.
  package private(set) var moved: [SearchUpdate.Move] = []

  package init(from old: [String], to new: [String]) {
    var positions = Dictionary(old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var common: [SearchUpdate.Move] = []
    for (position, text) in new.enumerated() {
      if let before = positions.removeValue(forKey: text) {
        common.append(SearchUpdate.Move(from: before, to: position))
      } else {
        inserted.append(position)
      }
    }
    removed = positions.values.sorted()
    let kept = Self.longestAscending(common.map(\.from))
    moved = common.enumerated().filter { !kept.contains($0.offset) }.map(\.element)
  }

  package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty }

  /// The positions of a longest ascending part of different numbers.
  ///
  /// - Complexity: O(n log n).
  private static func longestAscending(_ numbers: [Int]) -> Set<Int> {
    /// The position of the lowest number that ends an ascending part of each length.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (position, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var found: Set<Int> = []
    var next = ends.last ?? -1
    while next >= 0 {
      found.insert(next)
      next = before[next]
    }
    return found
  }
}
