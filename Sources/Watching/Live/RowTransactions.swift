// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

/// The last transaction that changed each row, in a private temporary database.
final class RowTransactions {
  struct Change: Equatable {
    let transaction: Int64
    let author: String?
  }

  private let connection: Connection
  /// The author whose transactions take precedence over later ones of others; nil for none.
  private let preferred: String?
  private(set) var transactions = 0
  /// The only transaction, or the last one.
  private var last: Change?
  private var authors: Set<String?> = []

  init(preferring author: String?) throws {
    preferred = author
    connection = try Connection(path: "", access: .temporary)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; BEGIN;
      CREATE TABLE author (number INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE row (entity TEXT, key INTEGER, number INTEGER, preferred INTEGER, PRIMARY KEY (entity, key))
      WITHOUT ROWID
      """)
  }

  func add(_ header: StoredTransaction) throws {
    transactions += 1
    last = Change(transaction: header.number, author: header.author)
    authors.insert(header.author)
    let statement = try connection.statement("INSERT INTO author VALUES (?1, ?2)")
    try statement.bind(header.number, at: 1)
    if let author = header.author { try statement.bind(author, at: 2) }
    try statement.run()
  }

  func add(entity: String, key: Int64, in header: StoredTransaction) throws {
    let statement = try connection.statement(
      """
      INSERT INTO row VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET number = excluded.number,
      preferred = excluded.preferred WHERE excluded.preferred >= row.preferred
      """)
    try statement.bind(entity, at: 1)
    try statement.bind(key, at: 2)
    try statement.bind(header.number, at: 3)
    try statement.bind(Int64(preferred != nil && header.author == preferred ? 1 : 0), at: 4)
    try statement.run()
  }

  /// The last transaction that changed a row; nil if none did.
  func change(entity: String, key: Int64) throws -> Change? {
    let statement = try connection.statement(
      """
      SELECT row.number, author.name FROM row JOIN author ON author.number = row.number
      WHERE row.entity = ?1 AND row.key = ?2
      """)
    defer { statement.reset() }
    try statement.bind(entity, at: 1)
    try statement.bind(key, at: 2)
    guard try statement.step() else { return nil }
    return Change(
      transaction: statement.integer(at: 0), author: statement.isNull(at: 1) ? nil : statement.text(at: 1))
  }

  /// What is known of a record whose own row did not change: the transaction if there was only one, and the author if
  /// all transactions have the same one.
  var common: (transaction: Int64?, author: String?) {
    (transactions == 1 ? last?.transaction : nil, authors.count == 1 ? last?.author : nil)
  }
}
