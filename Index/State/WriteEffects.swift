// SPDX-License-Identifier: MIT

/// How many documents a writer has changed.
package struct WriteEffects: Equatable, Sendable {
  package var inserted = 0
  package var updated = 0
  package var deleted = 0
  /// Changed rows whose documents stayed the same.
  package var skipped: Int

  package init(skipped: Int = 0) { self.skipped = skipped }

  /// The number of documents written and removed.
  var documents: Int { inserted + updated + deleted }

  static func += (sum: inout Self, other: Self) {
    sum.inserted += other.inserted
    sum.updated += other.updated
    sum.deleted += other.deleted
    sum.skipped += other.skipped
  }
}
