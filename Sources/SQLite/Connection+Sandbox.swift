// SPDX-License-Identifier: MIT

internal import CSQLite

/// Bounds for statements that a user wrote.
extension Connection {
  /// Why the authorizer refused a statement: what it would have done.
  package enum Refusal: Sendable, Equatable {
    case writing, attaching, pragma, transaction
    case function(String)
    case other
  }

  /// Allows only reading from now on, and bounds the sizes of values and statements.
  package func allowOnlyReading(_ refused: @escaping (Refusal) -> Void) {
    let listener = RefusalListener(refused)
    refusalListener = listener
    sqlite3_set_authorizer(
      handle,
      { listener, action, first, second, _, _ in
        func refuse(_ refusal: Refusal) -> Int32 {
          Unmanaged<RefusalListener>.fromOpaque(listener!).takeUnretainedValue().refused(refusal)
          return SQLITE_DENY
        }
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return SQLITE_OK
        case SQLITE_FUNCTION:
          let name = second.map { String(cString: $0) } ?? ""
          return ["load_extension", "fts3_tokenizer"].contains(name.lowercased())
            ? refuse(.function(name)) : SQLITE_OK
        // SQLite asks this when it connects a virtual table. It refuses such statements of users itself.
        case SQLITE_UPDATE where first.map({ String(cString: $0) }) == "sqlite_master": return SQLITE_OK
        case SQLITE_ATTACH, SQLITE_DETACH: return refuse(.attaching)
        case SQLITE_PRAGMA: return refuse(.pragma)
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return refuse(.transaction)
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: return refuse(.writing)
        default: return refuse(.other)
        }
      }, Unmanaged.passUnretained(listener).toOpaque())
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, 256 << 20), (SQLITE_LIMIT_SQL_LENGTH, Self.mostStatementBytes), (SQLITE_LIMIT_ATTACHED, 0),
      (SQLITE_LIMIT_WORKER_THREADS, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ] { sqlite3_limit(handle, limit, Int32(value)) }
  }

  /// The maximum length of a statement after `allowOnlyReading`.
  package static let mostStatementBytes = 1 << 20

  /// Runs `body`. Statements end with an error, `SQLiteError.isStopped`, when `isOver` returns true.
  package func stopping<Result>(when isOver: @escaping () -> Bool, _ body: () throws -> Result) rethrows -> Result {
    let condition = StopCondition(isOver)
    sqlite3_progress_handler(
      handle, 1_000,
      { Unmanaged<StopCondition>.fromOpaque($0!).takeUnretainedValue().isOver() ? 1 : 0 },
      Unmanaged.passUnretained(condition).toOpaque())
    defer {
      sqlite3_progress_handler(handle, 0, nil, nil)
      withExtendedLifetime(condition) {}
    }
    return try body()
  }

  /// Makes SQLite open many small files faster, on several threads. No limit of memory is obeyed then. It has no effect if
  /// this process has used SQLite before.
  package static func expectManyConnections() { csqlite_expect_many_connections() }

  /// The maximum memory of SQLite in this process, in bytes; 0 for no limit.
  package static func limitMemory(_ bytes: Int64) { _ = sqlite3_hard_heap_limit64(bytes) }

  /// Whether the text ends with the end of a statement.
  package static func isComplete(_ sql: String) -> Bool { sqlite3_complete(sql) == 1 }

  /// Whether a statement can contain the word as a name without quotation marks.
  package func isName(_ word: String) -> Bool {
    let isWord = word.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
    guard isWord,
      word.utf8.allSatisfy({ $0 == 0x5f || (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) })
    else { return false }
    return (try? cursor("SELECT t.\(word) FROM (SELECT 1 AS \(word)) t")) != nil
  }

  /// Prepares the first statement of a text; nil for blanks and comments.
  ///
  /// - Returns: The statement and the text after it.
  /// - Throws: `SQLiteError` with the offset of the mistake.
  package func firstStatement(of sql: String) throws(SQLiteError) -> (statement: Statement, rest: String)? {
    var prepared: OpaquePointer?
    var rest = ""
    var sql = sql
    let code = sql.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text -> Int32 in
        var tail: UnsafePointer<CChar>?
        guard let start = text.baseAddress else { return SQLITE_OK }
        let code = sqlite3_prepare_v2(handle, start, Int32(clamping: text.count), &prepared, &tail)
        if let tail {
          rest = String(
            decoding: UnsafeRawBufferPointer(start: tail, count: text.count - (tail - start)), as: UTF8.self)
        }
        return code
      }
    }
    guard code == SQLITE_OK else {
      var failure = error(code, "reading a statement")
      failure.offset = Int(sqlite3_error_offset(handle))
      throw failure
    }
    return prepared.map { (Statement(prepared: $0, connection: handle), rest) }
  }
}

final class RefusalListener {
  let refused: (Connection.Refusal) -> Void
  init(_ refused: @escaping (Connection.Refusal) -> Void) { self.refused = refused }
}

private final class StopCondition {
  let isOver: () -> Bool
  init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }
}
