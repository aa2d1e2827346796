// SPDX-License-Identifier: MIT

package import Base
internal import Documents
internal import ForeignStores
internal import FoundationEssentials
package import SQLite
internal import Search
package import SearchIndex
internal import Store

/// Runs SQL statements of users on a store. Each statement reads one snapshot of the store, and the function `search`
/// answers for the same snapshot.
///
/// A statement runs on an empty database in memory that has only virtual tables, so no statement can reach the file.
package final class StoreStatement {
  /// The maximum memory of SQLite while a statement runs, in bytes.
  static let mostMemory: Int64 = 512 << 20
  /// The number of searches of one statement whose hits are kept, for searches that depend on a row.
  private static let mostSearches = 64

  private let storePath: String
  private let directory: IndexDirectory
  private var opened: Opened?
  /// Remarks about the answers of the last statement's searches.
  package private(set) var notes: [String] = []

  /// The store, with the index if it can be read.
  private enum Opened {
    case indexed(Searcher)
    case alone(PersistentStore, reason: IndexError)

    var store: PersistentStore {
      switch self {
      case .indexed(let searcher): searcher.store
      case .alone(let store, _): store
      }
    }

    var searcher: Searcher {
      get throws {
        switch self {
        case .indexed(let searcher): return searcher
        case .alone(_, let reason): throw reason
        }
      }
    }
  }

  package init(storePath: String, directory: IndexDirectory) {
    (self.storePath, self.directory) = (storePath, directory)
  }

  /// The tables and functions that statements can read.
  package func tables() throws -> [StoreTables.Description] { StoreTables(try open().store).descriptions }

  /// Runs one statement and passes its rows to `body`, which is called again if the index changes meanwhile.
  ///
  /// - Parameter milliseconds: The time after which the statement is stopped; nil for no limit.
  /// - Throws: `QueryError` for a mistake in the statement; `OperationError` with `.usage` for one that does not only
  ///   read, or that takes too long; `IndexError.missing` for a search without an index; errors of the store.
  package func run(_ sql: String, stoppingAfter milliseconds: Int?, _ body: (StatementRows) throws -> Void) throws {
    let deadline = milliseconds.map { ContinuousClock.now + .milliseconds($0) }
    Connection.limitMemory(Self.mostMemory)
    defer { Connection.limitMemory(0) }
    // A store that was replaced or migrated is opened once more.
    do { try runOnce(sql, milliseconds, deadline, body) } catch let error as StoreError where error.asksForOpening {
      opened = nil
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
    let opened = try open()
    do {
      // A statement without a search needs neither the index nor its overlay.
      try opened.store.withSnapshot {
        try opened.store.refuseReplaced()
        notes = []
        try Execution(sql, opened.store, deadline, milliseconds).run(body)
        notes = [opened.store.misfitSentence, opened.store.unreadSentence].compactMap(\.self)
      }
    } catch is Execution.NeedsIndex {
      let searcher = try opened.searcher
      try searcher.withView(SearchRequest(query: "*")) { view in
        var searches: [[String?]: SearchHits] = [:]
        var notes = [view.freshness.note].compactMap(\.self)
        try Execution(sql, view.store, deadline, milliseconds) { words, kind in
          try StopSignal.check()
          if let deadline, ContinuousClock.now >= deadline { throw Execution.Late() }
          if let known = searches[[words, kind]] { return known }
          if searches.count == Self.mostSearches { searches.removeAll() }
          var request = SearchRequest(query: words)
          request.kinds = kind.map { [$0] } ?? []
          try DeletionPeriod.refuse(request, in: view, "which have no rows")
          let hits = try SearchHits(request, view)
          searches[[words, kind]] = hits
          for note in hits.notes where !notes.contains(note) { notes.append(note) }
          return hits
        }.run(body)
        self.notes = notes
      }
    }
  }

  private func open() throws -> Opened {
    if case .indexed(let searcher) = opened, !searcher.isOutdated { return .indexed(searcher) }
    let made: Opened
    do { made = .indexed(try Searcher(storePath: storePath, directory: directory)) } catch let error as IndexError {
      made = .alone(try StoreFile.open(storePath), reason: error)
    }
    opened = made
    return made
  }
}

/// One run of a statement in a snapshot.
private final class Execution {
  /// The statement searches, so it has to run in a snapshot of index and store.
  struct NeedsIndex: Error {}
  /// The time is over before a search.
  struct Late: Error {}

  private let sql: String
  private let store: PersistentStore
  private let deadline: ContinuousClock.Instant?
  private let milliseconds: Int?
  private let tables: StoreTables
  private let search: SearchTable
  private let canSearch: Bool
  /// The first error of a virtual table, and what the authorizer refused.
  private var failure: (any Error)?
  private var refused: Connection.Refusal?

  init(
    _ sql: String, _ store: PersistentStore, _ deadline: ContinuousClock.Instant?, _ milliseconds: Int?,
    hits: ((String, String?) throws -> SearchHits)? = nil
  ) {
    (self.sql, self.store, self.deadline, self.milliseconds) = (sql, store, deadline, milliseconds)
    canSearch = hits != nil
    tables = StoreTables(store)
    search = SearchTable(store: store, hits: hits ?? { _, _ in throw NeedsIndex() })
  }

  private var isLate: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

  func run(_ body: (StatementRows) throws -> Void) throws {
    let connection = try Connection(path: ":memory:", access: .create)
    func keep(_ error: any Error) { if failure == nil { failure = error } }
    for table in tables.entities { try connection.define(table, failed: keep) }
    for table in tables.relations { try connection.define(table, failed: keep) }
    try connection.define(search, failed: keep)
    connection.allowOnlyReading { [unowned self] in if refused == nil { refused = $0 } }
    try connection.refuseLongFormats()
    let isOver = { [unowned self] in StopSignal.isRaised || isLate }
    do {
      try connection.stopping(when: isOver) {
        try store.stopping(when: isOver) {
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
