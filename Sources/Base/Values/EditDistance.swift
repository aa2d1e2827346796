// SPDX-License-Identifier: MIT

/// The edit distance between one word and others: insertions, deletions, replacements and swaps of adjacent letters
/// (optimal string alignment).
package struct EditDistance<Letter: Equatable> {
  package let wanted: [Letter]
  private var before: [Int]
  private var previous: [Int]
  private var row: [Int]

  package init(to wanted: [Letter]) {
    self.wanted = wanted
    row = [Int](repeating: 0, count: wanted.count + 1)
    (before, previous) = (row, row)
  }

  /// The edit distance; nil if it is greater than `most`.
  package mutating func distance(to other: [Letter], atMost most: Int = .max) -> Int? {
    for column in row.indices { previous[column] = column }
    for i in other.indices {
      row[0] = i + 1
      var least = row[0]
      for j in wanted.indices {
        var best = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (other[i] == wanted[j] ? 0 : 1))
        if i > 0, j > 0, other[i] == wanted[j - 1], other[i - 1] == wanted[j] { best = min(best, before[j - 1] + 1) }
        row[j + 1] = best
        least = min(least, best)
      }
      // A swap adds one to a value from two rows back, so the row before this one counts too.
      guard least <= most || (i > 0 && previous.contains { $0 < most }) else { return nil }
      (before, previous, row) = (previous, row, before)
    }
    let distance = previous[wanted.count]
    return distance <= most ? distance : nil
  }
}
