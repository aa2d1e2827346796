// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// Conditions are written so that SQLite can use an index where there is one.
@Suite(.everyStore, .overlapping) struct PredicatePlanTests {
  let bench: PredicateFixture

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

  /// Although the rows are read in the order of their keys, or of another index.
  @Test func `values of related rows find rows by the index of the relationship`() throws {
    func plan(_ predicate: Predicate<Song>, _ order: [SortDescriptor<Song>] = []) throws -> [String] {
      try bench.plan(of: FetchDescriptor(predicate: predicate, sortBy: order))
    }
    func expectIndexes(_ plan: [String], _ columns: [String], _ location: SourceLocation = #_sourceLocation) {
      #expect(!plan.contains { $0.hasPrefix("SCAN t0") }, "\(plan)", sourceLocation: location)
      for column in columns {
        let isUsed = plan.contains { $0.contains("INDEX") && $0.contains("(\(column)=?)") }
        #expect(isUsed, "\(plan)", sourceLocation: location)
      }
    }
    expectIndexes(try plan(#Predicate { $0.album?.title == "x" }), ["ZALBUM"])
    expectIndexes(try plan(#Predicate { $0.album.flatMap { $0.title == "x" && $0.year == 3 } ?? false }), ["ZALBUM"])
    expectIndexes(try plan(#Predicate { $0.album?.title == "x" && $0.isLive }), ["ZALBUM"])
    expectIndexes(try plan(#Predicate { $0.album?.title == "x" }, [SortDescriptor(\.plays)]), ["ZALBUM"])
    expectIndexes(try plan(#Predicate { $0.album?.title == "x" }, [SortDescriptor(\.album?.title)]), ["ZALBUM"])
    let sorted = try plan(#Predicate { $0.album?.title == "x" })
    #expect(!sorted.contains { $0.contains("TEMP B-TREE") }, "\(sorted)")
  }

  @Test func `to-many relationships are followed by their indexes`() throws {
    let songs = try bench.plan(of: FetchDescriptor<Album>(predicate: #Predicate { $0.songs.contains { $0.isLive } }))
    #expect(songs.contains { $0.contains("INDEX") && $0.contains("(ZALBUM=?)") }, "\(songs)")
    let pairs = try bench.plan(
      of: FetchDescriptor<Performer>(predicate: #Predicate { $0.songs.contains { $0.album?.title == "x" } }))
    #expect(pairs.contains { $0.hasPrefix("SEARCH t1j USING") }, "\(pairs)")
    #expect(!pairs.contains { $0.hasPrefix("SCAN t1") }, "\(pairs)")
  }

  /// There SQLite has to see all of them, and a second look at their keys would be for nothing.
  @Test func `rows that need no related row are read once`() throws {
    for predicate in [
      #Predicate<Song> { $0.album?.title != "x" }, #Predicate<Song> { $0.album?.title == "x" || $0.isLive },
      #Predicate<Song> { !($0.album?.title == "x") }, #Predicate<Song> { ($0.album?.year ?? 3) == 3 },
      #Predicate<Song> { $0.album?.year == $0.rank },
    ] {
      #expect(try bench.compile(predicate).narrowingJoins == nil)
      #expect(try bench.plan(of: FetchDescriptor(predicate: predicate))[0].hasPrefix("SCAN t0"))
    }
  }

  @Test func `rows are counted as far as the comparison needs it`() throws {
    let many = 3
    let compiled = try bench.compile(#Predicate<Album> { $0.songs.filter { $0.isLive }.count > many })
    #expect(compiled.condition.contains("LIMIT 4"), "\(compiled.condition)")
    #expect(try bench.compile(#Predicate<Album> { $0.songs.count == 2 }).condition.contains("LIMIT 3"))
    #expect(!(try bench.compile(#Predicate<Album> { $0.songs.count == $0.year ?? 0 }).condition.contains("LIMIT")))
    for limit in -1...4 {
      _ = try bench.select(#Predicate<Album> { $0.songs.filter { $0.plays > 0 }.count > limit })
      _ = try bench.select(#Predicate<Album> { $0.songs.filter { $0.plays > 0 }.count <= limit })
      _ = try bench.select(#Predicate<Album> { limit == $0.songs.count })
      _ = try bench.select(#Predicate<Album> { $0.songs.count != limit })
      _ = try bench.select(#Predicate<Album> { limit >= $0.songs.count })
    }
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
