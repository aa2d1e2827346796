// SPDX-License-Identifier: MIT

internal import Foundation
internal import SQLite
internal import Store
internal import TestSupport

/// Saves without end, and prints the number of each transaction once it is durable: what is killed in crash tests.
///
///     LoadWriter DIRECTORY SEED          random saves of a made-up catalogue that the seed repeats
///     LoadWriter DIRECTORY SEED foreign  another program's saves: plain SQL with synchronous=NORMAL
///     LoadWriter STORE SEED COUNT        so many saves to a store that others write too
///     LoadWriter STORE SEED COUNT PAGES  the same, with a checkpoint when the log has so many pages
///     LoadWriter DATABASE MODE           transactions without a pause on an ordinary database in that journal mode
///     LoadWriter DATABASE MODE exclusive the same, and the database is locked all the time, as browsers do
@main
enum LoadWriter {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { exit(2) }
    guard let seed = Int(arguments[2]) else {
      guard arguments.count == 3 else { return try writeLocked(arguments[1], mode: arguments[2]) }
      return try writeWithoutPause(arguments[1], mode: arguments[2])
    }
    if let count = arguments.dropFirst(3).first.flatMap({ Int($0) }) {
      if let pages = arguments.dropFirst(4).first.flatMap({ Int32($0) }) { Connection.mostLogPages = pages }
      var writer = try SharedWriter(storePath: arguments[1], seed: seed)
      return try writer.save(count) { say($0) }
    }
    let bench = try IndexedStore(in: TemporaryDirectory(existing: arguments[1]), seed: seed, films: 20)
    say("\(try bench.store.newest())")
    guard arguments.count == 3 else { return try saveAsForeigner(bench) }
    while true {
      try bench.saveRandomly()
      say("\(try bench.store.newest())")
    }
  }

  private static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
  }

  /// Each transaction writes one number into all rows of `pairs`, and deletes and inserts one of them.
  private static func writeWithoutPause(_ path: String, mode: String) throws {
    let connection = try Connection(path: path, access: .create, busyMilliseconds: 60_000)
    try connection.execute(
      """
      PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF;
      CREATE TABLE IF NOT EXISTS pairs (id INTEGER PRIMARY KEY, number INTEGER, note TEXT);
      INSERT OR IGNORE INTO pairs VALUES (1, 0, 'lamp'), (2, 0, 'lamp'), (3, 0, 'lamp'), (4, 0, 'lamp');
      """)
    for round in 1... {
      try connection.beginWrite()
      try connection.execute("UPDATE pairs SET number = \(round); REPLACE INTO pairs VALUES (1, \(round), 'lamp')")
      try connection.commit()
      if round % 100 == 1 { say("\(round)") }
    }
  }

  /// Each transaction writes one number into all rows of `pairs`, which have a page each. The cache is so small that most
  /// of them reach the files before the transaction is committed.
  private static func writeLocked(_ path: String, mode: String) throws {
    let connection = try Connection(path: path, access: .create)
    try connection.execute(
      """
      PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cache_size = 2; PRAGMA cache_spill = 1;
      CREATE TABLE IF NOT EXISTS pairs (id INTEGER PRIMARY KEY, number INTEGER, note TEXT, padding BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO pairs SELECT i, 0, 'lamp', zeroblob(3000) FROM n;
      """)
    for round in 1... {
      try connection.beginWrite()
      try connection.execute("UPDATE pairs SET number = \(round); DELETE FROM pairs WHERE id = 1")
      try connection.execute("INSERT INTO pairs VALUES (1, \(round), 'lamp', zeroblob(3000))")
      try connection.commit()
      if round % 10 == 1 { say("\(round)") }
    }
  }

  /// One updated row and its history a transaction. `NORMAL` leaves the log unsynced: a power cut takes saves back.
  private static func saveAsForeigner(_ bench: IndexedStore) throws {
    let connection = try Connection(path: bench.storePath, access: .readWrite)
    try connection.execute("PRAGMA synchronous = NORMAL")
    let transactions = "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION')"
    let changes = "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'CHANGE')"
    while true {
      let key = bench.catalogue.pick(bench.keys) ?? 1
      let title = bench.catalogue.words(3)
      try connection.execute(
        """
        BEGIN IMMEDIATE;
        UPDATE ZFILM SET ZTITLE = '\(title)', Z_OPT = Z_OPT + 1 WHERE Z_PK = \(key);
        UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_NAME IN ('TRANSACTION', 'CHANGE');
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
          SELECT \(transactions), max(Z_ENT), max(ZTIMESTAMP) + 0.001 + abs(random() % 1000) / 1e6 FROM ATRANSACTION;
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
          SELECT \(changes), max(Z_ENT), 1, max(ZENTITY), \(key), \(transactions) FROM ACHANGE;
        COMMIT
        """)
      say("\(try bench.store.newest())")
    }
  }
}
