// SPDX-License-Identifier: MIT

import SQLite
import Testing

struct FunctionTests {
  private func rows(_ connection: Connection, _ sql: String) throws -> [Value] {
    let statement = try connection.cursor(sql)
    var found: [Value] = []
    while try statement.step() { found.append(statement.value(at: 0)) }
    return found
  }

  @Test func `a function gets the bytes of texts, and NULL stays NULL`() throws {
    let connection = try Connection(path: ":memory:", access: .create)
    var seen: [[[UInt8]]] = []
    try connection.define(function: "longer") { left, right in
      seen.append([Array(left), Array(right)])
      return left.count > right.count
    }
    let found = try rows(
      connection,
      """
      SELECT longer('é', 'e') UNION ALL SELECT longer('', 'ab') UNION ALL SELECT longer(NULL, 'a')
      UNION ALL SELECT longer('a', NULL) UNION ALL SELECT longer(123, x'3132')
      UNION ALL SELECT longer('a' || char(0) || 'b', '')
      """)
    #expect(found == [.integer(1), .integer(0), .null, .null, .integer(1), .integer(1)])
    #expect(
      seen == [
        [[0xc3, 0xa9], [0x65]], [[], [0x61, 0x62]], [[0x31, 0x32, 0x33], [0x31, 0x32]], [[0x61, 0, 0x62], []],
      ])
  }

  @Test func `a measure returns a number for a text, and NULL stays NULL`() throws {
    let connection = try Connection(path: ":memory:", access: .create)
    try connection.define(measure: "bytes") { $0.count - 1 }
    let found = try rows(
      connection,
      "SELECT bytes('é') UNION ALL SELECT bytes('') UNION ALL SELECT bytes(NULL) UNION ALL SELECT bytes(123)")
    #expect(found == [.integer(1), .integer(-1), .null, .integer(2)])
  }

  @Test func `a collation defines order and equality`() throws {
    let connection = try Connection(path: ":memory:", access: .create)
    try connection.define(collation: "backwards") { left, right in
      Array(right).lexicographicallyPrecedes(Array(left)) ? -5_000_000_000 : left.elementsEqual(right) ? 0 : 7
    }
    let found = try rows(
      connection,
      "SELECT x FROM (SELECT 'b' AS x UNION ALL SELECT '' UNION ALL SELECT 'ca' UNION ALL SELECT 'c') ORDER BY x "
        + "COLLATE backwards")
    #expect(found == [.text("ca"), .text("c"), .text("b"), .text("")])
    #expect(try rows(connection, "SELECT 'a' = 'A' COLLATE backwards") == [.integer(0)])
  }

  @Test func `closures live until they are replaced or the connection is closed`() throws {
    final class Witness { var count = 0 }
    weak var first: Witness?
    weak var second: Witness?
    do {
      let connection = try Connection(path: ":memory:", access: .create)
      func define() throws -> Witness {
        let witness = Witness()
        try connection.define(function: "f") { _, _ in
          witness.count += 1
          return true
        }
        try connection.define(collation: "c") { _, _ in
          witness.count += 1
          return 0
        }
        return witness
      }
      first = try define()
      #expect(first != nil)
      second = try define()
      #expect(first == nil)
      _ = try rows(connection, "SELECT f('a', 'b')")
      #expect(second?.count == 1)
    }
    #expect(second == nil)
  }

  @Test func `a borrowed statement belongs to one caller and has no old bindings`() throws {
    let connection = try Connection(path: ":memory:", access: .create)
    let sql = "SELECT ?1"
    let first = try connection.borrow(sql)
    try first.bind(Int64(1), at: 1)
    let second = try connection.borrow(sql)
    #expect(first !== second)
    #expect(try first.step())
    connection.giveBack(first, sql)
    let third = try connection.borrow(sql)
    #expect(third === first)
    #expect(try third.step())
    #expect(third.value(at: 0) == .null)
    for number in 0..<200 { connection.giveBack(try connection.borrow("SELECT \(number)"), "SELECT \(number)") }
    #expect(try connection.integer("SELECT 7") == 7)
  }
}
