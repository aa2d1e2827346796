// SPDX-License-Identifier: MIT

/// A new answer to a search that is followed, and how its list of hits differs from the answer before.
///
/// A list view applies the positions in this order: it removes `removed` and the old positions of `moved`, inserts
/// `inserted` and the new positions of `moved`, and draws `changed` again.
public struct SearchUpdate: Sendable {
  /// A hit that is at another position of the list.
  public struct Move: Hashable, Sendable {
    /// The position in the hits of the answer before.
    public let from: Int
    /// The position in the hits of this answer.
    public let to: Int
  }

  /// The answer as of now.
  public let answer: SearchAnswer
  /// Whether this is the first answer. All its hits are inserted then.
  public let isFirst: Bool
  /// The positions of hits that left the list, in the answer before, ascending.
  public let removed: [Int]
  /// The positions of new hits in this answer, ascending.
  public let inserted: [Int]
  /// The hits that changed their order, as few as possible, ascending by their new positions.
  public let moved: [Move]
  /// The positions in this answer of hits that were in the answer before, with other values, ascending.
  public let changed: [Int]
}
