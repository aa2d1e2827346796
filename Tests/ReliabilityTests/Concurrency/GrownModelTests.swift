// SPDX-License-Identifier: MIT

import Base
import Followspot
import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// Answers after a save that extended the model, and before the index is rebuilt for the new model.
@Suite(.overlapping, .temporaryDirectory)
struct GrownModelTests {
  private static let films = (1...40).map { #"{"title":"film \#($0)","year":\#(1950 + $0)}"# + "\n" }.joined()

  /// Queries with the number of records that they find once the model has grown.
  private static let counts: [(query: String, count: Int)] = [
    ("*", 42), ("gammas", 1), ("zyzzyx", 1), ("plot:zyzzyx", 1), ("zyz*", 1), ("has:plot", 1), ("-has:plot", 41),
    ("awards:>=7", 1), ("awards:<7", 0), ("year:1951", 1), ("year:1951..1960", 10), ("year:3", 1), ("title:film", 40),
    ("kind:Person", 1), ("-kind:Film", 1), ("jane", 1), ("name:roe", 1), ("born:1990", 1), ("born:1990-01-02", 1),
    ("kind:Person OR title:gammas", 2), ("film OR roe", 41),
  ]

  /// Runs `body` with an index of forty films, after a new attribute and a new kind were imported.
  private func withGrownStore(
    follower isFollowed: Bool, _ body: (Shell, IndexDirectory, Shell.Running?) throws -> Void
  ) throws {
    try TemporaryDirectory.with { directory in
      let shell = Shell(in: directory)
      func importRecords(_ text: String, kind: String) throws {
        let file = try directory.write(text, to: kind + ".jsonl")
        try shell.succeed("import", file, "--kind", kind)
      }
      try importRecords(Self.films, kind: "Film")
      #expect(try shell.run("index").code == 0)
      let index = IndexDirectory(path: directory.file("films.store.index"))
      // The names of the new fields come before those of the old ones, and a field of the new kind has an old name.
      let lock = isFollowed ? try FileLock(.rebuild, in: index, verb: "rebuild") : nil
      let follower = isFollowed ? try shell.start(["index", "--follow"]) : nil
      if let follower { try #require(follower.waitForError("following "), "\(follower.errors)") }
      try importRecords(#"{"title":"gammas","year":1900,"plot":"zyzzyx","awards":7}"# + "\n", kind: "Film")
      try importRecords(#"{"name":"Jane Roe","born":"1990-01-02","year":3}"# + "\n", kind: "Person")
      if let follower { try #require(follower.waitForError("retrying until it succeeds"), "\(follower.errors)") }
      try withExtendedLifetime(lock) { try body(shell, index, follower) }
    }
  }

  /// Whether only a suggestion was reported.
  private func isSilent(_ outcome: Shell.Outcome) -> Bool {
    outcome.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("hint: ") && $0.contains("match") }
  }

  private func expectExact(_ shell: Shell, _ when: String) throws {
    for (query, count) in Self.counts {
      let counted = try shell.run("count", "--max-lag", "0", "--", query)
      #expect(
        counted.code == 0 && counted.output == "\(count)\n" && isSilent(counted), "\(query) \(when): \(counted)")
      let found = try shell.run("search", "-n", "0", "--all", "--format", "ids", "--max-lag", "0", "--", query)
      #expect(found.lines.count == count && isSilent(found), "\(query) \(when): \(found)")
    }
    let kinds = try shell.run("count", "*", "--by", "kind")
    #expect(kinds.output == "41\tFilm\n1\tPerson\n", "\(when): \(kinds)")
    let sorted = try shell.run(
      "search", "*", "--sort", "awards", "-n", "1", "--format", "tsv", "--fields", "@id,awards")
    #expect(sorted.output.hasSuffix("Film/p41\t7\n"), "\(when): \(sorted)")
    let explained = try shell.run("explain", "Person/p1", "name:jane")
    #expect(explained.code == 0, "\(when): \(explained)")
  }

  @Test func `records with new attributes and of new kinds are found at once, without a pass`() throws {
    try withGrownStore(follower: false) { shell, _, _ in
      try expectExact(shell, "before the pass")
      #expect(try shell.run("verify").code == 0)
      #expect(try shell.run("index").code == 0)
      try expectExact(shell, "after the pass")
    }
  }

  @Test func `records with new attributes are found while a follower cannot rebuild yet`() throws {
    try withGrownStore(follower: true) { shell, _, follower in
      try expectExact(shell, "while the rebuild waits")
      try shell.succeed("set", "Film/p1", "title=film gammas")
      #expect(try shell.run("count", "--max-lag", "0", "gammas").output == "2\n")
      follower?.signal(SIGTERM)
      #expect(follower?.wait().code == 0)
    }
  }

  // MARK: What no change in the history tells

  /// A store of three films, indexed, and migrated to each of the models in turn.
  private func makeMigratedStore(_ models: [ModelDescription]) throws -> (Shell, Searcher) {
    let directory = TemporaryDirectory()
    let path = directory.file("films.store")
    let store = try PersistentStore.create(path, model: Self.model([]))
    try store.save { save in
      for title in ["one", "two", "three"] { try save.insert(store.layout.entities[0], [.text(title), .text("old")]) }
    }
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    for model in models { _ = try PersistentStore.open(path, access: .readWrite).migrate(to: model) }
    return try (shell, Searcher(storePath: path, directory: IndexDirectory(path: path + ".index")))
  }

  private static func model(_ added: [AttributeDescription], without removed: String = "") -> ModelDescription {
    let own = [AttributeDescription("title", .string), AttributeDescription("plot", .string, isOptional: true)]
    return ModelDescription(entities: [
      EntityDescription("Film", attributes: own.filter { $0.name != removed } + added)
    ])
  }

  @Test func `rows are found by the default value of a new attribute, or the answer is marked as stale`()
    throws
  {
    let stars = AttributeDescription("stars", .integer64, defaultValue: .integer(5))
    let (shell, searcher) = try makeMigratedStore([Self.model([stars])])
    let counted = try shell.run("count", "stars:5", "--max-lag", "0")
    #expect(counted.code == 0 && counted.output == "3\n" && counted.errors == "", "\(counted)")
    var request = SearchRequest(query: "stars:5")
    request.overlayLimits.changes = 2
    let partial = try searcher.count(request)
    #expect(partial.notes.count == 1 && partial.notes[0].contains("default values"), "\(partial)")
    request.mostLag = 0
    #expect { try searcher.count(request) } throws: { ($0 as? OperationError)?.code == .stale }
  }

  @Test func `a limit on the lag refuses an answer after a migration that removed values`() throws {
    let (shell, _) = try makeMigratedStore([Self.model([], without: "plot"), Self.model([])])
    let counted = try shell.run("count", "old")
    #expect(counted.code == 0 && counted.errors.contains("the store's model has changed; "), "\(counted)")
    for limit in ["0", "1h"] {
      let refused = try shell.run("count", "old", "--max-lag", limit)
      #expect(refused.code == 4 && refused.output == "", "\(refused)")
    }
    // What deletes takes no such answer: it finds that no record has the word any more.
    let deleted = try shell.run("delete", "old", "--yes")
    #expect(deleted.code == 1 && deleted.output.contains("\"deleted\":0"), "\(deleted)")
    #expect(try shell.run("count", "*").output == "3\n")
    #expect(try shell.run("count", "old", "--max-lag", "0").output == "0\n")
  }
}
