/// Which objects to fetch, in which order, how many.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // Unchecked: predicates and sort descriptors are values that are not changed once made; key paths are immutable.

  public var predicate: Predicate<T>?
  public var sortBy: [SortDescriptor<T>]
  public var fetchLimit: Int?
  public var fetchOffset: Int?
  /// Whether unsaved changes of the context count.
  public var includePendingChanges = true
  /// Attributes to read at once; the others when they are asked for. Empty for all.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose objects are read together with those fetched.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

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
