// SPDX-License-Identifier: MIT

import SQLite
import Store
import Testing

@testable import SwiftData

/// A store whose objects another context saved, and two ways to ask for them.
struct PredicateFixture {
  let container: ModelContainer
  let context: ModelContext

  init(_ types: any PersistentModel.Type..., fill: (ModelContext) throws -> Void) throws {
    container = try newContainer(types, fill: fill)
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  /// What SQL selects, checked against what the predicate says of each object in memory. A row at which it throws does
  /// not match.
  func select<Model: PersistentModel>(
    _ predicate: Predicate<Model>, _ location: SourceLocation = #_sourceLocation
  ) throws -> [Model] {
    let all = try context.fetch(FetchDescriptor<Model>())
    let expected = all.filter { (try? predicate.evaluate($0)) ?? false }
    let found = try context.fetch(FetchDescriptor(predicate: predicate))
    let sql = try compile(predicate)
    #expect(found.map(\.persistentModelID) == expected.map(\.persistentModelID), "\(sql)", sourceLocation: location)
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count, sourceLocation: location)
    return found
  }

  func compile<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> CompiledPredicate {
    let session = try session()
    let root = try #require(session.binding.binding(of: ModelType.of(Model.self)))
    return try PredicateCompiler(store: session.binding, root: root, alias: "t0").compile(predicate)
  }

  func compile<Model: PersistentModel>(_ order: [SortDescriptor<Model>]) throws -> CompiledOrder {
    let session = try session()
    let root = try #require(session.binding.binding(of: ModelType.of(Model.self)))
    return try SortCompiler(store: session.binding, root: root, alias: "t0").compile(order)
  }

  /// How SQLite goes about it, one line a step.
  func plan<Model: PersistentModel>(
    _ predicate: Predicate<Model>? = nil, _ order: [SortDescriptor<Model>] = []
  ) throws -> [String] {
    let session = try session()
    let table = try #require(session.binding.binding(of: ModelType.of(Model.self))).entity.quotedTable
    let compiled = try predicate.map(compile)
    let sorted = try compile(order)
    return try session.withStore { store in
      let rows = try store.select(
        "EXPLAIN QUERY PLAN SELECT t0.Z_PK FROM \(table) t0 \(compiled?.joins ?? "") \(sorted.joins) WHERE "
          + "\(compiled?.condition ?? "1") ORDER BY \(sorted.terms.joined(separator: ", "))", compiled?.bindings ?? [])
      var lines: [String] = []
      while try rows.next() { lines.append(rows.row.text(at: 3)) }
      return lines
    }
  }

  /// How SQLite goes about a whole fetch, one line a step.
  func plan<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) throws -> [String] {
    let query = try ObjectQuery(descriptor, session(), context)
    return try session().withStore { store in
      let rows = try store.select("EXPLAIN QUERY PLAN " + query.select(limited: true).sql, query.bindings)
      var lines: [String] = []
      while try rows.next() { lines.append(rows.row.text(at: 3)) }
      return lines
    }
  }

  private func session() throws -> StoreSession {
    guard case .rows(let session) = try context.access(0) else { throw CancellationError() }
    return session
  }
}
