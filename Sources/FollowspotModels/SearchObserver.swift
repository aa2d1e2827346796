// SPDX-License-Identifier: MIT

public import Observation
public import SwiftData

/// The objects that a search finds, kept up to date for the main actor.
///
/// `results`, `answer` and `error` can be observed. They follow the saves of all contexts and of other processes; unsaved
/// changes of the objects are seen in the objects. While the store or the index is missing for a while, the results stay as
/// they were.
@MainActor public final class SearchObserver<Element: PersistentModel>: Observable {
  /// The context that has the objects.
  public let modelContext: ModelContext
  /// The index that is searched.
  public let index: StoreIndex

  private let registrar = ObservationRegistrar()
  private var content: (query: SearchQuery, results: [Element], answer: SearchAnswer?, error: (any Error)?)
  private var task: Task<Void, Never>?

  /// - Parameters:
  ///   - query: If it has no `kinds`, the class is searched.
  ///   - index: The index of the store of the class.
  ///   - modelContext: A context of the main actor.
  public init(_ query: SearchQuery, in index: StoreIndex, modelContext: ModelContext) {
    (self.index, self.modelContext, content) = (index, modelContext, (query, [], nil, nil))
    refresh()
  }

  deinit { task?.cancel() }

  /// What is searched. Setting it searches at once; the last results are shown until there are new ones.
  public var query: SearchQuery {
    get {
      registrar.access(self, keyPath: \.query)
      return content.query
    }
    set {
      guard newValue != content.query else { return }
      registrar.withMutation(of: self, keyPath: \.query) { content.query = newValue }
      refresh()
    }
  }

  /// The objects of the hits, in their order; empty before the first answer.
  public var results: [Element] {
    registrar.access(self, keyPath: \.results)
    return content.results
  }

  /// The last answer, with scores, snippets and facets; nil before the first one.
  public var answer: SearchAnswer? {
    registrar.access(self, keyPath: \.answer)
    return content.answer
  }

  /// Why the search has ended, such as a mistake in the query, or why the objects of the last answer could not be fetched;
  /// nil otherwise. A new query or `refresh()` begins again.
  public var error: (any Error)? {
    registrar.access(self, keyPath: \.error)
    return content.error
  }

  /// Searches anew.
  public func refresh() {
    task?.cancel()
    note(nil)
    var query = content.query
    if query.kinds.isEmpty { query.kinds = [Element.entityName] }
    let updates = index.results(of: query)
    task = Task { [weak self] in
      do {
        for try await update in updates {
          guard let self, !Task.isCancelled else { return }
          self.show(update.answer)
        }
      } catch {
        guard let self, !Task.isCancelled else { return }
        self.note(error)
      }
    }
  }

  private func show(_ answer: SearchAnswer) {
    do {
      let objects = try modelContext.fetch(Element.self, hits: answer.hits).map(\.object)
      registrar.withMutation(of: self, keyPath: \.results) {
        registrar.withMutation(of: self, keyPath: \.answer) { (content.results, content.answer) = (objects, answer) }
      }
      note(nil)
    } catch { note(error) }
  }

  private func note(_ error: (any Error)?) {
    guard error != nil || content.error != nil else { return }
    registrar.withMutation(of: self, keyPath: \.error) { content.error = error }
  }
}
