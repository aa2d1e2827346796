// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// A store in a new directory and a second connection, which sees the file as any SQLite program does.
struct StoreFixture {
  /// Two entities whose attributes are declared out of order, so that every sorting has an effect.
  static let model = ModelDescription(entities: [
    EntityDescription(
      "Film",
      attributes: [
        AttributeDescription("title", .string, options: [.preserveValueOnDeletion]),
        AttributeDescription("year", .integer64, isOptional: true),
        AttributeDescription("code", .string, isOptional: true, options: [.unique, .preserveValueOnDeletion]),
        AttributeDescription("rating", .double, isOptional: true, options: [.preserveValueOnDeletion]),
        AttributeDescription("released", .date, isOptional: true),
        AttributeDescription("isFavorite", .boolean, defaultValue: .integer(0)),
        AttributeDescription("poster", .data, isOptional: true),
        AttributeDescription("tags", .strings, isOptional: true),
        AttributeDescription("seen", .integer16, isOptional: true),
      ]),
    EntityDescription("Actor", attributes: [AttributeDescription("name", .string)]),
  ])

  /// The attributes of Film in the order of the bitmap, determined by hand.
  static let filmBits = ["code", "isFavorite", "poster", "rating", "released", "seen", "tags", "title", "year"]

  let directory = TemporaryDirectory()
  let store: PersistentStore
  let outside: Connection

  var path: String { store.path }
  var film: EntityLayout { store.layout.entities[1] }
  var actor: EntityLayout { store.layout.entities[0] }

  init(_ model: ModelDescription = Self.model) throws {
    store = try PersistentStore.create(directory.file("films.store"), model: model)
    outside = try Connection(path: store.path, access: .readWrite, busyMilliseconds: 5_000)
  }

  // MARK: Writing

  /// The values of one film by attribute index. Attributes that are not named have their default.
  func values(_ named: [String: Value]) -> [Value?] { film.entity.attributes.map { named[$0.name] } }

  @discardableResult
  func addFilms(_ titles: String..., author: String? = nil) throws -> SaveResult {
    try store.save(author: author) { save in
      for title in titles { try save.insert(film, values(["title": .text(title)])) }
    }
  }

  @discardableResult
  func setFilm(_ key: Int64, _ changes: KeyValuePairs<String, Value>, author: String? = nil) throws -> SaveResult {
    try store.save(author: author) { save in try save.update(film, key: key, self.changes(changes)) }
  }

  @discardableResult
  func deleteFilm(_ key: Int64, author: String? = nil) throws -> SaveResult {
    try store.save(author: author) { save in try save.delete(film, key: key) }
  }

  func changes(_ named: KeyValuePairs<String, Value>) throws -> [(attribute: Int, value: Value)] {
    try named.map { (attribute: try #require(film.entity.index(of: $0.key)), value: $0.value) }
  }

  // MARK: Reading by the second connection

  /// The rows of a query, columns joined by `|`.
  func rows(_ sql: String) throws -> [String] { try Self.rows(outside, sql) }

  static func rows(_ connection: Connection, _ sql: String) throws -> [String] {
    let statement = try connection.cursor(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append((0..<Int32(statement.columnCount)).map { text(statement.value(at: $0)) }.joined(separator: "|"))
    }
    return rows
  }

  static func text(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .blob(let bytes): "x'" + bytes.map { hexadecimal($0) }.joined() + "'"
    }
  }

  static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  /// The history as lines: `1 editor: insert Film 3, update Film 2 [title, year], delete Film 1 (abc, -, Up)`.
  func history(
    after number: Int64 = 0, through last: Int64 = .max, author: String? = nil, entity: EntityLayout? = nil,
    limit: Int? = nil
  ) throws -> [String] {
    var lines: [String] = []
    try store.transactions(
      after: number, through: last, where: .by(author), limit: limit,
      of: entity.map { entity in { $0.entity == entity.number } }
    ) { transaction in
      let changes = transaction.changes.map { describe($0) }.joined(separator: ", ")
      lines.append("\(transaction.number) \(transaction.author ?? "-"): \(changes)")
    }
    return lines
  }

  func describe(_ change: StoredChange) -> String {
    guard let entity = store.layout.entity(number: change.row.entity) else { return "unknown entity" }
    let head = "\(change.kind.name) \(entity.entity.name) \(change.row.key)"
    switch change.kind {
    case .insert: return head
    case .update:
      let names = change.bitmap.flatMap(entity.names) ?? []
      return head + " [\(names.joined(separator: ", "))]"
    case .delete:
      return head + " (\(change.tombstone.map { Self.text($0) }.joined(separator: ", ")))"
    }
  }
}

/// The code of the store error that `body` throws; nil if it throws none.
func storeErrorCode(_ body: () throws -> Void) throws -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch let error as StoreError {
    return error.code
  }
}

/// The text of the store error that `body` throws; nil if it throws none.
func storeErrorText(_ body: () throws -> Void) throws -> String? {
  do {
    try body()
    return nil
  } catch let error as StoreError {
    return error.description
  }
}

func fileNames(in directory: TemporaryDirectory) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}

/// The transaction of a save, and the number of changed rows of each kind.
struct SaveNumbers {
  var transaction: Int64
  var inserted = 0
  var updated = 0
  var deleted = 0

  static func == (result: SaveResult, numbers: SaveNumbers) -> Bool {
    result.transaction == numbers.transaction && result.inserted == numbers.inserted
      && result.updated == numbers.updated && result.deleted == numbers.deleted
  }
}
