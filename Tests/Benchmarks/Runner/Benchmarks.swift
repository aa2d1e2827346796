// SPDX-License-Identifier: MIT

internal import CRebuildLoop
internal import Followspot
internal import Foundation
internal import SQLite
internal import SearchIndex
internal import Store
internal import TestSupport

/// Measures the main job side by side with plainer ways of doing it. Build with `-c release --static-swift-stdlib` and
/// name the films by FOLLOWSPOT_DATA; without it a made-up catalogue of the same size takes their place.
@main
enum Benchmarks {
  static let usage = """
    usage: Benchmarks [TARGET…]
           Benchmarks --rows N --into DIRECTORY [--words N] [PART…]
           Benchmarks --packages N --into DIRECTORY [PART…]

    Measure films (of the directory FOLLOWSPOT_DATA, or generated ones), N seeded rows, or N rows made of the packages that
    apt knows. The rows stay in DIRECTORY and grow with the next N; so does growth.tsv, of which plots are drawn there.

    targets (default: all):
    \(list(targets.map { ($0.name, $0.summary) }))

    parts of --rows (default: all):
    \(list(Growth.parts))

    parts of --packages (default: all):
    \(list(PackageGrowth.parts))

    --words N   average number of words in the longest text of a row (default: 6)
    """

  typealias Target = (name: String, summary: String, needsFilms: Bool, measure: (FilmsBenchmark) throws -> Void)

  static var targets: [Target] {
    [
      ("import", "import of the films", true, { _ in }),
      ("rebuild", "rebuild of their index, against a C++ loop over Xapian", true, { try $0.rebuild() }),
      (
        "save", "saves with history, against the same rows without", false,
        {
          try $0.saving(batch: 1_000, rows: 12_000)
          try $0.saving(batch: 1, rows: 1_000)
        }
      ),
      ("attach", "what the triggers of attach cost writers", false, { try $0.attaching() }),
      ("search", "search processes, against sqlite3 on FTS5", true, { try $0.searchProcess() }),
      ("hit", "the time from a save to a hit beside a follower", true, { try $0.saveToHit() }),
    ]
  }

  private static func list(_ items: [(name: String, summary: String)]) -> String {
    items.map { "  " + $0.name.padding(toLength: 10, withPad: " ", startingAt: 0) + $0.summary }.joined(separator: "\n")
  }

  static func main() async { await MeasuringProgram.run(usage: usage, run) }

  private static func run(_ arguments: [String]) throws {
    let (options, names) = try MeasuringProgram.divided(
      arguments, options: ["--rows", "--packages", "--into", "--words"])
    guard options.isEmpty else { return try grow(options, parts: names) }
    try refuseUnknown(names, among: targets.map(\.name), as: "target")
    let chosen = targets.filter { names.isEmpty || names.contains($0.name) }
    try TemporaryDirectory.with { directory in
      let benchmark = try FilmsBenchmark(directory)
      show("| what | followspot | partner | ratio |\n| --- | --- | --- | --- |")
      if chosen.contains(where: \.needsFilms) { try benchmark.importing() }
      for target in chosen { try target.measure(benchmark) }
    }
  }

  private static func grow(_ options: [String: String], parts: [String]) throws {
    switch (options["--into"], options["--rows"], options["--packages"]) {
    case (let directory?, let rows?, nil):
      try refuseUnknown(parts, among: Growth.parts.map(\.name), as: "part")
      let growth = try Growth(
        rows: MeasuringProgram.number(rows, for: "--rows"),
        words: MeasuringProgram.number(options["--words"] ?? "6", for: "--words"), directory: directory)
      try growth.run(parts: Set(parts))
    case (let directory?, nil, let rows?):
      guard options["--words"] == nil else { throw MeasuringProgram.refusal("--words belongs to --rows") }
      try refuseUnknown(parts, among: PackageGrowth.parts.map(\.name), as: "part")
      let growth = try PackageGrowth(rows: MeasuringProgram.number(rows, for: "--packages"), directory: directory)
      try growth.run(parts: Set(parts))
    default: throw MeasuringProgram.refusal("--into needs one of --rows and --packages, which need it")
    }
  }

  private static func refuseUnknown(_ names: [String], among known: [String], as kind: String) throws {
    for name in names where !known.contains(name) {
      throw MeasuringProgram.refusal("there is no \(kind) '\(name)': \(kind)s are \(known.joined(separator: ", "))")
    }
  }
}

/// The program under measurement, beside this one.
let program =
  URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("followspot").path

let sqlite3 = "/usr/bin/sqlite3"

/// Measures imports, indexing and searches of films in one directory.
struct FilmsBenchmark {
  let directory: TemporaryDirectory
  let storePath: String
  let index: IndexDirectory

  init(_ directory: TemporaryDirectory) throws {
    self.directory = directory
    storePath = directory.file("films.store")
    index = IndexDirectory(path: storePath + ".index")
  }

  private func films() throws -> String {
    if let data = Shell.dataDirectory { return data + "/movies-1970-2023.jsonl" }
    var catalogue = Catalogue(seed: 1)
    let lines = (0..<12_833).map { number in
      """
      {"title":"\(catalogue.words(3))","year":\(1970 + number % 54),"cast":["\(catalogue.words(2))"],\
      "genres":["Drama"],"extract":"\(catalogue.words(80))","href":"\(catalogue.words(1))"}
      """
    }
    return try directory.write(lines.joined(separator: "\n"), to: "films.jsonl")
  }

  func importing() throws {
    var options = Importer.Options(storePath: storePath, file: try films())
    options.kind = "Movie"
    var time = Samples()
    let outcome = try time.measure { try Importer(options).run() }
    report("import, \(outcome.inserted) films", milliseconds(time.median), "-", nil)
    _ = try Pass.run(Indexer.Options(storePath: storePath, directory: index))
  }

  /// A whole rebuild, its comparison with the store included, against the C++ loop.
  func rebuild() throws {
    var documents = 0
    var terms = 0.0
    let (own, partner) = try alternate(3) {
      documents = try Rebuild(storePath: storePath, directory: index).run().documents
    } _: {
      let count = rebuild_loop(storePath, directory.file("loop"), &terms)
      guard count == documents else {
        throw MeasuringProgram.Failure("the loop has indexed \(count) of \(documents) films")
      }
    }
    report(
      "rebuild, \(documents) films, against a C++ loop over Xapian", milliseconds(own.median),
      milliseconds(partner.median), own.median / partner.median)
  }

  /// Saves with history against the same rows, transactions and durability in a plain table.
  func saving(batch: Int, rows: Int) throws {
    var catalogue = Catalogue(seed: 7)
    let films = (0..<rows).map { _ in catalogue.film() }
    var round = 0
    let (own, partner) = try alternate(3) {
      round += 1
      let store = try PersistentStore.create(directory.file("save-\(batch)-\(round).store"), model: Catalogue.model)
      let entity = store.layout.entities[0]
      for start in stride(from: 0, to: rows, by: batch) {
        try store.save(author: "benchmark") { save in
          for film in films[start..<min(rows, start + batch)] { try save.insert(entity, film) }
        }
      }
    } _: {
      let plain = try Connection(path: directory.file("plain-\(batch)-\(round).sqlite"), access: .create)
      try plain.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
      let columns = (0..<films[0].count).map { "c\($0)" }.joined(separator: ", ")
      try plain.execute(
        "CREATE TABLE film (id INTEGER PRIMARY KEY, \(columns)); CREATE UNIQUE INDEX film_code ON film (c8)")
      let places = (0..<films[0].count).map { "?\($0 + 1)" }.joined(separator: ", ")
      let insert = try plain.statement("INSERT INTO film (\(columns)) VALUES (\(places))")
      for start in stride(from: 0, to: rows, by: batch) {
        try plain.beginWrite()
        for film in films[start..<min(rows, start + batch)] {
          for (column, value) in film.enumerated() { try insert.bind(value ?? .null, at: Int32(column) + 1) }
          try insert.run()
        }
        try plain.commit()
      }
    }
    report(
      "\(rows) inserts with history, \(batch) a save, against the same rows without", milliseconds(own.median),
      milliseconds(partner.median), own.median / partner.median)
  }

  /// One search process from start to exit, joined with live rows, against a process that does nothing.
  func searchProcess() throws {
    let environment = ["FOLLOWSPOT_STORE": storePath]
    for query in [["toy", "story"], ["cast:hanks", "year:1985..1995"], ["love"]] {
      let (own, partner) = alternate(200) {
        _ = runProcess(program, ["search"] + query, environment: environment)
      } _: {
        _ = runProcess("/bin/true", [])
      }
      report(
        "search process '\(query.joined(separator: " "))', 20 hits with rows, against /bin/true",
        milliseconds(own.median), milliseconds(partner.median), own.median / partner.median)
    }
    try searchProcessAgainstFTS5()
  }

  /// The same against the sqlite3 command on an FTS5 table beside the same rows; left out where there is no such command.
  private func searchProcessAgainstFTS5() throws {
    guard FileManager.default.isExecutableFile(atPath: sqlite3) else { return show("no \(sqlite3): not compared") }
    let path = directory.file("films-fts5.sqlite")
    let tables = try Connection(path: path, access: .create)
    try tables.execute(
      """
      ATTACH '\(storePath)' AS store;
      CREATE TABLE film AS SELECT Z_PK AS id, CAST(ZCAST AS TEXT) AS "cast", ZEXTRACT AS extract,
        CAST(ZGENRES AS TEXT) AS genres, ZHREF AS href, ZTITLE AS title, ZYEAR AS year FROM store.ZMOVIE;
      CREATE UNIQUE INDEX film_id ON film (id);
      CREATE VIRTUAL TABLE words USING fts5("cast", extract, genres, href, title, content='film', content_rowid='id',
        tokenize='porter unicode61');
      INSERT INTO words(words) VALUES ('rebuild');
      """)
    let pairs: [(query: [String], match: String, condition: String)] = [
      (["toy", "story"], "toy story", ""),
      (["cast:hanks", "year:1985..1995"], "cast:hanks", " AND year BETWEEN 1985 AND 1995"), (["love"], "love", ""),
    ]
    for pair in pairs {
      let sql =
        "SELECT id, rank, title FROM words JOIN film ON id = words.rowid WHERE words MATCH '\(pair.match)'"
        + pair.condition + " ORDER BY rank LIMIT 20"
      let (own, partner) = alternate(200) {
        _ = runProcess(program, ["search"] + pair.query, environment: ["FOLLOWSPOT_STORE": storePath])
      } _: {
        _ = runProcess(sqlite3, ["-readonly", path, sql])
      }
      report(
        "search process '\(pair.query.joined(separator: " "))', against sqlite3 on FTS5", milliseconds(own.median),
        milliseconds(partner.median), own.median / partner.median)
    }
  }

  /// From the return of a save to the first search that finds it, with a follower in another process; and what the
  /// follower costs while nothing happens.
  func saveToHit() throws {
    let follower = Process()
    follower.executableURL = URL(fileURLWithPath: program)
    follower.arguments = ["--store", storePath, "index", "--follow"]
    follower.standardError = FileHandle.nullDevice
    try follower.run()
    while FileLock.holder(.update, in: index)?.state != "following" { usleep(10_000) }
    let store = try PersistentStore.open(storePath, access: .readWrite)
    let movie = store.layout.entities[0]
    guard let title = movie.entity.index(of: "title") else { return }
    let searcher = try Searcher(storePath: storePath, directory: index)
    var times = Samples()
    var indexed = Samples()
    for number in 0..<300 {
      let word = "benchword\(number)"
      var request = SearchRequest(query: word)
      request.mayApproximate = false
      try store.save(author: "benchmark") { save in
        _ = try save.update(movie, key: Int64(number + 1), [(attribute: title, value: .text(word))])
      }
      if number % 2 == 0 {
        try times.measure { while try searcher.search(request).hits.isEmpty { usleep(200) } }
      } else {
        request.isIndexOnly = true
        try indexed.measure { while try searcher.search(request).hits.isEmpty { usleep(200) } }
      }
      usleep(UInt32(number % 10) * 3_000)
    }
    report(
      "save to hit, \(times.seconds.count) times: median, and the 95th percentile beside it",
      milliseconds(times.median),
      milliseconds(times.percentile(0.95)), nil)
    report(
      "save to hit in the index alone: median, and the 95th percentile beside it", milliseconds(indexed.median),
      milliseconds(indexed.percentile(0.95)), nil)
    let before = cpuSeconds(follower.processIdentifier)
    sleep(10)
    let idle = (cpuSeconds(follower.processIdentifier) - before) / 10
    report("follower at rest, share of one core over 10 s", String(format: "%.2f %%", idle * 100), "-", nil)
    follower.terminate()
    follower.waitUntilExit()
  }

  /// User and system time of a process so far.
  private func cpuSeconds(_ pid: Int32) -> Double {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return 0 }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
