// SPDX-License-Identifier: MIT

/// Selects the objects to fetch, their order and their number.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // Unchecked: predicates and sort descriptors are values that are not changed once made; key paths are immutable.

  /// Selects objects; nil for all.
  public var predicate: Predicate<T>?
  /// The sort order; empty for the order of keys.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of objects; nil for all.
  public var fetchLimit: Int?
  /// How many objects are skipped first; nil for none.
  public var fetchOffset: Int?
  /// Whether unsaved changes of the context are included.
  public var includePendingChanges = true
  /// Attributes to read with the fetch (empty = all). The others are read at the first access.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose objects are read together with those fetched.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Selects objects by a predicate, and sorts them.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension FetchDescriptor: Equatable {
  /// Predicates have no equality: two descriptors are equal where both have none, or both the same text.
  public static func == (left: FetchDescriptor, right: FetchDescriptor) -> Bool {
    left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
      && left.predicate.map { String(describing: $0.expression) }
        == right.predicate.map { String(describing: $0.expression) }
  }
}
