// SPDX-License-Identifier: MIT

internal import Followspot
internal import Foundation
internal import SQLite
internal import SearchIndex
internal import Store
internal import TestSupport

extension Growth {
  // MARK: Queries

  /// Ranked queries in one process against FTS5 over the same columns, both warm, and the process from the shell.
  func queries() throws {
    let fts = try fullTextTable()
    var catalogue = Catalogue(seed: 99)
    let words = (0..<200).map { number in catalogue.words(number % 3 == 0 ? 1 : 2) }
    let searcher = try Searcher(storePath: storePath, directory: index)
    let find = try fts.statement("SELECT rowid FROM film WHERE film MATCH ?1 ORDER BY rank LIMIT 10")
    var own = Samples()
    var partner = Samples()
    for round in 0..<2 {
      for word in words {
        var request = SearchRequest(query: word)
        request.limit = 10
        request.words = .all
        var mine = Samples()
        try mine.measure { _ = try searcher.search(request) }
        var theirs = Samples()
        try theirs.measure {
          try find.bind(word, at: 1)
          while try find.step() {}
          find.reset()
        }
        // The first round warms both.
        if round == 1 {
          own.add(mine.median)
          partner.add(theirs.median)
        }
      }
    }
    for (name, part) in [("median", 0.5), ("95th percentile", 0.95)] {
      let (left, right) = (own.percentile(part), partner.percentile(part))
      report(
        "ranked query with rows among \(rows), \(name), against FTS5", milliseconds(left), milliseconds(right),
        left / right)
    }
    let (process, nothing) = alternate(50) {
      _ = runProcess(program, ["--store", storePath, "search", words[1]])
    } _: {
      _ = runProcess("/bin/true", [])
    }
    report(
      "search process among \(rows) rows, 20 hits, against /bin/true", milliseconds(process.median),
      milliseconds(nothing.median), process.median / nothing.median)
    try searchProcessAgainstFTS5(Array(words[..<6]))
  }

  /// Ranked queries in one process, with both stages and with the first stage alone, without a partner. Two builds of
  /// this program are compared by turns.
  func ranked() throws {
    var catalogue = Catalogue(seed: 99)
    let words = (0..<200).map { number in catalogue.words(number % 3 == 0 ? 1 : 2) }
    let searcher = try Searcher(storePath: storePath, directory: index)
    var (both, first) = (Samples(), Samples())
    for round in 0..<6 {
      for word in words {
        var request = SearchRequest(query: word)
        request.limit = 10
        request.words = .all
        var (whole, stage) = (Samples(), Samples())
        try whole.measure { _ = try searcher.search(request) }
        try stage.measure {
          _ = try searcher.withView(request) { view in
            try view.hits(
              of: QueryCompiler(request, view).plan().all, limit: Ranker.candidates, exactUpTo: Ranker.exactUpTo)
          }
        }
        // The first round warms the caches.
        guard round > 0 else { continue }
        both.add(whole.median)
        first.add(stage.median)
      }
    }
    for (name, part) in [("median", 0.5), ("95th percentile", 0.95)] {
      let (left, right) = (both.percentile(part), first.percentile(part))
      report(
        "ranked query among \(rows), \(name), and its first stage", milliseconds(left), milliseconds(right),
        left / right)
    }
  }

  /// The process from the shell, which joins live rows, against the sqlite3 command that joins the same rows with its
  /// FTS5 table; left out where there is no such command.
  private func searchProcessAgainstFTS5(_ queries: [String]) throws {
    guard FileManager.default.isExecutableFile(atPath: sqlite3) else { return show("no \(sqlite3): not compared") }
    for query in queries {
      let sql = """
        ATTACH '\(storePath)' AS store; SELECT Z_PK, rank, ZTITLE FROM film JOIN store.ZMOVIE ON Z_PK = film.rowid
        WHERE film MATCH '\(query)' ORDER BY rank LIMIT 20
        """
      let (own, partner) = alternate(50) {
        _ = runProcess(program, ["--store", storePath, "search", query])
      } _: {
        _ = runProcess(sqlite3, ["-readonly", directory + "/fts.sqlite", sql])
      }
      report(
        "search process '\(query)' among \(rows) rows, 20 hits, against sqlite3 on FTS5", milliseconds(own.median),
        milliseconds(partner.median), own.median / partner.median)
    }
  }

  /// Each text column of the rows in an FTS5 table without the texts themselves.
  private func fullTextTable() throws -> Connection {
    let path = directory + "/fts.sqlite"
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    let fts = try Connection(path: path, access: .create)
    try fts.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ATTACH '\(storePath)' AS store;
      CREATE VIRTUAL TABLE film USING fts5(cast, extract, genres, href, title, content='', tokenize='porter unicode61');
      """)
    var time = Samples()
    try time.measure {
      try fts.execute(
        """
        INSERT INTO film(rowid, cast, extract, genres, href, title)
        SELECT Z_PK, CAST(ZCAST AS TEXT), ZEXTRACT, CAST(ZGENRES AS TEXT), ZHREF, ZTITLE FROM store.ZMOVIE
        """)
    }
    try GrowthTable(directory: directory).add("fts5", rows, time.median, 0)
    report("build of \(rows) rows by FTS5, for comparison", "-", milliseconds(time.median), nil)
    return fts
  }

  // MARK: Following

  /// A backlog, single changes beside a follower, what it holds in memory, and what it costs those who save.
  func follow() throws {
    let store = try PersistentStore.open(storePath, access: .readWrite)
    let movie = store.layout.entities[0]
    guard let title = movie.entity.index(of: "title"), let extract = movie.entity.index(of: "extract") else { return }
    // Other words at every call: a save that changes nothing is none.
    var catalogue = Catalogue(seed: Int(try store.newest()))
    func change(_ key: Int64, _ save: Save) throws {
      _ = try save.update(
        movie, key: key,
        [
          (attribute: title, value: .text(catalogue.words(3))),
          (attribute: extract, value: .text(catalogue.words(words))),
        ])
    }
    let keys = (0..<10_000).map { _ in Int64(catalogue.number(1...rows)) }
    for start in stride(from: 0, to: keys.count, by: 100) {
      try store.save { save in for key in keys[start..<(start + 100)] { try change(key, save) } }
    }
    var backlog = Samples()
    _ = backlog.measure { runProcess(program, ["--store", storePath, "index"]) }
    report("backlog of 10000 changes, 100 a save", milliseconds(backlog.median), "-", nil)
    report("its changes a second", String(format: "%.0f", 10_000 / backlog.median), "-", nil)

    func saves(_ count: Int) throws -> Samples {
      var times = Samples()
      for _ in 0..<count {
        let key = Int64(catalogue.number(1...rows))
        _ = try times.measure { try store.save { save in try change(key, save) } }
        usleep(5_000)
      }
      return times
    }
    let alone = try saves(300)
    _ = runProcess(program, ["--store", storePath, "index"])
    let follower = Process()
    follower.executableURL = URL(fileURLWithPath: program)
    follower.arguments = ["--store", storePath, "index", "--follow"]
    follower.standardError = FileHandle.nullDevice
    try follower.run()
    while FileLock.holder(.update, in: index)?.state != "following" { usleep(10_000) }
    let beside = try saves(300)
    report(
      "save beside a follower, median, against without one", milliseconds(beside.median), milliseconds(alone.median),
      beside.median / alone.median)
    let latency = try indexed(store) { try store.save { save in try change(Int64(catalogue.number(1...rows)), save) } }
    report(
      "save to durable in the index, one change: median, and the 95th percentile beside it",
      milliseconds(latency.median), milliseconds(latency.percentile(0.95)), nil)
    let peak = peakMemory(of: follower.processIdentifier)
    report("follower's memory at most", peak.map { "\($0 >> 10) KB" } ?? "-", "-", nil)
    follower.terminate()
    follower.waitUntilExit()
  }

  /// From the return of a save to its token in the index.
  private func indexed(_ store: PersistentStore, _ save: () throws -> SaveResult) throws -> Samples {
    guard let serving = try index.serving() else { return Samples() }
    let reader = try IndexReader(path: serving.path)
    var times = Samples()
    for _ in 0..<300 {
      let number = try save().transaction
      try times.measure {
        repeat {
          usleep(50)
          try reader.reopen()
        } while try IndexState.readToken(reader)?.number ?? 0 < number
      }
      usleep(20_000)
    }
    return times
  }
}
