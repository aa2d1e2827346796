// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import Store

/// The values of a result before and after a command, in a private temporary database, so that large results need little
/// memory.
final class ResultCopies {
  enum Side: Int { case before, after }

  /// A record of one side.
  struct Record {
    let key: Int64
    /// `RecordURI.keyText`.
    let keyText: String?
    let title: String
    /// By index of `fields`.
    let values: [Value]
    /// The last transaction that changed the row, and its author; nil if none did.
    var transaction: Int64?
    var author: String?
  }

  private let connection: Connection
  /// The entities by side and by name.
  private var entities: [[String: (number: Int, layout: EntityLayout)]] = [[:], [:]]

  init() throws {
    connection = try Connection(path: "", access: .temporary)
    try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768")
    try connection.execute("BEGIN")
  }

  /// What is compared of a record: attributes, and to-one relationships as identifiers.
  static func fields(of entity: EntityLayout) -> [(name: String, type: AttributeType)] {
    entity.entity.attributes.map { ($0.name, $0.type) } + toOne(entity).map { ($0.name, .string) }
  }

  /// The values of a record, by index of `fields`; nil if it does not exist.
  static func values(of entity: EntityLayout, key: Int64, in store: PersistentStore) throws -> [Value]? {
    guard let attributes = try store.values(of: entity, key: key) else { return nil }
    return try attributes
      + toOne(entity).map { relationship in
        try store.targets(of: relationship, from: key).first.map { .text(try store.identifier(of: $0).uri) } ?? .null
      }
  }

  private static func toOne(_ entity: EntityLayout) -> [RelationshipLayout] {
    entity.relationships.filter { !$0.description.isToMany }
  }

  /// The names of the entities that either side has records of.
  var entityNames: [String] { Set(entities.flatMap(\.keys)).sorted() }

  func layout(_ side: Side, _ name: String) -> EntityLayout? { entities[side.rawValue][name]?.layout }

  func add(_ record: Record, of entity: EntityLayout, to side: Side) throws {
    let name = entity.entity.name
    if entities[side.rawValue][name] == nil { try create(side, entity) }
    guard let number = entities[side.rawValue][name]?.number else { return }
    let marks = (1...(record.values.count + 3)).map { "?\($0)" }.joined(separator: ", ")
    try connection.run(
      "INSERT OR REPLACE INTO \(Self.table(side, number)) VALUES (NULL, NULL, 0, \(marks))",
      [.integer(record.key), record.keyText.map(Value.text) ?? .null, .text(record.title)] + record.values)
  }

  /// Notes that a transaction changed a row. It replaces an earlier one, unless only that one is preferred.
  func note(_ transaction: StoredTransaction, of name: String, key: Int64, isPreferred: Bool) throws {
    for side in [Side.before, .after] {
      guard let number = entities[side.rawValue][name]?.number else { continue }
      try connection.run(
        """
        UPDATE \(Self.table(side, number)) SET number = ?1, author = ?2, preferred = ?3
        WHERE key = ?4 AND preferred <= ?3
        """,
        [
          .integer(transaction.number), transaction.author.map(Value.text) ?? .null, .integer(isPreferred ? 1 : 0),
          .integer(key),
        ])
    }
  }

  private func create(_ side: Side, _ entity: EntityLayout) throws {
    let number = entities[side.rawValue].count
    let columns = Self.fields(of: entity).indices.map { ", c\($0)" }.joined()
    try connection.execute(
      """
      CREATE TABLE \(Self.table(side, number)) (
        number, author, preferred, key INTEGER PRIMARY KEY, keyText, title\(columns))
      """)
    entities[side.rawValue][entity.entity.name] = (number, entity)
  }

  private static func table(_ side: Side, _ number: Int) -> String { "side\(side.rawValue)_\(number)" }

  /// Calls `body` with the records of an entity in the order of their keys: both sides of a record that both have.
  func eachRecord(ofEntity name: String, _ body: (_ before: Record?, _ after: Record?) throws -> Void) throws {
    var befores = try records(.before, name)
    var afters = try records(.after, name)
    var (before, after) = (try befores.next(), try afters.next())
    while before != nil || after != nil {
      try StopSignal.check()
      let key = min(before?.key ?? .max, after?.key ?? .max)
      try body(before?.key == key ? before : nil, after?.key == key ? after : nil)
      if before?.key == key { before = try befores.next() }
      if after?.key == key { after = try afters.next() }
    }
  }

  private struct Records {
    let statement: Statement?

    mutating func next() throws -> Record? {
      guard let statement, try statement.step() else { return nil }
      return Record(
        key: statement.integer(at: 3), keyText: statement.optionalText(at: 4), title: statement.text(at: 5),
        values: (6..<Int32(statement.columnCount)).map(statement.value),
        transaction: statement.isNull(at: 0) ? nil : statement.integer(at: 0), author: statement.optionalText(at: 1))
    }
  }

  private func records(_ side: Side, _ name: String) throws -> Records {
    guard let number = entities[side.rawValue][name]?.number else { return Records(statement: nil) }
    return Records(statement: try connection.cursor("SELECT * FROM \(Self.table(side, number)) ORDER BY key"))
  }
}
