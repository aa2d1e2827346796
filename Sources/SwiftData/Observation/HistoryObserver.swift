// SPDX-License-Identifier: MIT

/// Reports transactions that are saved after it was made, by whichever context, container or process.
///
/// `eventCounter` can be observed. It carries no changes: fetch the history after your last token once at first, and
/// again when it rises. An observer that is made on an actor counts there, any other one on threads of its own.
public final class HistoryObserver: Observable, @unchecked Sendable {
  // Unchecked: the searches are used under `lock`.

  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// Only transactions that changed objects of these classes, or of their subclasses, count; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// Only transactions of these authors count; empty for all.
  public let authors: Set<String>
  private let counted = Locked(Counted())
  private let changes = ChangeCount()
  private let refresher: Refresher
  /// The queue on which an observer without an actor counts.
  private let queue = DispatchQueue(label: "SwiftData.HistoryObserver")
  private let lock = NSLock()
  private var searches: [any TransactionSearch] = []
  private var errors = ErrorReports()
  private var listener: UUID?

  /// Each count has a registrar of its own, so that those can be told that read an outdated one.
  private struct Counted {
    var number = 0
    var registrar = ObservationRegistrar()
  }

  /// Observes the transactions of a container's stores.
  ///
  /// - Parameters:
  ///   - historyTokens: The last token that was read of each store, by store identifier. Transactions after it count
  ///     when the next save is noticed. If a store has no token here, transactions count that are saved from now on.
  ///   - observedModels: The models whose changes count; empty for all.
  ///   - authors: The authors whose transactions count; empty for all.
  ///   - modelContainer: The container of the stores.
  ///   - isolation: The actor on which the observer counts; nil for a queue of its own.
  /// - Throws: `SwiftDataError.historyTokenExpired` where the history after a token was deleted, and what opening a
  ///   store throws.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens ?? [:], observedModels, authors, modelContainer, Refresher(isolation))
  }

  private init(
    _ tokens: [String: any HistoryToken], _ models: [any PersistentModel.Type], _ authors: Set<String>,
    _ container: ModelContainer, _ refresher: Refresher
  ) throws {
    modelContainer = container
    observedModels = models
    self.authors = authors
    self.refresher = refresher
    let filter = TransactionFilter(types: models.map(ModelType.of), authors: authors)
    refresher.start(
      refresh: { [weak self] in self?.count() },
      onRequest: { [weak self, queue] in
        queue.async { [weak self] in if refresher.take() { self?.count() } }
      })
    // Transactions that are saved meanwhile are not lost.
    listener = container.center.add { _ in refresher.request() }
    try lock.withLock {
      searches = try container.stores.compactMap { try filter.search(of: $0, after: tokens[$0.identifier]) }
    }
  }

  deinit {
    if let listener { modelContainer.center.remove(listener) }
  }

  /// How often matching transactions were found. Saves that follow each other quickly are found together.
  public var eventCounter: Int {
    changes.noteRead()
    let counted = counted.withLock { $0 }
    counted.registrar.access(self, keyPath: \.eventCounter)
    return counted.number
  }

  private func count() {
    lock.lock()
    defer { lock.unlock() }
    for search in searches {
      do {
        let isFound = try search.findNew()
        errors.reset()
        guard isFound else { continue }
        rise()
      } catch {
        if errors.report("transactions are not reported", error) { refresher.requestLater() }
      }
    }
  }

  /// `Observations` reads again while `willSet` runs, and not after it: it must find the new count.
  private func rise() {
    let former = counted.withLock { counted in
      let former = counted.registrar
      counted = Counted(number: counted.number + 1)
      return former
    }
    changes.note()
    former.withMutation(of: self, keyPath: \.eventCounter) {}
    // For those that had read the former count and began to track it only now.
    queue.asyncAfter(deadline: .now() + 0.1) { [weak self] in
      if let self { former.withMutation(of: self, keyPath: \.eventCounter) {} }
    }
  }
}
