/// How changes of a store or database are found.
package enum ChangeTracking: String, Sendable, CaseIterable {
  /// The store keeps a transaction history in Core Data's layout.
  case history
  /// Triggers keep a change log in the database (`followspot attach`).
  case attached
  /// There is no history: marks of the file tell that something has changed, and rows are compared by their digests.
  case compared

  /// Whether there are transactions, numbers and tokens in the store itself.
  package var hasHistory: Bool { self == .history || self == .attached }
}
