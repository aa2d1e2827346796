// SPDX-License-Identifier: MIT

internal import Followspot
internal import Foundation
internal import SQLite
internal import SearchIndex
internal import TestSupport

/// Measurements of many rows of Debian's packages in an ordinary database, which stays in a directory from one call to the
/// next, against FTS5 over the same columns.
struct PackageGrowth {
  let rows: Int
  let directory: String
  private let path: String
  private let index: IndexDirectory
  private let partner: String

  static let parts: [(name: String, summary: String)] = [
    ("build", "build of the index by the program and by FTS5: time, memory and size"),
    ("search", "searches by a process, against FTS5 in this one"), ("prefix", "the same of beginnings of words"),
    ("typed", "the searches of pick while a word is typed"),
  ]

  init(rows: Int, directory: String) throws {
    self.rows = rows
    self.directory = directory
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    path = directory + "/packages.sqlite"
    index = IndexDirectory(path: path + ".index")
    partner = directory + "/packages-fts5.sqlite"
  }

  func run(parts: Set<String>) throws {
    func wants(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
    try DebianPackages().fill(path, rows: rows)
    show("| what | followspot | FTS5 | ratio |\n| --- | --- | --- | --- |")
    if wants("build") {
      try build()
      try buildPartner()
    }
    if wants("search") { try search(["web server", "python", "library development", "firefox"]) }
    if wants("prefix") { try search(["lib*", "name:lib*", "pyt*", "name:fire*"]) }
    if wants("typed") { try typed() }
    try GrowthTable(directory: directory).draw()
  }

  // MARK: Building

  private func build() throws {
    try? FileManager.default.removeItem(atPath: index.path)
    var time = Samples()
    let run = time.measure { runMeasured(program, ["--store", path, "index"]) }
    guard run.status == 0 else { throw MeasuringProgram.Failure("\(program) cannot build the index") }
    let (memory, source) = (Double(run.memory) / 1e6, Double(size(of: path)))
    let bytes = Double(try index.serving().map(index.bytes(of:)) ?? 0)
    try GrowthTable(directory: directory).add("packages", rows, time.median, memory)
    report("build of \(rows) packages", milliseconds(time.median), "-", nil)
    report("its time a row", String(format: "%.1f µs", time.median / Double(rows) * 1e6), "-", nil)
    report("its memory at most", megabytes(memory), "-", nil)
    report("its index, against the database", megabytes(bytes / 1e6), megabytes(source / 1e6), bytes / source)
  }

  private func buildPartner() throws {
    for suffix in ["", "-wal", "-shm"] { unlink(partner + suffix) }
    let connection = try Connection(path: partner, access: .create)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ATTACH '\(path)' AS source;
      CREATE VIRTUAL TABLE words USING fts5(name, summary, section, maintainer, content='', tokenize='porter unicode61');
      """)
    var time = Samples()
    try time.measure {
      try connection.execute(
        """
        INSERT INTO words(rowid, name, summary, section, maintainer)
        SELECT id, name, summary, section, maintainer FROM source.package
        """)
    }
    try GrowthTable(directory: directory).add("fts5", rows, time.median, 0)
    report("build of \(rows) packages by FTS5", "-", milliseconds(time.median), nil)
    report("its size", "-", megabytes(Double(size(of: partner)) / 1e6), nil)
  }

  private func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private func megabytes(_ number: Double) -> String { String(format: "%.0f MB", number) }

  // MARK: Searching

  private func search(_ queries: [String]) throws {
    let connection = try Connection(path: partner, access: .readOnly)
    let find = try connection.statement("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT 20")
    for query in queries {
      let (own, theirs) = try alternate(7) {
        let status = runProcess(program, ["--store", path, "search", query])
        guard status == 0 else { throw MeasuringProgram.Failure("search '\(query)' ends with \(status)") }
      } _: {
        try find.bind(query, at: 1)
        while try find.step() {}
        find.reset()
      }
      report(
        "search process '\(query)' among \(rows) packages, against FTS5 in one process", milliseconds(own.median),
        milliseconds(theirs.median), own.median / theirs.median)
      var request = SearchRequest(query: query)
      request.words = .all
      let found = try Searcher(storePath: path, directory: index).count(request).count
      let others = try connection.integer("SELECT count(*) FROM words WHERE words MATCH ?1", [.text(query)])
      report("records that it finds", "\(found)", "\(others ?? 0)", nil)
    }
  }

  /// The searches of `pick` while a word is typed, in one process.
  private func typed() throws {
    let searcher = try Searcher(storePath: path, directory: index)
    for query in ["*", "li", "lib*", "py", "pyt*", "web ser*"] {
      var time = Samples()
      for _ in 0..<7 {
        var request = SearchRequest(query: query)
        request.limit = 200
        try time.measure { _ = try searcher.search(request) }
      }
      report("200 hits of '\(query)' among \(rows) packages, in one process", milliseconds(time.median), "-", nil)
    }
  }
}
