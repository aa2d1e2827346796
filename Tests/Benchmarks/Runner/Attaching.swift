// SPDX-License-Identifier: MIT

internal import Foundation
internal import SQLite
internal import Store
internal import TestSupport

extension FilmsBenchmark {
  /// What the triggers of `attach` cost a writer, against the same statements on the same table without them: one
  /// integer key, one unique column, prepared statements, WAL and `synchronous=FULL`.
  func attaching() throws {
    try writing("200000 inserts in one transaction, attached, against the same without", rounds: 5) { writer in
      try insert(1...200_000, into: writer, batch: 200_000)
    }
    try writing("2000 inserts, one per transaction, attached, against the same without", rounds: 15) { writer in
      try insert(1...2_000, into: writer, batch: 1)
    }
    try writing(
      "50000 updates in one statement, attached, against the same without", rounds: 5,
      before: { try insert(1...50_000, into: $0, batch: 50_000) },
      { try $0.execute("UPDATE t SET note = note || ' again'") })
  }

  private func writing(
    _ name: String, rounds: Int, before: (Connection) throws -> Void = { _ in }, _ body: (Connection) throws -> Void
  ) throws {
    var attached: [Connection] = []
    var plain: [Connection] = []
    for round in 0..<rounds {
      attached.append(try database("attached-\(round).sqlite", isAttached: true))
      plain.append(try database("plain-\(round).sqlite", isAttached: false))
    }
    for connection in attached + plain { try before(connection) }
    let (own, partner) = try alternate(rounds) {
      try body(attached.removeFirst())
    } _: {
      try body(plain.removeFirst())
    }
    report(name, milliseconds(own.median), milliseconds(partner.median), own.median / partner.median)
  }

  private func database(_ name: String, isAttached: Bool) throws -> Connection {
    let path = directory.file(name)
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    let connection = try Connection(path: path, access: .create)
    try connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        + "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE, title TEXT, note TEXT)")
    if isAttached { _ = try Attachment.attach(path) }
    return connection
  }

  private func insert(_ keys: ClosedRange<Int>, into connection: Connection, batch: Int) throws {
    let statement = try connection.statement("INSERT INTO t (code, title, note) VALUES (?1, ?2, ?3)")
    for start in stride(from: keys.lowerBound, through: keys.upperBound, by: batch) {
      try connection.beginWrite()
      for key in start...min(start + batch - 1, keys.upperBound) {
        try statement.bind("code \(key)", at: 1)
        try statement.bind("the title of number \(key)", at: 2)
        try statement.bind("a note of some words for number \(key)", at: 3)
        try statement.run()
      }
      try connection.commit()
    }
  }
}
