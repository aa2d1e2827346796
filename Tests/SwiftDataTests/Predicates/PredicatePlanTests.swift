import SQLite
import Testing

@testable import SwiftData

/// Conditions are written so that SQLite can use an index where there is one.
@Suite(.everyStore, .timeLimit(.minutes(30))) struct PredicatePlanTests {
  let bench: PredicateBench

  init() throws { bench = try .catalogue() }

  @Test func `equality uses an index`() throws {
    #expect(try bench.plan(#Predicate<Song> { $0.title == "Dawn" })[0].contains("(ZTITLE=?)"))
    #expect(try bench.plan(#Predicate<Song> { $0.subtitle == "x" })[0].contains("(ZSUBTITLE=?)"))
    #expect(try bench.plan(#Predicate<Song> { $0.subtitle == nil })[0].contains("(ZSUBTITLE=?)"))
    #expect(try bench.plan(#Predicate<Song> { $0.title == "Café" })[0].contains("(ZTITLE=?)"))
    #expect(try bench.plan(#Predicate<Song> { $0.subtitle == "é" && $0.isLive })[0].contains("(ZSUBTITLE=?)"))
    let plays = Array(0..<1_000)
    #expect(try bench.plan(#Predicate<Song> { plays.contains($0.plays) })[0].contains("(ZPLAYS=?)"))
  }

  @Test func `ranges and prefixes use an index`() throws {
    #expect(try bench.plan(#Predicate<Song> { $0.plays > 3 && $0.plays <= 9 })[0].contains("(ZPLAYS>? AND ZPLAYS<?)"))
    #expect(try bench.plan(#Predicate<Song> { (3..<9).contains($0.plays) })[0].contains("(ZPLAYS>? AND ZPLAYS<?)"))
    #expect(
      try bench.plan(#Predicate<Song> { $0.title.starts(with: "Caf\u{e9}") })[0].contains("(ZTITLE>? AND ZTITLE<?)"))
  }

  @Test func `a row is found by its identifier`() throws {
    let identifier = try #require(try bench.context.fetch(FetchDescriptor<Song>()).first).persistentModelID
    #expect(
      try bench.plan(#Predicate<Song> { $0.persistentModelID == identifier })[0].contains(
        "INTEGER PRIMARY KEY (rowid=?)")
    )
  }

  @Test func `an order uses an index`() throws {
    #expect(!(try bench.plan(nil, [SortDescriptor(\Song.title)])).contains { $0.contains("TEMP B-TREE") })
    #expect(!(try bench.plan(nil, [SortDescriptor(\Song.plays, order: .reverse)])).contains { $0 == "USE TEMP B-TREE" })
  }

  @Test func `a row is joined once, and only for its columns`() throws {
    let predicate = #Predicate<Song> { $0.album?.title == "x" && ($0.album?.year ?? 0) > 1 && $0.album?.label != nil }
    #expect(
      try bench.compile(predicate).joins == #"LEFT JOIN "ZALBUM" t1 ON t1.Z_PK = t0."ZALBUM""#)
    #expect(try bench.compile(#Predicate<Song> { $0.album == nil }).joins == "")
    let both = try bench.compile([SortDescriptor(\Song.album?.title), SortDescriptor(\Song.album?.year)])
    #expect(both.joins == #"LEFT JOIN "ZALBUM" s1 ON s1.Z_PK = t0."ZALBUM""#)
  }

  @Test func `a query names the classes whose rows it reads`() throws {
    func touched(_ predicate: Predicate<Song>) throws -> Int { try bench.compile(predicate).touched.count }
    #expect(try touched(#Predicate { $0.title == "x" }) == 0)
    #expect(try touched(#Predicate { $0.album == nil }) == 0)
    #expect(try touched(#Predicate { $0.album?.title == "x" }) == 1)
    #expect(try touched(#Predicate { $0.album?.label?.name == "x" }) == 2)
    #expect(try touched(#Predicate { $0.performers.isEmpty }) == 1)
  }

  @Test func `conditions that a constant decides are omitted from the query`() throws {
    let (isLimited, limit) = (false, 7)
    let compiled = try bench.compile(
      #Predicate<Song> { ($0.title == "a" || !isLimited) && ($0.plays == 1 || $0.plays == limit && isLimited) })
    #expect(compiled.condition == #"(t0."ZPLAYS" = ?1)"#)
    #expect(compiled.bindings == [.integer(1)])
  }
}
