// SPDX-License-Identifier: MIT

// Every form throws what the first fetch throws. A container's observer has a context of its own.

/// Without sections.
extension ResultsObserver where SectionTitle == Never {
  /// Observes the objects of a fetch, in a context.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, modelContext, nil, isolation: isolation)
  }

  /// Observes the objects of a fetch, in a new context of a container.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, ModelContext(modelContainer), nil, isolation: isolation)
  }

  /// Observes the objects that a predicate selects, sorted, in a context.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, nil, isolation: isolation)
  }

  /// Observes the objects that a predicate selects, sorted, in a new context of a container.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), nil,
      isolation: isolation)
  }
}

/// With a section for each value of a property.
extension ResultsObserver where SectionTitle == String {
  /// Observes the objects of a fetch, divided into sections by a property, in a context.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, modelContext, Self.sectioning(sectionBy), isolation: isolation)
  }

  /// Observes the objects of a fetch, divided into sections by a property, in a new context of a container.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, ModelContext(modelContainer), Self.sectioning(sectionBy), isolation: isolation)
  }

  /// Observes the objects that a predicate selects, sorted, divided into sections by a property, in a context.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, Self.sectioning(sectionBy),
      isolation: isolation)
  }

  /// Observes the objects that a predicate selects, sorted, divided into sections by a property, in a new context of a
  /// container.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer),
      Self.sectioning(sectionBy),
      isolation: isolation)
  }

  private static func sectioning(
    _ keyPath: KeyPath<Element, String>
  ) -> Sectioning<Element, SectionTitle> {
    Sectioning(
      keyPath: keyPath, order: [SortDescriptor(sendable(keyPath))],
      localized: [keyPath.appending(path: \.standardOrder), keyPath.appending(path: \.localizedOrder)],
      title: { $0[keyPath: keyPath] })
  }
}

/// With a section for each value of a property; objects that have none are in the section of the empty title.
extension ResultsObserver where SectionTitle == String {
  /// Observes the objects of a fetch, divided into sections by a property that may be nil, in a context.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, modelContext, Self.sectioning(sectionBy), isolation: isolation)
  }

  /// Observes the objects of a fetch, divided into sections by a property that may be nil, in a new context of a
  /// container.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, ModelContext(modelContainer), Self.sectioning(sectionBy), isolation: isolation)
  }

  /// Observes the objects that a predicate selects, sorted, divided into sections by a property that may be nil, in a
  /// context.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, Self.sectioning(sectionBy),
      isolation: isolation)
  }

  /// Observes the objects that a predicate selects, sorted, divided into sections by a property that may be nil, in a
  /// new context of a container.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer),
      Self.sectioning(sectionBy),
      isolation: isolation)
  }

  private static func sectioning(
    _ keyPath: KeyPath<Element, String?>
  ) -> Sectioning<Element, SectionTitle> {
    Sectioning(
      keyPath: keyPath, order: [SortDescriptor(sendable(keyPath))],
      localized: [keyPath.appending(path: \.standardOrder), keyPath.appending(path: \.localizedOrder)],
      title: { $0[keyPath: keyPath] ?? "" })
  }
}
