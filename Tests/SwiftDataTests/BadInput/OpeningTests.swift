// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import SwiftData
import TestSupport
import Testing

/// Files and places that hold no store of the schema.
@Suite(.temporaryDirectory) struct ContainerOpeningTests {
  private let url = newStoreURL()

  private let directory = TemporaryDirectory()

  @discardableResult
  private func open(_ url: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
  }

  @Test func `a file that is not a database is refused and not changed`() throws {
    let text = Data(String(repeating: "no database at all\n", count: 100).utf8)
    try text.write(to: url)
    let words = explanation(of: .loadIssueModelContainer) { try open(url) }
    #expect(words == "\(url.path) is not an SQLite file; give the configuration another URL, or move the file away")
    #expect(try Data(contentsOf: url) == text)
  }

  @Test func `an SQLite file of another kind is refused`() throws {
    try Connection(path: url.path, access: .create).execute("CREATE TABLE notes (text)")
    let words = explanation(of: .loadIssueModelContainer) { try open(url) }
    #expect(
      words == "\(url.path) is an SQLite file of another kind: it has no Core Data tables; give the configuration "
        + "another URL, or move the file away")
  }

  @Test func `a store without history is refused`() throws {
    try open(url)
    try execute("DROP TABLE ATRANSACTION; DROP TABLE ACHANGE", url)
    let words = explanation(of: .loadIssueModelContainer) { try open(url) }
    #expect(words == "\(url.path) keeps no transaction history; open a store that SwiftData made")
  }

  @Test func `a store of other software is refused`() throws {
    try open(url)
    try execute("UPDATE Z_METADATA SET Z_PLIST = x'00'", url)
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(url) }
  }

  @Test func `a store of other entities is refused, and loses nothing`() throws {
    try makeLibrary(url)
    let before = try TableDump(url)
    let words = explanation(of: .unknownDataStoreSchema) { try open(url) }
    #expect(
      words == "\(url.path) holds other entities (Author, Book) than the schema (Film, Person, Studio): give the "
        + "configuration another URL, or name the store's classes too")
    #expect(try TableDump(url) == before)
  }

  @Test func `a directory at the path of the file is refused`() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    let words = explanation(of: .loadIssueModelContainer) { try open(url) }
    #expect(words == "\(url.path) is a directory; give the configuration another URL, or move the file away")
  }

  @Test func `missing directories are created`() throws {
    let deep = url.deletingLastPathComponent().appendingPathComponent("a/b/c/deep.store")
    try open(deep)
    #expect(try ModelContext(open(deep)).fetchCount(FetchDescriptor<Film>()) == 0)
  }

  @Test func `a directory that cannot be created is named`() throws {
    try Data("a file".utf8).write(to: url)
    let words = explanation(of: .loadIssueModelContainer) { try open(url.appendingPathComponent("below.store")) }
    #expect(words == "the directory \(url.path) cannot be created: check the one above it")
  }

  @Test func `a directory that cannot be written is named`() throws {
    // Also for root.
    let url = URL(fileURLWithPath: "/proc/films.store")
    let words = explanation(of: .loadIssueModelContainer) { try open(url) }
    #expect(
      words
        == "/proc/films.store cannot be created: No such file or directory; check that its directory exists and can be written"
    )
  }

  @Test func `an error of opening names no command and no option of the command line`() throws {
    let contents = [
      Data(), Data("plain text\n".utf8), Data([0x50, 0x4b, 0x03, 0x04]), Data([0x1f, 0x8b]),
      Data("SQLite format 3\0".utf8), Data(repeating: 0xAA, count: 4_096),
    ]
    for (number, content) in contents.enumerated() {
      for allowsSave in [true, false] {
        let url = newStoreURL()
        try content.write(to: url)
        let error = #expect(throws: SwiftDataError.self, "file \(number)") { try open(url, allowsSave: allowsSave) }
        let text = try #require(error).explanation
        let words = text.replacing(url.path, with: "")
        #expect(words != text && !words.contains("followspot") && !words.contains("--"), "\(text)")
      }
    }
  }

  @Test func `a read-only configuration does not create a store`() throws {
    let words = explanation(of: .loadIssueModelContainer) { try open(url, allowsSave: false) }
    #expect(
      words == "there is no store at \(url.path), and a read-only configuration does not create one: "
        + "create it with a configuration that allows saving")
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `opening a damaged file or reading its rows is refused`() throws {
    let container = try open(url)
    let context = ModelContext(container)
    for number in 0..<2_000 { context.insert(Film("film \(number)", year: number)) }
    try context.save()
    try execute("PRAGMA wal_checkpoint(TRUNCATE)", url)
    var bytes = try Data(contentsOf: url)
    bytes.replaceSubrange(8_192..<(bytes.count - 8_192), with: Data(repeating: 0xAA, count: bytes.count - 16_384))
    let copy = url.appendingPathExtension("copy")
    try bytes.write(to: copy)
    do {
      let context = ModelContext(try open(copy))
      _ = try context.fetch(FetchDescriptor<Film>())
      Issue.record("nothing was noticed")
    } catch let error as SwiftDataError {
      #expect(error.explanation.contains(copy.path), "\(error)")
      #expect(error.explanation.contains("restore the store from a backup"), "\(error)")
    }
  }

  @Test func `a store that records were imported into opens with a class of the same shape`() throws {
    let url = URL(fileURLWithPath: directory.file("movies.store"))
    let lines = try directory.write(
      """
      {"title": "Up", "year": 2009, "rating": 8.3}
      {"title": "Coco", "year": 2017}

      """, to: "movies.jsonl")
    var options = Importer.Options(storePath: url.path, file: lines)
    options.kind = "Movie"
    _ = try Importer(options).run()
    let before = try PersistentStore.open(url.path)

    let configuration = ModelConfiguration(url: url)
    let context = ModelContext(try ModelContainer(for: Imported.Movie.self, configurations: configuration))
    let movies = try context.fetch(FetchDescriptor<Imported.Movie>(sortBy: [SortDescriptor(\.year)]))
    #expect(movies.map(\.title) == ["Up", "Coco"])
    #expect(movies.map(\.year) == [2009, 2017])
    #expect(movies.map(\.rating) == [8.3, nil])
    #expect(movies.map(\.isSeen) == [false, false])
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.first?.changes.count == 2)
    #expect(context.container.configurations.count == 1)
    #expect(history.first?.storeIdentifier == before.uuid)
  }

  @Test func `an imported store with a value of another type is refused, and the error names the value`() throws {
    let url = URL(fileURLWithPath: directory.file("movies.store"))
    let lines = try directory.write("{\"title\": \"Up\", \"year\": \"twenty\"}\n", to: "movies.jsonl")
    var options = Importer.Options(storePath: url.path, file: lines)
    options.kind = "Movie"
    _ = try Importer(options).run()
    let words = explanation(of: .loadIssueModelContainer) {
      _ = try ModelContainer(for: Imported.Movie.self, configurations: ModelConfiguration(url: url))
    }
    #expect(
      words
        == "giving \(url.path) the models of the schema 1.0.0: Movie.year: string cannot become integer64 by itself")
  }

  @Test func `a schema without classes cannot be opened`() throws {
    let file = url.appendingPathExtension("json")
    try Schema([Film.self]).save(to: file)
    let loaded = try Schema.load(from: file)
    let words = explanation(of: .loadIssueModelContainer) {
      _ = try ModelContainer(for: loaded, configurations: [ModelConfiguration(url: url)])
    }
    #expect(words.hasPrefix("the schema names no classes"), "\(words)")
  }
}

enum Imported {
  @Model final class Movie {
    var title: String
    var year: Int
    var rating: Double?
    var isSeen: Bool = false

    init(_ title: String, year: Int) {
      self.title = title
      self.year = year
    }
  }
}
