// SPDX-License-Identifier: MIT

internal import SearchIndex

/// How much of a store its index contains, as the last update counted it.
public struct IndexCoverage: Hashable, Sendable {
  /// Rows of one entity or table that are not in the index for one cause.
  public struct Gap: Hashable, Sendable {
    /// The name of the entity or table.
    public let name: String
    /// The number of rows.
    public let rows: Int
    /// Whether the program decides about it, for example by an index definition without the entity.
    public let isChosen: Bool
    /// What is left out and why: a sentence without a full stop.
    public let sentence: String
  }

  /// The number of rows of the store.
  public let rows: Int
  /// The number of rows that the index contains.
  public let documents: Int
  /// The rows that are left out, without those that the index rejected.
  public let gaps: [Gap]
  /// The number of rows that the index rejected.
  public let rejected: Int
  /// The number of rows of which the index contains only a part. They are found by their other words.
  public let truncated: Int
  /// The number of transactions that are not indexed yet or, of a database without history, of rows; nil if it is not
  /// known.
  public let pending: Int64?

  /// Whether each row is in the index, except those that the program left out.
  public var isWhole: Bool { rejected == 0 && gaps.allSatisfy { $0.isChosen } }
}

extension IndexCoverage {
  init(_ complete: Completeness) {
    (rows, documents, pending) = (complete.rows, complete.documents, complete.pending)
    (rejected, truncated) = (complete.leftOut.rejected, complete.leftOut.truncated)
    gaps = complete.leftOut.groups.map {
      Gap(name: $0.name, rows: $0.rows, isChosen: $0.cause.isChosen, sentence: $0.sentence)
    }
  }
}
