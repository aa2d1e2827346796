// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SQLite
internal import SearchIndex
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// What a watcher of a saved search knows, in a small SQLite file in the index directory: the members of the result, the
/// token as of which they are known, and the events that were not delivered yet.
///
/// Members, token and events change in one transaction. So an event that was delivered before a crash is delivered again
/// with the same content, or never again.
final class SavedState {
  /// A record of the result.
  struct Member {
    var digest: Int64
    var title: String
    /// `RecordURI.keyText`; nil also if an earlier version added the member.
    var keyText: String?
  }

  private let connection: Connection
  private let path: String
  /// The token as of which the members are known; nil before the first evaluation.
  private(set) var token: StoreToken?
  /// The token in the file.
  private var stored: StoreToken?
  /// The digest of the search and of the index definition that found the members.
  private(set) var digest = ""

  private static let schema = """
    CREATE TABLE IF NOT EXISTS token (
      one INTEGER PRIMARY KEY CHECK (one = 1), store TEXT NOT NULL, number INTEGER NOT NULL, stamp INTEGER,
      model TEXT NOT NULL, digest TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS member (
      entity TEXT NOT NULL, key INTEGER NOT NULL, digest INTEGER NOT NULL, title TEXT NOT NULL,
      keyText TEXT, PRIMARY KEY (entity, key)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS event (
      number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, entity TEXT NOT NULL, key INTEGER NOT NULL,
      store TEXT NOT NULL, token INTEGER NOT NULL, title TEXT NOT NULL, author TEXT, fields TEXT,
      keyText TEXT);
    """

  private static func path(_ name: String, in directory: IndexDirectory) -> String {
    directory.path + "/saved-\(name).sqlite"
  }

  static func remove(_ name: String, in directory: IndexDirectory) {
    for end in ["", "-wal", "-shm"] { unlink(path(name, in: directory) + end) }
  }

  init(_ name: String, in directory: IndexDirectory) throws {
    path = Self.path(name, in: directory)
    // SQLite gives its other files the rights of this one.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw OperationError.system("\(path) cannot be opened", errno) }
    directory.giveRights(to: descriptor)
    close(descriptor)
    connection = try Self.translating(path) { [path] in
      let connection = try Connection(path: path, access: .readWrite)
      try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
      try connection.execute(Self.schema)
      try Self.addKeyTexts(connection)
      return connection
    }
    try Self.translating(path) { try readToken() }
  }

  /// Adds the columns that files of earlier versions lack.
  private static func addKeyTexts(_ connection: Connection) throws {
    for table in ["member", "event"] {
      let known = try connection.integer("SELECT count(*) FROM pragma_table_info('\(table)') WHERE name = 'keyText'")
      if known == 0 { try connection.execute("ALTER TABLE \(table) ADD COLUMN keyText TEXT") }
    }
  }

  private func readToken() throws {
    let row = try connection.statement("SELECT store, number, stamp, model, digest FROM token")
    defer { row.reset() }
    guard try row.step() else { return }
    token = StoreToken(
      storeUUID: row.text(at: 0), number: row.integer(at: 1),
      stamp: row.isNull(at: 2) ? nil : UInt64(bitPattern: row.integer(at: 2)), modelDigest: row.text(at: 3))
    digest = row.text(at: 4)
    stored = token
  }

  /// Errors of the file as errors for people.
  private static func translating<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      if error.isFull { throw OperationError(.full, "\(path) cannot be written", recovery: .freeSpace, cause: error) }
      throw OperationError(.file, "\(path): \(error.reason)", recovery: .saveAgain, cause: error)
    }
  }

  // MARK: Members

  func member(_ record: RecordURI) throws -> Member? {
    try Self.translating(path) {
      let row = try connection.statement("SELECT digest, title, keyText FROM member WHERE entity = ?1 AND key = ?2")
      defer { row.reset() }
      try row.bind(record.entityName, at: 1)
      try row.bind(record.key, at: 2)
      guard try row.step() else { return nil }
      return Member(
        digest: row.integer(at: 0), title: row.text(at: 1), keyText: row.isNull(at: 2) ? nil : row.text(at: 2))
    }
  }

  /// The identities of all members, without their store.
  func members() throws -> Set<RecordURI> {
    try Self.translating(path) {
      let row = try connection.statement("SELECT entity, key, keyText FROM member")
      defer { row.reset() }
      var found: Set<RecordURI> = []
      while try row.step() {
        found.insert(
          RecordURI(
            storeUUID: nil, entityName: row.text(at: 0), key: row.integer(at: 1),
            keyText: row.isNull(at: 2) ? nil : row.text(at: 2)))
      }
      return found
    }
  }

  /// The number of members.
  func count() throws -> Int {
    try Self.translating(path) { Int(try connection.integer("SELECT COUNT(*) FROM member") ?? 0) }
  }

  // MARK: Changing

  /// Runs `body` in one transaction, and sets the token in it. If `body` changes nothing, the token is only kept in
  /// memory until `save`: after a crash, the same changes are found again.
  ///
  /// - Parameter body: Returns whether it has changed something.
  func change(to token: StoreToken, digest: String, _ body: () throws -> Bool) throws {
    try Self.translating(path) {
      try connection.beginWrite()
      defer { connection.rollback() }
      guard try body() || digest != self.digest || token.storeUUID != self.token?.storeUUID else { return }
      try write(token, digest)
      try connection.commit()
      stored = token
    }
    (self.token, self.digest) = (token, digest)
  }

  /// Makes the token durable.
  func save() throws {
    guard let token, token != stored else { return }
    try Self.translating(path) { try write(token, digest) }
    stored = token
  }

  private func write(_ token: StoreToken, _ digest: String) throws {
    let row = try connection.statement("INSERT OR REPLACE INTO token VALUES (1, ?1, ?2, ?3, ?4, ?5)")
    try row.bind(token.storeUUID, at: 1)
    try row.bind(token.number, at: 2)
    try row.bind(token.stamp.map { Value.integer(Int64(bitPattern: $0)) } ?? .null, at: 3)
    try row.bind(token.modelDigest, at: 4)
    try row.bind(digest, at: 5)
    try row.run()
  }

  /// Adds or replaces a member. Call it inside `change`.
  func put(_ record: RecordURI, _ member: Member) throws {
    let row = try connection.statement(
      "INSERT OR REPLACE INTO member (entity, key, digest, title, keyText) VALUES (?1, ?2, ?3, ?4, ?5)")
    try row.bind(record.entityName, at: 1)
    try row.bind(record.key, at: 2)
    try row.bind(member.digest, at: 3)
    try row.bind(member.title, at: 4)
    try row.bind(member.keyText.map(Value.text) ?? .null, at: 5)
    try row.run()
  }

  /// Removes a member. Call it inside `change`.
  func remove(_ record: RecordURI) throws {
    let row = try connection.statement("DELETE FROM member WHERE entity = ?1 AND key = ?2")
    try row.bind(record.entityName, at: 1)
    try row.bind(record.key, at: 2)
    try row.run()
  }

  /// Adds an event to those that are to be delivered. Call it inside `change`.
  func add(
    _ kind: ResultChange, of record: RecordURI, token: Int64, title: String, author: String?, fields: String?
  ) throws {
    let row = try connection.statement(
      """
      INSERT INTO event (kind, entity, key, store, token, title, author, fields, keyText)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """)
    try row.bind(kind.rawValue, at: 1)
    try row.bind(record.entityName, at: 2)
    try row.bind(record.key, at: 3)
    try row.bind(record.storeUUID ?? "", at: 4)
    try row.bind(token, at: 5)
    try row.bind(title, at: 6)
    try row.bind(author.map(Value.text) ?? .null, at: 7)
    try row.bind(fields.map(Value.text) ?? .null, at: 8)
    try row.bind(record.keyText.map(Value.text) ?? .null, at: 9)
    try row.run()
  }

  // MARK: Events

  /// Calls `body` with each event that was not delivered yet, in order.
  ///
  /// - Returns: The number of the last event; nil if there is none.
  func eachEvent(_ body: (SavedEvent) throws -> Void) throws -> Int64? {
    var last: Int64?
    let row = try Self.translating(path) {
      try connection.cursor("SELECT \(Self.columns) FROM event ORDER BY number")
    }
    while try Self.translating(path, { try row.step() }) {
      let number = row.integer(at: 0)
      last = number
      try body(Self.event(row))
    }
    return last
  }

  /// The first events that were not delivered yet, in order.
  func events(limit: Int) throws -> [SavedEvent] {
    try Self.translating(path) {
      try connection.mapRows("SELECT \(Self.columns) FROM event ORDER BY number LIMIT ?1", [.integer(Int64(limit))]) {
        Self.event($0)
      }
    }
  }

  private static let columns = "number, kind, entity, key, store, token, title, author, fields, keyText"

  private static func event(_ row: Statement) -> SavedEvent {
    SavedEvent(
      number: row.integer(at: 0), kind: ResultChange(rawValue: row.text(at: 1)) ?? .change,
      record: RecordURI(
        storeUUID: row.text(at: 4), entityName: row.text(at: 2), key: row.integer(at: 3),
        keyText: row.isNull(at: 9) ? nil : row.text(at: 9)),
      token: row.integer(at: 5), title: row.text(at: 6), author: row.isNull(at: 7) ? nil : row.text(at: 7),
      fields: row.isNull(at: 8) ? nil : row.text(at: 8))
  }

  /// Notes that the events up to a number were delivered.
  func removeEvents(through number: Int64) throws {
    try Self.translating(path) {
      let row = try connection.statement("DELETE FROM event WHERE number <= ?1")
      try row.bind(number, at: 1)
      try row.run()
    }
  }
}
