// SPDX-License-Identifier: MIT

internal import CSQLite

/// A connection to an SQLite file. It is not thread-safe: it has one owner at a time.
package final class Connection {
  package enum Access: Sendable {
    case readOnly
    /// Read-only, with the promise that nobody writes: SQLite then needs no `-shm` file.
    case immutable
    case readWrite
    case create
    /// A private database in a temporary file, which SQLite removes. The path is ignored.
    case temporary
  }

  package let path: String
  let handle: OpaquePointer
  /// How long a statement waits for another process's lock before it throws.
  package var busyMilliseconds: Int32 {
    didSet { sqlite3_busy_timeout(handle, busyMilliseconds) }
  }
  private var cache: [String: Statement] = [:]
  /// Prepared statements that were borrowed and given back.
  private var idle: [String: Statement] = [:]
  /// The maximum number of idle statements.
  private static let idleLimit = 64
  /// Whether the functions and collations that the statements call are defined.
  package var hasDefinitions = false
  /// The outer transaction; nil if transactions are not nested.
  var outer: OuterTransaction?
  /// Receives what the authorizer refuses; nil without an authorizer.
  var refusalListener: RefusalListener?
  /// What SQLite leaves out of the schema (`leaveOutUnreadDefinitions(after:)`).
  package internal(set) var unreadDefinitions: [UnreadDefinition] = []

  /// Opens `path`. Nothing is read yet, so only the first statement detects a file of another kind.
  ///
  /// - Parameters:
  ///   - copy: A copy of the file to open instead. Errors and `path` name the original.
  ///   - busyMilliseconds: How long a statement waits for another process's lock before it throws.
  package init(
    path: String, access: Access, copy: String? = nil, busyMilliseconds: Int32 = 10_000
  ) throws(SQLiteError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    // Relative paths get the prefix `./`: SQLite does not take `:memory:` and names that start with `file:` as files.
    var name = copy ?? path
    name = name.hasPrefix("/") || (name == ":memory:" && access == .create) ? name : "./" + name
    switch access {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:" + Self.percentEncoded(name) + "?immutable=1"
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .temporary:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      name = ""
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
    csqlite_checkpoint_automatically(handle, Self.mostLogPages)
  }

  deinit {
    cache.removeAll()
    idle.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Whether closing the last connection checkpoints the write-ahead log; SQLite does so by default.
  package var checkpointsOnClose = true {
    didSet { _ = csqlite_set_checkpoint_on_close(handle, checkpointsOnClose ? 1 : 0) }
  }

  /// Runs one or more statements and ignores their rows.
  package func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, "running \(sql.prefix(60))") }
  }

  /// A prepared statement, reset and without bindings. It is prepared once for each text.
  package func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let cached = cache[sql] {
      cached.reset()
      return cached
    }
    let made = try Statement(connection: handle, sql: sql)
    cache[sql] = made
    return made
  }

  /// A new prepared statement, for a cursor that is used while others with the same text are open.
  package func cursor(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Statement {
    let statement = try Statement(connection: handle, sql: sql)
    try statement.bind(values)
    return statement
  }

  /// A prepared statement for the caller alone, until it is given back. Recurring texts are not prepared each time.
  package func borrow(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Statement {
    guard let statement = idle.removeValue(forKey: sql) else { return try cursor(sql, values) }
    try statement.bind(values)
    return statement
  }

  package func giveBack(_ statement: Statement, _ sql: String) {
    statement.reset()
    if idle.count >= Self.idleLimit { idle.removeAll() }
    idle[sql] = statement
  }

  /// The number of rows that the last statement changed.
  var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Increases whenever another connection has committed to the file.
  package func dataVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA data_version") ?? 0 }

  /// The first column of the first row as an integer; nil if there is no row or the value is NULL.
  ///
  /// - Parameter values: The values of the parameters `?1`, `?2`, ….
  package func integer(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.integer(at: 0)
  }

  package func hasTable(_ name: String) throws(SQLiteError) -> Bool { try !tables(among: [name]).isEmpty }

  /// Those of the names that tables of the file have.
  package func tables(among names: [String]) throws(SQLiteError) -> Set<String> {
    let list = names.map(literal).joined(separator: ", ")
    let statement = try statement("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (\(list))")
    defer { statement.reset() }
    var found: Set<String> = []
    while try statement.step() { found.insert(statement.text(at: 0)) }
    return found
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

/// Quotes a name as an SQL identifier. Names enter SQL text only in this form.
///
/// - Precondition: The name contains no NUL; model validation rejects such names.
package func quoted(_ name: String) -> String {
  precondition(!name.utf8.contains(0), "a name with a NUL character cannot be an SQL identifier")
  // Compares bytes: a quotation mark with a combining mark is another Character, but SQL sees the quotation mark.
  let mark = UInt8(ascii: "\"")
  let doubled = name.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }
  return String(decoding: [mark] + doubled + [mark], as: UTF8.self)
}

/// The name that an SQL identifier means, quoted or not.
package func unquoted(_ identifier: String) -> String {
  guard identifier.hasPrefix("\""), identifier.hasSuffix("\""), identifier.utf8.count > 1 else { return identifier }
  return String(identifier.dropFirst().dropLast()).replacing("\"\"", with: "\"")
}

/// Quotes a text as an SQL literal.
package func literal(_ text: String) -> String {
  let mark = UInt8(ascii: "'")
  return String(decoding: [mark] + text.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] } + [mark], as: UTF8.self)
}

extension Connection {
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
