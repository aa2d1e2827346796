// SPDX-License-Identifier: MIT

/// Bounds of the work for changes that are not indexed yet and that an answer includes. Beyond them the answer is as of the
/// index's token, and a note says so.
package struct ChangeLimits: Sendable {
  /// Maximum number of changed rows.
  package var changes = 2_000
  /// Processor time of the thread, so that a busy machine does not make answers old.
  package var milliseconds = 100
  /// The same for comparing all rows of a database without history: by default 0.25 s, in which about 600,000 rows of a
  /// few columns are compared.
  var comparisonMilliseconds: Int { milliseconds * 5 / 2 }

  package init() {}
}
