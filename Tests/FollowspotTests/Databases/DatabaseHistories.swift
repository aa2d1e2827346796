// SPDX-License-Identifier: MIT

import SQLite
import TestSupport

/// Random statements on all kinds of tables and keys. They use every conflict clause, change keys, delete all rows and
/// roll back transactions.
struct DatabaseHistories {
  static let schema = """
    CREATE TABLE plain (id INTEGER PRIMARY KEY, name TEXT UNIQUE, note TEXT);
    CREATE TABLE bare (name TEXT PRIMARY KEY, a INTEGER, b INTEGER, note TEXT, UNIQUE (a, b));
    CREATE TABLE narrow (k INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE, note TEXT) WITHOUT ROWID;
    CREATE TABLE child (id INTEGER PRIMARY KEY, plain_id INTEGER REFERENCES plain(id) ON DELETE CASCADE, note TEXT);
    CREATE TABLE words (tag TEXT COLLATE NOCASE, part, name TEXT UNIQUE, note TEXT, PRIMARY KEY (part, tag))
      WITHOUT ROWID;
    CREATE TABLE keyed (isbn TEXT UNIQUE COLLATE NOCASE, name TEXT UNIQUE, note TEXT);
    CREATE UNIQUE INDEX partial ON child (note) WHERE note LIKE 'u%';
    """
  static let tables = ["plain", "bare", "narrow", "child", "words", "keyed"]
  /// The column that `attach --key` names to identify rows.
  static let key = "isbn"
  /// Tables whose keys have several spellings.
  static let numbered = ["words", "keyed"]

  private var random: SeededGenerator
  private let connection: Connection
  private var isInTransaction = false

  init(seed: Int, _ connection: Connection) throws {
    random = SeededGenerator(seed: seed)
    self.connection = connection
    let isRecursive = Bool.random(using: &random)
    try connection.execute("PRAGMA recursive_triggers = \(isRecursive); PRAGMA foreign_keys = ON")
  }

  private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random)! }
  private mutating func number() -> String { "\(Int.random(in: -3...8, using: &random))" }
  private mutating func word() -> String {
    pick(["'ant'", "'Ant'", "'bee'", "'cow'", "'dog'", "'elk'", "'ufo'", "'urn'", "NULL"])
  }

  /// A key of any storage class.
  private mutating func part() -> String { pick(["1", "2", "'2'", "2.5", "'x'", "''"]) }

  /// Runs one random statement, and returns it. Statements that violate a constraint fail, as they would in any program.
  mutating func step() -> String {
    let sql = statement()
    do { try connection.execute(sql) } catch {}
    return sql
  }

  /// Ends a transaction that is open.
  mutating func end() {
    guard isInTransaction else { return }
    isInTransaction = false
    try? connection.execute("COMMIT")
  }

  var isBetweenTransactions: Bool { !isInTransaction }

  private mutating func statement() -> String {
    if Int.random(in: 0..<8, using: &random) == 0 {
      isInTransaction.toggle()
      return isInTransaction ? "BEGIN" : pick(["COMMIT", "ROLLBACK"])
    }
    let table = pick(Self.tables)
    let (columns, values): (String, String) =
      switch table {
      case "plain": ("id, name, note", "\(pick([number(), "NULL"])), \(word()), \(word())")
      case "bare": ("name, a, b, note", "\(word()), \(number()), \(pick([number(), "NULL"])), \(word())")
      case "narrow": ("k, name, note", "\(number()), \(word()), \(word())")
      case "words": ("tag, part, name, note", "\(word()), \(part()), \(word()), \(word())")
      case "keyed": ("isbn, name, note", "\(word()), \(word()), \(word())")
      default: ("id, plain_id, note", "\(pick([number(), "NULL"])), \(number()), \(word())")
      }
    let key =
      ["plain": "id", "bare": "rowid", "narrow": "k", "child": "id", "words": "part", "keyed": "isbn"][table]!
    func keyValue() -> String { table == "keyed" ? word() : table == "words" ? part() : number() }
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4:
      let clause = pick(["", " OR REPLACE", " OR IGNORE", " OR ABORT", " OR FAIL", " OR REPLACE"])
      return "INSERT\(clause) INTO \(table) (\(columns)) VALUES (\(values))"
    case 5:
      let target = [
        "plain": "name", "bare": "a, b", "narrow": "k", "child": "id", "words": "part, tag", "keyed": "isbn",
      ][table]!
      return
        "INSERT INTO \(table) (\(columns)) VALUES (\(values)) ON CONFLICT (\(target)) DO UPDATE SET note = \(word())"
    case 6, 7:
      let clause = pick(["", " OR REPLACE", " OR IGNORE", " OR ABORT"])
      let change = pick(["note = \(word())", table == "child" ? "plain_id = \(number())" : "name = \(word())"])
      return "UPDATE\(clause) \(table) SET \(change) WHERE \(key) <= \(keyValue())"
    case 8:
      let names = [key] + (["plain", "bare", "child", "keyed"].contains(table) ? ["rowid", "OID", "_rowid_"] : [])
      return "UPDATE OR REPLACE \(table) SET \(pick(names)) = \(keyValue()) WHERE \(key) = \(keyValue())"
    default:
      return pick(["DELETE FROM \(table) WHERE \(key) = \(keyValue())", "DELETE FROM \(table) WHERE note = \(word())"])
        + (Int.random(in: 0..<20, using: &random) == 0 ? " OR 1" : "")
    }
  }
}
