// SPDX-License-Identifier: MIT

/// The objects that a fetch finds, kept up to date.
///
/// `results` and `sections` can be observed. They follow the changes of the own context, saved or not, the saves of
/// other contexts and containers, and those of other processes. They change, and observers are notified, when there are
/// other objects, another order or other sections, and when one of the objects was saved.
///
/// An observer belongs to the actor on which it is made, and refreshes itself there; a property that is read before is up
/// to date too. An observer without an actor is refreshed when one of its properties is read. When a refresh fails, the
/// results stay as they were, the error is written to standard error, and the refresh is repeated.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The context that fetches the objects.
  public let modelContext: ModelContext
  /// The property that divides the results into sections.
  public let sectionBy: PartialKeyPath<Element>?
  private let sectioning: Sectioning<Element, SectionTitle>?
  private var descriptor: FetchDescriptor<Element>
  private var content: ResultsContent<Element, SectionTitle>
  private let registrar = ObservationRegistrar()
  private let signal = ResultsSignal()
  private let refresher: Refresher
  private var errors = ErrorReports()
  private var listener: UUID?

  init(
    _ descriptor: FetchDescriptor<Element>, _ context: ModelContext, _ sectioning: Sectioning<Element, SectionTitle>?,
    isolation: isolated (any Actor)?
  ) throws {
    modelContext = context
    sectionBy = sectioning?.keyPath
    self.sectioning = sectioning
    self.descriptor = descriptor
    refresher = Refresher(isolation)
    content = ResultsContent([], nil)
    refresher.start(refresh: { [weak self] in self?.refresh() }, onRequest: { [signal] in signal.note() })
    // Changes that come during the first fetch are not lost.
    listener = context.container.center.add { [refresher] _ in refresher.request() }
    context.watch(by: self)
    content = try fetched()
  }

  deinit {
    if let listener { modelContext.container.center.remove(listener) }
  }

  // MARK: Request

  /// What is fetched: sections first, then `sortBy`, and at last the identifiers, so that the order is a total one.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.filterBy)
    registrar.access(self, keyPath: \.sortBy)
    return completed
  }

  /// Setting it fetches at once. A predicate that cannot be fetched by leaves the results as they were.
  public var filterBy: Predicate<Element>? {
    get {
      registrar.access(self, keyPath: \.filterBy)
      return descriptor.predicate
    }
    set {
      registrar.withMutation(of: self, keyPath: \.filterBy) { descriptor.predicate = newValue }
      refresh()
    }
  }

  /// Setting it fetches at once.
  public var sortBy: [SortDescriptor<Element>] {
    get {
      registrar.access(self, keyPath: \.sortBy)
      return descriptor.sortBy
    }
    set {
      registrar.withMutation(of: self, keyPath: \.sortBy) { descriptor.sortBy = newValue }
      refresh()
    }
  }

  private var completed: FetchDescriptor<Element> {
    var completed = descriptor
    if let sectioning, !sectioning.isOrdered(by: descriptor.sortBy.first) {
      completed.sortBy.insert(contentsOf: sectioning.order, at: 0)
    }
    if !completed.sortBy.contains(where: { $0.keyPath == \Element.persistentModelID }) {
      completed.sortBy.append(SortDescriptor(\Element.persistentModelID))
    }
    return completed
  }

  // MARK: Results

  /// The objects of the fetch, in its order. Objects that are set are shown until the next refresh.
  public var results: FetchResultsCollection<Element> {
    get {
      prepare(\.results)
      return content.results
    }
    set { show(ResultsContent(Array(newValue), by: sectioning)) }
  }

  /// nil where `SectionTitle` is `Never`. Sections that are set are shown until the next refresh.
  public var sections: SectionedResults<Element, SectionTitle>? {
    get {
      prepare(\.sections)
      return content.sections
    }
    set { show(ResultsContent(newValue.map { Array($0.joined()) } ?? Array(content.results), newValue)) }
  }

  /// The object at a section and an item of it; without sections, of section 0. nil beyond the end.
  public func element(at indexPath: IndexPath) -> Element? {
    prepare(\.results)
    return content.element(at: indexPath)
  }

  /// Where the object, or another one of the same row, is among the results; nil where it is not.
  public func indexPath(for element: Element) -> IndexPath? {
    prepare(\.results)
    return content.indexPath(for: element)
  }

  private func prepare<Member>(_ keyPath: KeyPath<ResultsObserver, Member>) {
    signal.access()
    if refresher.take() { refresh() }
    registrar.access(self, keyPath: keyPath)
  }

  // MARK: Refreshing

  private func fetched() throws -> ResultsContent<Element, SectionTitle> {
    ResultsContent(try modelContext.fetch(completed), by: sectioning)
  }

  private func refresh() {
    do {
      let found = try fetched()
      errors.reset()
      if !found.isSame(as: content) { show(found) }
    } catch {
      if errors.report("results of \(Element.self) are not refreshed", error) { refresher.requestLater() }
    }
  }

  private func show(_ new: ResultsContent<Element, SectionTitle>) {
    registrar.withMutation(of: self, keyPath: \.results) {
      registrar.withMutation(of: self, keyPath: \.sections) {
        content = new
        signal.changes.note()
      }
    }
  }
}

extension ResultsObserver: ContextWatcher {
  func contextChanges() {
    if descriptor.includePendingChanges { refresher.request() }
  }
}

extension ResultsObserver: CustomDebugStringConvertible {
  /// The class of the objects and how many there are.
  public var debugDescription: String {
    let parts = content.sections.map { " in \($0.count) sections" } ?? ""
    return "ResultsObserver of \(Element.self): \(content.results.count) objects\(parts)"
  }
}

/// How results are divided.
struct Sectioning<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  /// The order of the sections, unless the fetch has an order of the same property.
  ///
  /// An array, because the optimizer copies a descriptor that a generic structure holds by its parts. Foundation's dynamic
  /// library does not export the type of one part, so programs could not be linked to it.
  let order: [SortDescriptor<Element>]
  /// What descriptors with a localized comparator sort by, instead of the property itself.
  let localized: [PartialKeyPath<Element>]
  let title: (Element) -> SectionTitle

  /// Whether a descriptor sorts by the property, in whatever order.
  func isOrdered(by descriptor: SortDescriptor<Element>?) -> Bool {
    guard let sorted = descriptor?.keyPath else { return false }
    return sorted == keyPath || localized.contains(sorted)
  }
}

/// Notifies observers that the results of an observer without an actor are outdated. Other threads hold the signal, and
/// never the observer itself.
final class ResultsSignal: Observable, Sendable {
  let changes = ChangeCount()
  private let registrar = ObservationRegistrar()

  private var isOutdated: Bool { true }

  /// The key path that its observers see as changed.
  static var keyPath: AnyKeyPath { \ResultsSignal.isOutdated }

  func access() {
    registrar.access(self, keyPath: \.isOutdated)
    changes.noteRead()
  }

  func note() {
    registrar.withMutation(of: self, keyPath: \.isOutdated) { changes.note() }
  }
}
