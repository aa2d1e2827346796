internal import CSQLite

/// One connection to one SQLite file. Not thread-safe: one owner at a time.
package final class Connection {
  package enum Access: Sendable {
    case readOnly
    /// Read-only, and promising SQLite that nobody writes: no `-shm` file is needed.
    case immutable
    case readWrite
    case create
  }

  package let path: String
  let handle: OpaquePointer
  let busyMilliseconds: Int32
  private var cache: [String: Statement] = [:]
  /// Statements that were lent and came back.
  private var idle: [String: Statement] = [:]
  /// So many wait for the next who wants them.
  private static let idleLimit = 64
  /// Whether the functions and collations that its statements call are defined.
  package var hasDefinitions = false
  /// The transaction of which those that are begun are parts; nil where each stands for itself.
  var whole: Whole?

  /// Opens `path`. Nothing is read yet: a file of another kind is noticed by the first statement.
  ///
  /// - Parameters:
  ///   - copy: A copy of the file, which is opened in its place. Errors and `path` name the original.
  ///   - busyMilliseconds: How long a statement waits for another process's lock before it throws.
  package init(
    path: String, access: Access, copy: String? = nil, busyMilliseconds: Int32 = 10_000
  ) throws(SQLiteError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    // Relative paths go by their directory, for to SQLite `:memory:` and names that begin with `file:` are no files.
    var name = copy ?? path
    name = name.hasPrefix("/") || (name == ":memory:" && access == .create) ? name : "./" + name
    switch access {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:" + Self.percentEncoded(name) + "?immutable=1"
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let operation = "opening \(path)"
      let error =
        opened.map { SQLiteError(code, of: $0, operation: operation) }
        ?? SQLiteError(extendedCode: code, message: "out of memory", operation: operation)
      sqlite3_close_v2(opened)
      throw error
    }
    self.path = path
    handle = opened
    self.busyMilliseconds = busyMilliseconds
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  deinit {
    cache.removeAll()
    idle.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Whether closing the last connection moves the `-wal` into the main file; SQLite does so by default.
  package var checkpointsOnClose = true {
    didSet { _ = csqlite_set_checkpoint_on_close(handle, checkpointsOnClose ? 1 : 0) }
  }

  /// Runs one or more statements that return nothing of interest.
  package func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, "running \(sql.prefix(60))") }
  }

  /// A compiled statement, reset and without bindings; compiled once for each text.
  package func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let cached = cache[sql] {
      cached.reset()
      return cached
    }
    let made = try Statement(connection: handle, sql: sql)
    cache[sql] = made
    return made
  }

  /// A compiled statement of its own, for a cursor that lives beside others of the same text.
  package func cursor(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(connection: handle, sql: sql)
  }

  /// A compiled statement that belongs to the caller alone until it is given back: where texts recur, it need not be
  /// compiled each time.
  package func borrow(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = idle.removeValue(forKey: sql) { return statement }
    return try Statement(connection: handle, sql: sql)
  }

  package func giveBack(_ statement: Statement, _ sql: String) {
    statement.reset()
    if idle.count >= Self.idleLimit { idle.removeAll() }
    idle[sql] = statement
  }

  /// The number of rows that the last statement changed.
  package var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Rises whenever another connection has committed to the file.
  package func dataVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA data_version") ?? 0 }

  /// The first column of the first row as an integer, or nil where there is no row or the value is NULL.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.integer(at: 0)
  }

  package func hasTable(_ name: String) throws(SQLiteError) -> Bool {
    let statement = try statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")
    defer { statement.reset() }
    try statement.bind(name, at: 1)
    return try statement.step()
  }

  func error(_ code: Int32, _ operation: String) -> SQLiteError {
    SQLiteError(code, of: handle, operation: operation)
  }

  private static func percentEncoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A name as an SQL identifier: the only way a name enters SQL text.
///
/// - Precondition: The name holds no NUL; model validation refuses such names.
package func quoted(_ name: String) -> String {
  precondition(!name.utf8.contains(0), "a name with a NUL character cannot be an SQL identifier")
  // By bytes: a quotation mark with a combining mark after it is another Character, but SQL sees the quotation mark.
  let mark = UInt8(ascii: "\"")
  let doubled = name.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }
  return String(decoding: [mark] + doubled + [mark], as: UTF8.self)
}

/// A text as an SQL literal.
package func literal(_ text: String) -> String {
  let mark = UInt8(ascii: "'")
  return String(decoding: [mark] + text.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] } + [mark], as: UTF8.self)
}

extension Connection {
  /// The version of the SQLite that runs.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
