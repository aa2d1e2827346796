// SPDX-License-Identifier: MIT

package import Base
internal import FoundationEssentials
package import SQLite
package import SearchIndex
internal import Store

/// Runs SQL statements of users on a store, or on the stores of a group. Each statement reads one snapshot of each store,
/// and the function `search` answers for the same snapshots.
///
/// A statement runs on an empty database in memory that has only virtual tables, so no statement can reach a file.
package final class StoreStatement {
  /// The maximum memory of SQLite while a statement runs, in bytes.
  static let mostMemory: Int64 = 512 << 20
  /// The number of searches of one statement whose hits are kept, for searches that depend on a row.
  private static let mostSearches = 64

  private let stores: [StatementStore]
  /// Remarks about the answers of the last statement's searches.
  package private(set) var notes: [String] = []
  /// The stores of the group that are missing from the last answer.
  package private(set) var missing: [MissingPart] = []

  /// - Parameter stores: The stores of a group with their names, at least one; or one store without a name.
  package init(_ stores: [(name: String?, path: String, directory: IndexDirectory)]) {
    self.stores = stores.map { StatementStore(name: $0.name, path: $0.path, directory: $0.directory) }
  }

  /// The tables and functions that statements can read.
  package func tables() throws -> [StoreTables.Description] {
    StoreTables(try answering { try MemberStore(name: $0.name, store: $0.open().store) }).descriptions
  }

  /// Runs one statement and passes its rows to `body`, which is called again if an index changes meanwhile.
  ///
  /// - Parameter milliseconds: The time after which the statement is stopped; nil for no limit.
  /// - Throws: `QueryError` for a mistake in the statement; `OperationError` with `.usage` for one that does not only
  ///   read, or that takes too long; `IndexError.missing` for a search without an index; errors of a store; the first
  ///   `MissingPart` if no store of a group answers.
  package func run(_ sql: String, stoppingAfter milliseconds: Int?, _ body: (StatementRows) throws -> Void) throws {
    let deadline = milliseconds.map { ContinuousClock.now + .milliseconds($0) }
    Connection.limitMemory(Self.mostMemory)
    defer { Connection.limitMemory(0) }
    // A store that was replaced or migrated is opened once more.
    do { try runOnce(sql, milliseconds, deadline, body) } catch let error as StoreError where error.asksForOpening {
      for store in stores { store.close() }
      try runOnce(sql, milliseconds, deadline, body)
    }
  }

  /// The error of a statement that was stopped after its time.
  package static func lateness(_ milliseconds: Int) -> OperationError {
    let time = milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    return OperationError(.usage, "the statement was stopped after \(time)", recovery: .giveMoreTime)
  }

  private func runOnce(
    _ sql: String, _ milliseconds: Int?, _ deadline: ContinuousClock.Instant?, _ body: (StatementRows) throws -> Void
  ) throws {
    do {
      // A statement without a search needs neither an index nor its overlay.
      let members = try answering { try MemberStore(name: $0.name, store: $0.open().store) }
      let enter = { (member: MemberStore, body: () throws -> Void) in
        try member.store.withSnapshot {
          try member.store.refuseReplaced()
          try body()
        }
      }
      try nestedCalls(members[...], in: enter) {
        notes = []
        try Execution(sql, members, deadline, milliseconds).run(body)
        notes = members.flatMap(\.notes)
      }
    } catch is Execution.NeedsIndex {
      try searching { members, remarks, ranking in
        var searches: [[String?]: SearchHits] = [:]
        var notes = remarks
        try Execution(sql, members, deadline, milliseconds) { words, kind in
          try StopSignal.check()
          if let deadline, ContinuousClock.now >= deadline { throw Execution.Late() }
          if let known = searches[[words, kind]] { return known }
          if searches.count == Self.mostSearches { searches.removeAll() }
          var request = SearchRequest(query: words)
          request.kinds = kind.map { [$0] } ?? []
          let hits = try SearchHits(request, ranking(request))
          searches[[words, kind]] = hits
          for note in hits.notes where !notes.contains(note) { notes.append(note) }
          return hits
        }.run(body)
        self.notes = notes
      }
    }
  }

  /// Runs `body` in a snapshot of all stores and their indexes, and again if an index changes meanwhile.
  ///
  /// - Parameter body: Is given the stores, remarks about what their indexes lack, and what ranks a request.
  private func searching(
    _ body: ([MemberStore], _ remarks: [String], @escaping (SearchRequest) throws -> HitRanking) throws -> Void
  ) throws {
    let all = SearchRequest(query: "*")
    let searchers = try answering { (name: $0.name, searcher: try $0.open().searcher) }
    guard searchers[0].name != nil else {
      return try searchers[0].searcher.withView(all) { view in
        try body([MemberStore(name: nil, store: view.store)], [view.freshness.note].compactMap(\.self)) {
          try HitRanking($0, view)
        }
      }
    }
    let group = try SearchGroup(searchers.map { ($0.name ?? "", $0.searcher) })
    try group.withViews(all) { views in
      let members = try group.members.indices.map { number in
        MemberStore(name: group.members[number].name, store: try views.view(number).store)
      }
      try body(members, views.notes) { try HitRanking($0, views, of: group, members) }
    }
  }

  /// What `body` makes of each store. Stores of a group for which it fails are missing from the answer.
  private func answering<Made>(_ body: (StatementStore) throws -> Made) throws -> [Made] {
    missing = []
    let made = try stores.compactMap { store in
      do { return try body(store) } catch {
        guard let name = store.name else { throw error }
        missing.append(try SearchGroup.missing(name, error))
        return Made?.none
      }
    }
    if made.isEmpty { throw missing[0] }
    return made
  }
}

/// One run of a statement in a snapshot of each store.
private final class Execution {
  /// The statement searches, so it has to run in a snapshot of index and store.
  struct NeedsIndex: Error {}
  /// The time is over before a search.
  struct Late: Error {}

  private let sql: String
  private let members: [MemberStore]
  private let deadline: ContinuousClock.Instant?
  private let milliseconds: Int?
  private let tables: StoreTables
  private let search: SearchTable
  private let canSearch: Bool
  /// The first error of a virtual table, and what the authorizer refused.
  private var failure: (any Error)?
  private var refused: Connection.Refusal?

  init(
    _ sql: String, _ members: [MemberStore], _ deadline: ContinuousClock.Instant?, _ milliseconds: Int?,
    hits: ((String, String?) throws -> SearchHits)? = nil
  ) {
    (self.sql, self.members, self.deadline, self.milliseconds) = (sql, members, deadline, milliseconds)
    canSearch = hits != nil
    tables = StoreTables(members)
    search = SearchTable(isOfGroup: members[0].name != nil, hits: hits ?? { _, _ in throw NeedsIndex() })
  }

  private var isLate: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

  func run(_ body: (StatementRows) throws -> Void) throws {
    let connection = try Connection(path: ":memory:", access: .create)
    func keep(_ error: any Error) { if failure == nil { failure = error } }
    for table in tables.tables { try connection.define(table, failed: keep) }
    try connection.define(search, failed: keep)
    connection.allowOnlyReading { [unowned self] in if refused == nil { refused = $0 } }
    try connection.refuseLongFormats()
    let isOver = { [unowned self] in StopSignal.isRaised || isLate }
    do {
      try connection.stopping(when: isOver) {
        try nestedCalls(members[...], in: { try $0.store.stopping(when: isOver, $1) }) {
          try body(StatementRows(try prepare(connection)))
        }
      }
    } catch {
      try StopSignal.check()
      if isLate, let milliseconds {
        throw StoreStatement.lateness(milliseconds)
      }
      if let failure { throw failure }
      guard let error = error as? SQLiteError else { throw error }
      throw StatementErrors(sql: sql, tables: tables).error(error, refused: refused)
    }
  }

  private func prepare(_ connection: Connection) throws -> Statement {
    let first = SQLText.firstWord(of: sql)
    guard !first.isEmpty else { throw OperationError(.usage, "the statement is empty") }
    guard sql.utf8.count <= Connection.mostStatementBytes else {
      throw OperationError(.usage, "the statement is longer than \(Connection.mostStatementBytes >> 20) MB")
    }
    guard ["SELECT", "WITH", "VALUES", "EXPLAIN"].contains(first.uppercased()) else {
      throw QueryError(
        "'\(first)' is not allowed; only SELECT, WITH, VALUES and EXPLAIN are", query: sql,
        offset: sql.firstRange(of: first).map { sql.distance(from: sql.startIndex, to: $0.lowerBound) })
    }
    guard let (statement, rest) = try connection.firstStatement(of: sql) else {
      throw OperationError(.usage, "the statement is empty")
    }
    guard SQLText.firstWord(of: rest).isEmpty else {
      throw QueryError(
        "there is a second statement; only one is run", query: sql, offset: sql.count - rest.count)
    }
    guard statement.parameterCount == 0 else {
      throw OperationError(.usage, "the statement has parameters; write their values")
    }
    guard statement.isReadOnly else { throw StatementErrors.refusal(.writing) }
    if search.isUsed, !canSearch { throw NeedsIndex() }
    return statement
  }
}

/// The rows of a statement.
package final class StatementRows {
  private let statement: Statement
  /// The names of the columns, as the statement gives them.
  package let columns: [String]

  fileprivate init(_ statement: Statement) {
    self.statement = statement
    columns = (0..<statement.columnCount).map { statement.columnName(at: Int32($0)) }
  }

  /// The next row; nil after the last one.
  package func next() throws -> [Value]? {
    try statement.step() ? columns.indices.map { statement.value(at: Int32($0)) } : nil
  }
}
