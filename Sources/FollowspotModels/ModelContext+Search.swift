// SPDX-License-Identifier: MIT

@_exported public import Followspot
public import SwiftData

extension ModelContext {
  /// Searches the store of a class, and returns the objects of the hits, in the order of the hits.
  ///
  /// Changes that were saved are found, whether they are indexed yet or not. Unsaved changes are not found, but the objects
  /// have them; an object that is to be deleted is left out.
  ///
  /// - Parameters:
  ///   - model: The class. Objects of its subclasses are found too.
  ///   - text: In the query language of `followspot search`.
  ///   - isLiteral: Whether `text` is words without operators: for what a user typed into a search field.
  ///   - kinds: Only objects of these subclasses; empty = all objects of the class.
  ///   - offset: Number of hits to skip.
  ///   - limit: Maximum number of hits; nil = all.
  ///   - index: The index of the store; nil opens the one beside the store for this call.
  ///   - isolation: The actor of the context.
  /// - Throws: `FollowspotError`, `CancellationError`, and what `fetch` throws.
  public func search<Model: PersistentModel>(
    _ model: Model.Type, _ text: String, isLiteral: Bool = false, kinds: [any PersistentModel.Type] = [],
    offset: Int = 0, limit: Int? = 20, in index: StoreIndex? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Model] {
    let query = SearchQuery(text, isLiteral: isLiteral, offset: offset, limit: limit)
    return try await search(model, query, kinds: kinds, in: index)
  }

  /// Searches the store of a class, and returns the objects of the hits, in the order of the hits.
  ///
  /// - Parameters:
  ///   - model: The class. Objects of its subclasses are found too.
  ///   - query: If it has no `kinds`, the class is searched.
  ///   - kinds: Only objects of these subclasses; empty = those of the query.
  ///   - index: The index of the store; nil opens the one beside the store for this call.
  ///   - isolation: The actor of the context.
  /// - Throws: `FollowspotError`, `CancellationError`, and what `fetch` throws.
  public func search<Model: PersistentModel>(
    _ model: Model.Type, _ query: SearchQuery, kinds: [any PersistentModel.Type] = [], in index: StoreIndex? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Model] {
    var query = query
    if !kinds.isEmpty { query.kinds = kinds.map { $0.entityName } }
    if query.kinds.isEmpty { query.kinds = [model.entityName] }
    let answer = try await (index ?? StoreIndex(of: storeURL(of: model))).search(query)
    return try fetch(model, hits: answer.hits).map(\.object)
  }

  /// The objects of hits, in the order of the hits. A hit without an object of the class is left out: it was deleted, or is
  /// of another class.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - hits: Those of an answer, or some of them.
  /// - Throws: What `fetch` throws.
  public func fetch<Model: PersistentModel>(
    _ model: Model.Type, hits: [SearchHit]
  ) throws -> [(hit: SearchHit, object: Model)] {
    var objects: [String: Model] = [:]
    var rest = hits[...]
    while !rest.isEmpty {
      for object in try fetch(model, uriRepresentations: rest.prefix(batch).map(\.id)) {
        objects[object.persistentModelID.uriRepresentation] = object
      }
      rest = rest.dropFirst(batch)
    }
    return hits.compactMap { hit in objects[hit.id].map { (hit, $0) } }
  }

  /// The number of objects that one statement can fetch by their identifiers.
  private var batch: Int { 30_000 }

  /// The file with the objects of a class.
  private func storeURL(of model: any PersistentModel.Type) throws -> URL {
    let all = container.configurations.sorted { $0.url.path < $1.url.path }
    let name = model.entityName
    guard let own = all.first(where: { $0.schema?.entitiesByName[name] != nil }) ?? (all.count == 1 ? all.first : nil)
    else { throw FollowspotError(code: .usage, message: "no store of the context has the entity \(name)") }
    guard !own.isStoredInMemoryOnly else {
      throw FollowspotError(code: .usage, message: "the store of \(name) is only in memory, so it has no index")
    }
    return own.url
  }
}
