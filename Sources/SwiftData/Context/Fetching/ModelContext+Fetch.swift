// SPDX-License-Identifier: MIT

extension ModelContext {
  /// The objects that the descriptor selects, in its sort order; defaults to the order of their keys.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor` for what has no SQL,
  ///   `.unknownSchema` for a class of no store, `.readFailure` for a store that cannot be read,
  ///   `.loadIssueModelContainer` for a row with a value of another type.
  public func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
    let query = try stored(descriptor)
    guard query.isTouched(byPendingOf: self) else { return try prefetched(query.run(), descriptor) }
    return try prefetched(Self.part(pendingIncluded(query), descriptor), descriptor)
  }

  /// The number of objects that the descriptor selects; its limit and offset apply.
  public func fetchCount<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
    let query = try stored(descriptor)
    guard query.isSelectionTouched(byPendingOf: self) else { return try query.count() }
    return Self.part(try pendingIncluded(query), descriptor).count
  }

  /// The identifiers of the objects that the descriptor selects. No object is created.
  ///
  /// - Throws: `SwiftDataError.sortingPendingChangesWithIdentifiers` where unsaved objects would have to be sorted.
  public func fetchIdentifiers<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>
  ) throws -> [PersistentIdentifier] {
    let query = try stored(descriptor)
    guard query.isTouched(byPendingOf: self) else { return try query.identifiers() }
    guard descriptor.sortBy.isEmpty else {
      throw SwiftDataError(
        .sortingPendingChangesWithIdentifiers,
        "unsaved objects cannot be sorted without being read: save first, or set includePendingChanges to false")
    }
    return Self.part(try pendingIncluded(query), descriptor).map(\.persistentModelID)
  }

  /// The objects that the descriptor selects, read in batches of `batchSize` at the first access.
  ///
  /// The objects and their order are determined at once; their values are read with their batch.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` while the descriptor includes pending changes.
  public func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, batchSize: Int
  ) throws -> FetchResultsCollection<Model> {
    try checkBatches(of: descriptor, size: batchSize)
    let batches = ObjectBatches<Model>(try fetchIdentifiers(descriptor), size: batchSize, self)
    return FetchResultsCollection(count: batches.count) { batches.object($0) }
  }

  /// The identifiers of the objects that the descriptor selects, as a collection.
  public func fetchIdentifiers<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    try checkBatches(of: descriptor, size: batchSize)
    return FetchResultsCollection(try fetchIdentifiers(descriptor))
  }

  private func checkBatches<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>, size: Int) throws {
    guard !descriptor.includePendingChanges else {
      throw SwiftDataError(
        .includePendingChangesWithBatchSize, "a batched fetch reads the store: set includePendingChanges to false")
    }
    precondition(size > 0, "a batch has one object at least")
  }

  /// Calls `block` with each object that the descriptor selects, holding `batchSize` objects at a time.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` where `block` changes objects and `allowEscapingMutations` is
  ///   false; with it, changed objects are kept for the next save.
  public func enumerate<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, batchSize: Int = 5_000, allowEscapingMutations: Bool = false,
    block: (Model) throws -> Void
  ) throws {
    precondition(batchSize > 0, "a batch has one object at least")
    let identifiers = try enumerated(descriptor)
    let batches = ObjectBatches<Model>(identifiers, size: batchSize, self)
    for index in 0..<batches.count {
      let before = pending.count
      try block(batches.object(index))
      guard allowEscapingMutations || pending.count == before else {
        throw SwiftDataError(
          .modelValidationFailure,
          "an object was changed while objects are enumerated: pass allowEscapingMutations: true, and save afterwards")
      }
    }
  }

  private func enumerated<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [PersistentIdentifier]
  {
    var descriptor = descriptor
    guard descriptor.includePendingChanges else { return try fetchIdentifiers(descriptor) }
    let query = try stored(descriptor)
    if query.isTouched(byPendingOf: self) { return try fetch(descriptor).map(\.persistentModelID) }
    descriptor.includePendingChanges = false
    return try fetchIdentifiers(descriptor)
  }

  private func stored<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> any StoredObjects<Model> {
    try mergeChanges()
    return switch try access(of: ModelType.of(Model.self)) {
    case .rows(let session): try ObjectQuery(descriptor, session, self)
    case .snapshots(let session): try session.objects(descriptor)
    }
  }

  /// The objects of the URIs that are of the class and still exist, in the order of the URIs: those of the hits of a search.
  ///
  /// An addition to Apple's interface.
  ///
  /// - Parameter uris: The texts of at most 30,000 identifiers, as `PersistentIdentifier.uriRepresentation` gives them.
  public func fetch<T: PersistentModel>(_ model: T.Type, uriRepresentations uris: some Sequence<String>) throws -> [T] {
    let identifiers = uris.compactMap(PersistentIdentifier.init(uriRepresentation:))
    let found = try fetch(FetchDescriptor<T>(predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
    let byIdentifier = Dictionary(uniqueKeysWithValues: found.map { ($0.persistentModelID, $0) })
    return identifiers.compactMap { byIdentifier[$0] }
  }

  // MARK: Pending changes

  /// All objects that match, unsaved changes included, in order.
  private func pendingIncluded<Model: PersistentModel>(_ query: any StoredObjects<Model>) throws -> [Model] {
    let descriptor = query.descriptor
    // Where related objects have changes too, the store cannot say who matches.
    let isSure = !query.isSelectionTouchedByRelated
    let stored = try isSure ? query.runUnlimited() : query.runWithoutPredicate()
    var found: [Model] = []
    var seen: Set<ObjectIdentifier> = []
    func add(_ model: Model, isMatching: Bool) throws {
      guard !model.isDeleted, seen.insert(ObjectIdentifier(model)).inserted else { return }
      if try isMatching || (descriptor.predicate?.holds(for: model) ?? true) { found.append(model) }
    }
    for model in stored { try add(model, isMatching: isSure && !model.hasChanges) }
    for state in pending where state.status != .deleted {
      if let model = state.object as? Model { try add(model, isMatching: false) }
    }
    return ObjectOrder(descriptor.sortBy).sorted(found)
  }

  static func part<Element, Model>(_ all: [Element], _ descriptor: FetchDescriptor<Model>) -> [Element] {
    let rest = all.dropFirst(max(0, descriptor.fetchOffset ?? 0))
    return Array(descriptor.fetchLimit.map { $0 >= 0 ? rest.prefix($0) : rest } ?? rest)
  }

  // MARK: Prefetching

  /// Reads the related objects of the fetched ones, with one statement for each relationship.
  private func prefetched<Model>(_ models: [Model], _ descriptor: FetchDescriptor<Model>) throws -> [Model] {
    let type = ModelType.of(Model.self)
    for path in descriptor.relationshipKeyPathsForPrefetching {
      guard let index = type.index(of: path), type.properties[index].kind != .attribute else {
        throw SwiftDataError(.unsupportedKeyPath, "\(Model.self): only relationships are prefetched")
      }
      guard let session = try access(of: type).session else { continue }
      try Prefetch(context: self, session: session, type: type, index: index).run(models.map(\.state))
    }
    return models
  }
}
