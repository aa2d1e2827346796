// SPDX-License-Identifier: MIT

/// How changes of a store or database are detected.
package enum ChangeTracking: String, Sendable, CaseIterable {
  /// The store keeps a transaction history in Core Data's layout.
  case history
  /// Triggers keep a change log in the database (`followspot attach`).
  case attached
  /// There is no history. Marks of the file show that something has changed, and rows are compared by their digests.
  case compared

  /// Whether the store itself keeps numbered transactions, which tokens refer to.
  package var hasHistory: Bool { self == .history || self == .attached }
}
