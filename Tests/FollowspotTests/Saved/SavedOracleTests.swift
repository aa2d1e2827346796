// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// The events of saved searches, replayed over the first result, give the result of a search at any time.
@Suite(.overlapping, .temporaryDirectory)
struct SavedOracleTests {
  private let directory = TemporaryDirectory()

  /// Watches searches, as one process or several ones after each other, and replays their events.
  private final class Watchers {
    let storePath: String
    let directory: IndexDirectory
    let searches: [SavedSearch]
    private var searcher: Searcher
    private var watches: [SavedWatch] = []
    /// The records of each result and their values, as the events tell.
    private(set) var results: [[String: String]]
    private var last: [Int64]
    private(set) var events = 0

    init(_ queries: [String], storePath: String, directory: IndexDirectory) throws {
      self.storePath = storePath
      self.directory = directory
      searches = try queries.enumerated().map { try SavedSearch(name: "s\($0)", query: $1) }
      results = searches.map { _ in [:] }
      last = searches.map { _ in 0 }
      searcher = try Searcher(storePath: storePath, directory: directory)
      try restart()
    }

    /// Ends watching and begins again, as another process does.
    func restart() throws {
      watches = []
      searcher = try Searcher(storePath: storePath, directory: directory)
      watches = try searches.map { search in
        try SavedWatch(search, in: directory, showsInitial: true) { [unowned self] in searcher }
      }
    }

    /// Whether all searches test only the records that changed.
    var testChanges: Bool { watches.allSatisfy { $0.dependences.isEmpty } }

    /// Processes all changes, and delivers each batch, or sometimes delivers it twice.
    func catchUp(repeats: () -> Bool = { false }) throws {
      for (index, watch) in watches.enumerated() {
        var progress = SavedWatch.Progress.more
        while progress != .current {
          progress = try watch.step()
          if case .waiting(let reason) = progress {
            Issue.record("the index should not matter: \(reason)")
            break
          }
          struct Crash: Error {}
          if repeats() {
            #expect(throws: Crash.self) {
              _ = try watch.deliver {
                try apply($0, index)
              } finish: {
                throw Crash()
              }
              throw Crash()
            }
          }
          try watch.deliver {
            try apply($0, index)
          } finish: {
          }
        }
      }
    }

    private func apply(_ event: SavedEvent, _ index: Int) throws {
      guard event.number > last[index] else { return }
      #expect(event.number == last[index] + 1, "\(event)")
      last[index] = event.number
      events += 1
      let name = event.record.short
      #expect((results[index][name] == nil) == (event.kind == .enter), "\(searches[index].query): \(event)")
      results[index][name] = event.kind == .leave ? nil : event.fields
    }

    /// The results of searches in the whole index.
    func expected() throws -> [[String: String]] {
      try searches.map { search in
        var request = search.request
        request.overlayLimits.changes = 1_000_000
        request.overlayLimits.milliseconds = 1_000_000
        let hits = try searcher.search(request).hits
        return Dictionary(
          uniqueKeysWithValues: hits.map { hit in
            var json = JSONWriter()
            json.object { $0.members(hit.values, of: hit.entity) }
            return (hit.identifier.short, json.text)
          })
      }
    }

    func expectEqual(_ what: String) throws {
      for (index, expected) in try expected().enumerated() where results[index] != expected {
        let missing = expected.filter { results[index][$0.key] != $0.value }.keys.sorted()
        let extra = results[index].filter { expected[$0.key] == nil }.keys.sorted()
        Issue.record("\(searches[index].query), \(what): missing or stale \(missing), extra \(extra)")
      }
    }
  }

  /// The keys of films by SQL alone, for the searches that SQL can express.
  private func keys(_ condition: String, _ bench: IndexedStore) throws -> Set<String> {
    let rows = try Connection(path: bench.storePath, access: .readOnly)
      .cursor("SELECT Z_PK FROM ZFILM WHERE \(condition)")
    var found: Set<String> = []
    while try rows.step() { found.insert("Film/p\(rows.integer(at: 0))") }
    return found
  }

  private static let conditions = [
    "year:1950..1990": "ZYEAR BETWEEN 1950 AND 1990", "rating:>5": "ZRATING > 5", "is:favorite": "ZISFAVORITE = 1",
    "NOT (year:1950..1990)": "ZYEAR IS NULL OR ZYEAR NOT BETWEEN 1950 AND 1990",
  ]

  @Test(arguments: Rounds.seeds(1, long: 20))
  func `the events of ten searches over many changes give their last results`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 200)
    try Indexer(bench.options()).catchUp()
    let watchers = try Watchers(
      [
        "year:1950..1990", "rating:>5", "is:favorite", "NOT (year:1950..1990)", "genres:comedy -genres:drama",
        "\"co di\" OR \"ba co\"", "fu OR title:ga", "qui* title:ba", "released:2001-06..2010 rating:<=7.5",
        "people.role:co OR (plot:me AND NOT rating:>5) OR has:code year:>2020",
      ], storePath: bench.storePath, directory: bench.index)
    try watchers.catchUp()
    #expect(watchers.testChanges)
    try watchers.expectEqual("seed \(seed), first")
    let wanted = Rounds.count(600, full: 4_000, long: 10_000)
    var changes = 0
    var round = 0
    while changes < wanted {
      round += 1
      for _ in 0..<bench.catalogue.number(1...60) { changes += try bench.saveRandomly().count }
      if bench.catalogue.chance(3) { try Indexer(bench.options()).catchUp() }
      if bench.catalogue.chance(5) { try watchers.restart() }
      try watchers.catchUp { bench.catalogue.chance(4) }
      try watchers.expectEqual("seed \(seed), round \(round)")
    }
    for (query, condition) in Self.conditions {
      let index = try #require(watchers.searches.firstIndex { $0.query == query })
      let keys = try keys(condition, bench)
      #expect(Set(watchers.results[index].keys) == keys, "\(query), seed \(seed)")
    }
    print("seed \(seed): \(changes) changes in \(round) rounds, \(watchers.events) events")
    #expect(watchers.events > wanted / 2)
  }

  @Test(arguments: Rounds.seeds(1, full: 2, long: 40))
  func `the events of searches through relationships give their last results`(seed: Int) throws {
    let catalogue = try RelatedCatalogue(in: directory, seed: seed)
    for _ in 0..<40 { try catalogue.saveRandomly() }
    try Indexer(catalogue.options()).catchUp()
    let watchers = try Watchers(
      [
        "studio:toy", "-studio:toy", "founded:1950..", "owner:nemo", "part:bug OR part:car", "-cast.person.name:fish",
        "genre:\"wall up\" OR genre:soul", "kind:Person friend:story", "film:life", "sequel:monster -title:monster",
      ], storePath: catalogue.storePath, directory: catalogue.index)
    try watchers.catchUp()
    let rounds = Rounds.count(20, full: 60, long: 60)
    var round = 0
    while round < rounds {
      round += 1
      for _ in 0..<catalogue.number(1...8) { try catalogue.saveRandomly() }
      if catalogue.number(1...3) == 1 { try Indexer(catalogue.options()).catchUp() }
      if catalogue.number(1...5) == 1 { try watchers.restart() }
      try watchers.catchUp()
      try watchers.expectEqual("seed \(seed), round \(round)")
    }
    #expect(watchers.testChanges)
    print("seed \(seed): \(round) rounds, \(watchers.events) events")
    #expect(watchers.events > rounds)
  }

  @Test(arguments: Rounds.seeds(1, long: 20))
  func `the events of searches in an attached database give their last results`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let path = directory.file("any.sqlite")
    let writer = try Connection(path: path, access: .create)
    try writer.execute(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, year INTEGER, author_id INTEGER REFERENCES authors);
      INSERT INTO authors VALUES (1, 'ann'), (2, 'bob');
      INSERT INTO books VALUES (1, 'toy', 1990, 1), (2, 'bug', 2000, 2);
      """)
    _ = try Attachment.attach(path)
    let index = IndexDirectory(path: path + ".index")
    var options = Indexer.Options(storePath: path, directory: index)
    func text(_ name: String, _ path: String) -> FieldDefinition {
      FieldDefinition(name: name, path: path, roles: [.text])
    }
    options.definition = IndexDefinition(
      language: "english", stopWords: [],
      entities: [
        "authors": EntityDefinition(title: ["name"], fields: [text("name", "name"), text("book", "books.title")]),
        "books": EntityDefinition(
          title: ["title"],
          fields: [
            text("title", "title"), text("author", "author.name"), FieldDefinition(name: "year", roles: [.number]),
          ]),
      ])
    try Indexer(options).catchUp()
    let watchers = try Watchers(
      ["year:1990..", "author:ann", "-author:ann", "book:toy", "kind:authors -book:toy", "toy OR bug"],
      storePath: path, directory: index)
    try watchers.catchUp()
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func word() -> String { ["ann", "bob", "toy", "bug", "cat"].randomElement(using: &random) ?? "" }
    for round in 0..<60 {
      for _ in 0..<number(1...6) {
        let (key, other) = (number(1...12), number(1...6))
        let sql =
          switch number(0...6) {
          case 0: "INSERT OR REPLACE INTO authors VALUES (\(other), '\(word())')"
          case 1: "INSERT OR REPLACE INTO books VALUES (\(key), '\(word())', \(number(1980...2000)), \(other))"
          case 2: "UPDATE books SET title = '\(word())' WHERE id % 3 = \(number(0...2))"
          case 3: "UPDATE books SET author_id = \(other) WHERE id = \(key)"
          case 4: "UPDATE authors SET name = '\(word())' WHERE id = \(other)"
          case 5: "DELETE FROM books WHERE id = \(key)"
          default: "DELETE FROM authors WHERE id = \(other)"
          }
        try writer.execute(sql)
      }
      if number(1...3) == 1 { try Indexer(options).catchUp() }
      if number(1...5) == 1 { try watchers.restart() }
      try watchers.catchUp()
      try watchers.expectEqual("seed \(seed), round \(round)")
    }
    print("seed \(seed): \(watchers.events) events")
    #expect(watchers.events > 100)
  }
}
