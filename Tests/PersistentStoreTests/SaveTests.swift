// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SQLite
@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct SaveTests {
  private let bench: StoreFixture

  init() throws { bench = try StoreFixture() }

  // MARK: Rows and numbering

  @Test func `a save writes rows, one transaction and one change per object`() throws {
    let result = try bench.addFilms("Up", "Cars", author: "editor")
    #expect(result == SaveNumbers(transaction: 1, inserted: 2))
    #expect(
      try bench.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZISFAVORITE, ZYEAR FROM ZFILM") == [
        "1|2|1|Up|0|NULL", "2|2|1|Cars|0|NULL",
      ])
    #expect(
      try bench.rows("SELECT * FROM ACHANGE") == [
        "1|16001|NULL|0|2|1|1|NULL|NULL|NULL|NULL", "2|16001|NULL|0|2|2|1|NULL|NULL|NULL|NULL",
      ])
    #expect(
      try bench.rows(
        """
        SELECT Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, typeof(ZTIMESTAMP), \
        ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID, ZQUERYGEN FROM ATRANSACTION
        """) == ["1|16002|NULL|1|2|NULL|2|real|NULL|NULL|NULL|NULL|NULL"])
    #expect(
      try bench.rows("SELECT * FROM ATRANSACTIONSTRING") == ["1|16003|NULL|editor", "2|16003|NULL|followspot"])
    #expect(
      try bench.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == [
        "1|0", "2|2", "16001|2", "16002|1", "16003|2",
      ])
  }

  @Test func `the version of a row counts the saves that changed it`() throws {
    try bench.addFilms("Up")
    try bench.setFilm(1, ["year": .integer(2009)])
    try bench.setFilm(1, ["year": .integer(2009)])
    try bench.setFilm(1, ["year": .null, "rating": .real(8.5)])
    #expect(try bench.rows("SELECT Z_OPT, ZYEAR, ZRATING FROM ZFILM") == ["3|NULL|8.5"])
  }

  @Test func `a key is never assigned twice`() throws {
    try bench.addFilms("A", "B", "C")
    try bench.deleteFilm(3)
    try bench.addFilms("D")
    try bench.store.save { save in
      let row = try save.insert(bench.film, bench.values(["title": .text("gone")]))
      try save.delete(bench.film, key: row.key)
      try save.insert(bench.film, bench.values(["title": .text("E")]))
    }
    #expect(try bench.rows("SELECT Z_PK, ZTITLE FROM ZFILM ORDER BY Z_PK") == ["1|A", "2|B", "4|D", "6|E"])
    #expect(try bench.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 2") == ["6"])
  }

  @Test func `names of authors and programs are stored once, in one table`() throws {
    for author in ["b", nil, "a", "b", "followspot", "É", "a"] { try bench.addFilms("x", author: author) }
    #expect(
      try bench.rows("SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK") == [
        "1|b", "2|followspot", "3|a", "4|É",
      ])
    #expect(
      try bench.rows("SELECT ZAUTHORTS FROM ATRANSACTION ORDER BY Z_PK") == ["1", "NULL", "3", "1", "2", "4", "3"])
    #expect(try bench.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16003") == ["4"])
  }

  // MARK: What a save records

  @Test func `inserts are recorded before updates, and updates before deletes`() throws {
    try bench.addFilms("A", "B")
    let result = try bench.store.save(author: "x") { save in
      try save.delete(bench.film, key: 1)
      try save.update(bench.film, key: 2, bench.changes(["title": .text("b")]))
      try save.insert(bench.actor, [.text("Tom")])
    }
    #expect(result == SaveNumbers(transaction: 2, inserted: 1, updated: 1, deleted: 1))
    #expect(
      try bench.history(after: 1) == ["2 x: insert Actor 1, update Film 2 [title], delete Film 1 (NULL, NULL, A)"])
  }

  /// Decodes a bitmap by the order of `StoreFixture.filmBits`, without the product's code.
  private static func decoded(_ text: String) -> [String] {
    let digits = text.dropFirst(2).dropLast().map { $0.hexDigitValue ?? 0 }
    var bits: [Bool] = []
    for digit in digits { bits += [digit & 8 != 0, digit & 4 != 0, digit & 2 != 0, digit & 1 != 0] }
    return bits.enumerated().filter(\.element).map {
      StoreFixture.filmBits.indices.contains($0.offset) ? StoreFixture.filmBits[$0.offset] : "bit \($0.offset)"
    }
  }

  @Test(arguments: [
    (["title"], "x'0100'"), (["code"], "x'8000'"), (["year"], "x'0080'"),
    (["year", "title", "code"], "x'8180'"), (["seen", "tags", "poster"], "x'2600'"),
    (["rating", "released", "isFavorite"], "x'5800'"),
    (["code", "isFavorite", "poster", "rating", "released", "seen", "tags", "title", "year"], "x'ff80'"),
  ])
  func `an update's bitmap has exactly the bits of the written attributes`(_ names: [String], _ bitmap: String) throws {
    let new: [String: Value] = [
      "title": .text("new"), "year": .integer(1), "code": .text("new"), "rating": .real(1), "released": .real(1.5),
      "isFavorite": .integer(1), "poster": .blob([1]), "tags": .blob(Array("[]".utf8)), "seen": .integer(1),
    ]
    let bench = try StoreFixture()
    try bench.addFilms("old")
    try bench.store.save { save in
      // Several updates, one of them without a change: the bits of one save are combined.
      for name in names {
        let attribute = try #require(bench.film.entity.index(of: name))
        #expect(try save.update(bench.film, key: 1, [(attribute, new[name] ?? .null)]))
        #expect(try !save.update(bench.film, key: 1, [(attribute, new[name] ?? .null)]))
      }
    }
    let stored = try bench.rows("SELECT ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1")
    #expect(stored == [bitmap])
    #expect(Self.decoded(stored[0]) == names.sorted())
  }

  @Test func `a tombstone keeps the preserved values by name with their storage classes`() throws {
    try bench.store.save { save in
      try save.insert(
        bench.film, bench.values(["title": .text("Up"), "code": .text("u1"), "rating": .real(8), "year": .integer(9)]))
      try save.insert(bench.film, bench.values(["title": .text("Cars")]))
      try save.insert(bench.actor, [.text("Tom")])
    }
    try bench.store.save { save in
      for key in [2, 1] as [Int64] { try save.delete(bench.film, key: key) }
      try save.delete(bench.actor, key: 1)
    }
    #expect(
      try bench.rows(
        """
        SELECT ZENTITYPK, ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2, typeof(ZTOMBSTONE1), ZCOLUMNS FROM ACHANGE
        WHERE ZTRANSACTIONID = 2 ORDER BY Z_PK
        """) == ["2|NULL|NULL|Cars|null|NULL", "1|u1|8.0|Up|real|NULL", "1|NULL|NULL|NULL|null|NULL"])
    #expect(
      try bench.history(after: 1) == [
        "2 -: delete Film 2 (NULL, NULL, Cars), delete Film 1 (u1, 8.0, Up), delete Actor 1 ()"
      ])
  }

  // MARK: Coalescing

  @Test func `insert and update in one save become an insert with the last values`() throws {
    let result = try bench.store.save { save in
      let row = try save.insert(bench.film, bench.values(["title": .text("A")]))
      try save.update(bench.film, key: row.key, bench.changes(["title": .text("B")]))
    }
    #expect(result == SaveNumbers(transaction: 1, inserted: 1))
    #expect(try bench.history() == ["1 -: insert Film 1"])
    #expect(try bench.rows("SELECT ZTITLE FROM ZFILM") == ["B"])
  }

  @Test func `insert and delete in one save become nothing`() throws {
    let result = try bench.store.save { save in
      let row = try save.insert(bench.film, bench.values(["title": .text("A")]))
      try save.update(bench.film, key: row.key, bench.changes(["title": .text("B")]))
      #expect(try save.delete(bench.film, key: row.key))
      #expect(try !save.delete(bench.film, key: row.key))
    }
    #expect(result == SaveNumbers(transaction: 0))
    #expect(result.isEmpty)
    #expect(try bench.history() == [])
    #expect(try bench.rows("SELECT COUNT(*) FROM ZFILM") == ["0"])
  }

  @Test func `update and delete in one save become a delete`() throws {
    try bench.addFilms("A")
    let result = try bench.store.save { save in
      try save.update(bench.film, key: 1, bench.changes(["year": .integer(1)]))
      try save.delete(bench.film, key: 1)
      #expect(try !save.update(bench.film, key: 1, bench.changes(["year": .integer(2)])))
    }
    #expect(result == SaveNumbers(transaction: 2, deleted: 1))
    #expect(try bench.history(after: 1) == ["2 -: delete Film 1 (NULL, NULL, A)"])
    #expect(try bench.rows("SELECT ZCOLUMNS FROM ACHANGE WHERE ZTRANSACTIONID = 2") == ["NULL"])
  }

  // MARK: Nothing to do

  @Test func `a save that changes nothing writes no transaction`() throws {
    try bench.store.save { save in
      try save.insert(
        bench.film, bench.values(["title": .text("A"), "released": .real(86_400), "rating": .integer(8)]))
    }
    let before = try bench.outside.dataVersion()
    #expect(try bench.store.save(author: "new author") { _ in } == SaveNumbers(transaction: 1))
    #expect(try bench.deleteFilm(99) == SaveNumbers(transaction: 1))
    #expect(try bench.setFilm(99, ["title": .text("x")]) == SaveNumbers(transaction: 1))
    #expect(
      try bench.setFilm(1, ["title": .text("A"), "released": .real(86_400), "rating": .real(8), "year": .null])
        == SaveNumbers(transaction: 1))
    #expect(try bench.history() == ["1 -: insert Film 1"])
    #expect(try bench.rows("SELECT ZNAME FROM ATRANSACTIONSTRING") == ["followspot"])
    #expect(try bench.outside.dataVersion() == before)
  }

  @Test func `a text that differs only in its bytes is a change`() throws {
    try bench.addFilms("Ame\u{301}lie")
    #expect(try bench.setFilm(1, ["title": .text("Am\u{e9}lie")]) == SaveNumbers(transaction: 2, updated: 1))
    #expect(try bench.rows("SELECT hex(ZTITLE) FROM ZFILM") == ["416DC3A96C6965"])
  }

  private struct Refusal: Error {}

  @Test func `a save whose body throws writes nothing`() throws {
    try bench.addFilms("A", "B")
    let dump = "SELECT (SELECT group_concat(ZTITLE) FROM ZFILM), (SELECT group_concat(Z_MAX) FROM Z_PRIMARYKEY)"
    let before = try bench.rows(dump)
    #expect(throws: Refusal.self) {
      try bench.store.save(author: "new") { save in
        try save.insert(bench.film, bench.values(["title": .text("C")]))
        try save.update(bench.film, key: 1, bench.changes(["title": .text("a")]))
        try save.delete(bench.film, key: 2)
        throw Refusal()
      }
    }
    #expect(try bench.rows(dump) == before)
    #expect(try bench.rows("SELECT COUNT(*) FROM ATRANSACTION") == ["1"])
    #expect(try bench.addFilms("D") == SaveNumbers(transaction: 2, inserted: 1))
    #expect(try bench.rows("SELECT Z_PK FROM ZFILM WHERE ZTITLE = 'D'") == ["3"])
  }

  @Test func `a save inside a save is refused, and the outer one is rolled back`() throws {
    #expect(throws: StoreError.self) {
      try bench.store.save { save in
        try save.insert(bench.film, bench.values(["title": .text("A")]))
        try bench.addFilms("B")
      }
    }
    #expect(try bench.rows("SELECT COUNT(*) FROM ZFILM") == ["0"])
    #expect(try bench.addFilms("C").transaction == 1)
  }

  // MARK: Refusals

  @Test func `a duplicate is refused with the attribute's name, and the save can continue`() throws {
    func film(_ title: String, _ code: String) -> [Value?] {
      bench.values(["title": .text(title), "code": .text(code)])
    }
    let result = try bench.store.save { save in
      try save.insert(bench.film, film("A", "one"))
      try save.insert(bench.film, film("B", "two"))
      let inserting = try #require(
        #expect(throws: StoreError.self) { try save.insert(bench.film, film("C", "one")) })
      #expect(inserting.code == .duplicate)
      #expect(
        inserting.description == "another Film has the same code")
      #expect(inserting.cause?.extendedCode == 2067)
      let updating = try #require(
        #expect(throws: StoreError.self) {
          try save.update(bench.film, key: 2, bench.changes(["code": .text("one"), "title": .text("b")]))
        })
      #expect(updating.code == .duplicate)
      try save.insert(bench.film, film("D", "three"))
    }
    #expect(result == SaveNumbers(transaction: 1, inserted: 3))
    #expect(
      try bench.rows("SELECT Z_PK, Z_OPT, ZTITLE, ZCODE FROM ZFILM") == ["1|1|A|one", "2|1|B|two", "3|1|D|three"])
  }

  @Test func `a unique attribute may be NULL in many rows`() throws {
    #expect(try bench.addFilms("A", "B", "C").inserted == 3)
  }

  @Test(arguments: [
    ("title", Value.null, "Film.title needs a value"), ("isFavorite", .null, "Film.isFavorite needs a value"),
    ("title", .integer(1), "Film.title does not accept this value"),
    ("title", .blob([65]), "Film.title does not accept this value"),
    ("year", .text("1995"), "Film.year does not accept this value"),
    ("year", .real(1995), "Film.year does not accept this value"),
    ("seen", .integer(32_768), "Film.seen does not accept this value"),
    ("isFavorite", .integer(2), "Film.isFavorite does not accept this value"),
    ("rating", .text("8"), "Film.rating does not accept this value"),
    ("rating", .real(.nan), "Film.rating does not accept this value"),
    ("released", .text("2001-01-01"), "Film.released does not accept this value"),
    ("released", .real(.nan), "Film.released does not accept this value"),
    ("poster", .text("x"), "Film.poster does not accept this value"),
    ("tags", .text("[]"), "Film.tags does not accept this value"),
  ])
  func `an invalid value is refused, and the save can continue`(
    _ name: String, _ value: Value, _ message: String
  ) throws {
    try bench.addFilms("A")
    let result = try bench.store.save { save in
      var values = bench.values(["title": .text("B")])
      let attribute = try #require(bench.film.entity.index(of: name))
      values[attribute] = value
      let inserting = #expect(throws: StoreError.self) { try save.insert(bench.film, values) }
      let updating = #expect(throws: StoreError.self) { try save.update(bench.film, key: 1, [(attribute, value)]) }
      #expect([inserting?.code, updating?.code] == [.invalidValue, .invalidValue])
      #expect([inserting?.description, updating?.description] == [message, message])
    }
    #expect(result.isEmpty)
  }

  @Test(arguments: [
    (AttributeType.integer16, Value.integer(-32_768), true), (.integer16, .integer(32_767), true),
    (.integer16, .integer(-32_769), false), (.integer32, .integer(2_147_483_647), true),
    (.integer32, .integer(2_147_483_648), false), (.integer64, .integer(.max), true), (.boolean, .integer(1), true),
    (.boolean, .integer(-1), false), (.uuid, .blob([UInt8](repeating: 1, count: 16)), true),
    (.uuid, .blob([UInt8](repeating: 1, count: 15)), false), (.uuid, .text("x"), false), (.url, .text("x:"), true),
    (.url, .blob([]), false), (.json, .blob([]), true), (.strings, .text(""), false), (.float, .integer(1), true),
    (.date, .real(.infinity), true), (.string, .null, true),
  ])
  func `a type accepts values of its own storage class and range`(_ type: AttributeType, _ value: Value, _ fits: Bool) {
    #expect(type.accepts(value) == fits)
  }

  @Test func `saving to a store opened for reading stops the program`() async throws {
    // The process that stops cannot remove its directory.
    let directory = TemporaryDirectory()
    let path = directory.file("films.store")
    do { _ = try PersistentStore.create(path, model: StoreFixture.model) }
    await #expect(processExitsWith: .failure) { [path = path as String] in
      try PersistentStore.open(path).save { _ in }
    }
  }

  // MARK: Timestamps and writers

  @Test func `timestamps increase strictly, even if the clock stands still or is set back`() throws {
    for _ in 0..<50 { try bench.addFilms("x") }
    let future = 4_000_000_000.0
    try bench.outside.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = \(future) WHERE Z_PK = 50")
    for _ in 0..<50 { try bench.addFilms("x") }
    var stamps: [Double] = []
    try bench.store.transactions { stamps.append($0.timestamp) }
    #expect(stamps.count == 100)
    #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
    #expect(stamps[50] > future && stamps[99] < future + 1)
    #expect(Set(stamps.map { $0.bitPattern & 4095 }).count > 50)
  }

  @Test func `a second writer is busy after ten seconds, and the store is intact`() throws {
    try bench.addFilms("A")
    try bench.outside.beginWrite()
    let clock = ContinuousClock()
    let start = clock.now
    let error = #expect(throws: StoreError.self) { try bench.addFilms("B") }
    #expect(start.duration(to: clock.now) > .seconds(9))
    #expect(error?.code == .busy)
    #expect(error?.cause?.extendedCode == 5)
    #expect(
      error?.description == "\(bench.path) is busy: another process is writing: database is locked")
    bench.outside.rollback()
    #expect(try bench.addFilms("C") == SaveNumbers(transaction: 2, inserted: 1))
  }

  @Test func `two alternating writers continue each other's numbers`() throws {
    let other = try PersistentStore.open(bench.path, access: .readWrite)
    for round in 0..<3 {
      try bench.addFilms("mine \(round)", author: "one")
      try other.save(author: "two") { save in
        try save.insert(bench.film, bench.values(["title": .text("theirs \(round)")]))
      }
    }
    #expect(
      try bench.history() == [
        "1 one: insert Film 1", "2 two: insert Film 2", "3 one: insert Film 3", "4 two: insert Film 4",
        "5 one: insert Film 5", "6 two: insert Film 6",
      ])
    #expect(try bench.rows("SELECT Z_PK FROM ACHANGE ORDER BY Z_PK") == ["1", "2", "3", "4", "5", "6"])
  }

  @Test func `a reader's snapshot neither blocks a save nor sees it`() throws {
    try bench.addFilms("A")
    let reader = try PersistentStore.open(bench.path)
    try reader.withSnapshot {
      try bench.addFilms("B")
      #expect(try reader.count(of: bench.film) == 1)
      #expect(try reader.newest() == 1)
    }
    #expect(try reader.count(of: bench.film) == 2)
    #expect(try reader.newest() == 2)
  }
}
