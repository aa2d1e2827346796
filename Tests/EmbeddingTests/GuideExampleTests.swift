// SPDX-License-Identifier: MIT

import FollowspotModels
import Foundation
import SwiftData
import TestSupport
import Testing

/// The examples of the guide Embedding, which are this code. Each prints into `Printed`, so that what it prints is compared.
@Suite(.overlapping, .temporaryDirectory)
struct GuideExampleTests {
  @Model final class Film {
    @Attribute(.unique, .spotlight) var title: String
    @Attribute(.spotlight) var plot: String
    var year: Int

    init(_ title: String, year: Int, plot: String) {
      self.title = title
      self.year = year
      self.plot = plot
    }
  }

  private static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The two films of the guide's program, indexed.
  private func films() async throws -> (ModelContext, StoreIndex) {
    let store = URL(fileURLWithPath: TemporaryDirectory().file("films.store"))
    let context = ModelContext(try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: store)))
    context.insert(Film("Up", year: 2009, plot: "An old man flies away in his house."))
    context.insert(Film("WALL-E", year: 2008, plot: "A robot cleans the earth."))
    try context.save()
    let index = StoreIndex(of: store)
    try await index.update()
    return (context, index)
  }

  private final class Printed {
    var lines: [String] = []
    func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
  }

  @Test func `the example of searching prints the hit, its words and the counts`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    var query = SearchQuery("robot year:2000..")
    query.sort = [.init("year", descends: true)]
    query.facets = ["year"]
    query.wantsSnippets = true
    let answer = try await index.search(query)
    for hit in answer.hits {
      let words = hit.snippet.map { snippet in snippet.matches.map { String(snippet.text[$0]) } } ?? []
      print(hit.title, words)
    }
    for value in answer.facets[0].values { print(value.text, value.count) }
    // guide: end
    #expect(printed.lines == [#"WALL-E ["robot"]"#, "2008 1"])
    withExtendedLifetime(context) {}
  }

  @Test func `the example of counts and explanations`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    let count = try await index.count("robot", by: "year")
    print(count.matches, count.facet?.values.map(\.text) ?? [])
    print(try await index.suggestions(for: "rob", limit: 3).map(\.text))
    let explanation = try await index.explain("Film/p2", "robot year:2000..")
    for part in explanation?.parts ?? [] { print(part.text, part.role, part.isMatched) }
    print(try await index.schema().entities.map(\.name))
    // guide: end
    #expect(
      printed.lines == [
        "1 [\"2008\"]", "[\"robot\"]", "robot word true", "year:>=2000 required true",
        "item or short text preferred true", "[\"Film\"]",
      ])
    withExtendedLifetime(context) {}
  }

  @Test func `the example of a result that follows saves`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    for try await update in index.results(of: "robot") {
      if update.isFirst { context.insert(Film("Robots", year: 2005, plot: "Robots in a city of robots.")) }
      try context.save()
      print(update.inserted, update.removed, update.answer.hits.map(\.title).sorted())
      if !update.isFirst { break }
    }
    // guide: end
    #expect(
      printed.lines == ["[0] [] [\"WALL-E\"]", "[0] [] [\"Robots\", \"WALL-E\"]"])
    withExtendedLifetime(context) {}
  }

  @Test func `the example of objects`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    let films = try await context.search(Film.self, "robots", limit: 5)
    print(films.map(\.title))
    let seen = try await index.search(SearchQuery("robots", in: Film.self))
    for (hit, film) in try context.fetch(Film.self, hits: seen.hits) { print(hit.score > 0, film.year) }
    // guide: end
    #expect(
      printed.lines == ["[\"WALL-E\"]", "true 2008"])
    withExtendedLifetime(context) {}
  }

  @MainActor @Test func `the example of an observer`() async throws {
    let (context, index) = try await films()
    let container = context.container
    let printed = Printed()
    let print = printed.print
    // guide: begin
    let observer = SearchObserver<Film>("robot", in: index, modelContext: container.mainContext)
    for await titles in Observations({ observer.results.map(\.title) }) where !titles.isEmpty {
      print(titles, observer.answer?.matches ?? 0)
      break
    }
    // guide: end
    #expect(
      printed.lines == ["[\"WALL-E\"] 1"])
    withExtendedLifetime(context) {}
  }

  @Test func `the example of several stores`() async throws {
    let (context, films) = try await films()
    let (second, _) = try await self.films()
    second.insert(Film("Robots", year: 2005, plot: "Robots in a city of robots."))
    try second.save()
    let other = try #require(second.container.configurations.first?.url)
    let printed = Printed()
    let print = printed.print
    // guide: begin
    let group = try StoreGroup([.init("films", films), .init("more", StoreIndex(of: other))])
    try await group.update()
    let found = try await group.search("robot")
    for hit in found.hits { print(hit.store ?? "-", hit.title) }
    print(try await group.count("robot", by: "@store").facet?.values.map(\.count) ?? [])
    // guide: end
    #expect(
      printed.lines == ["more Robots", "films WALL-E", "more WALL-E", "[2, 1]"])
    withExtendedLifetime((context, second)) {}
  }

  @Test func `the example of changes and the history`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    for try await change in index.changes(forConsumer: "postgres", follows: false) {
      print(change.kind, change.entityName, change.fields?["title"] ?? .text("-"))
      if let position = change.position { try await index.acknowledge(position, by: "postgres") }
    }
    let log = try await index.log(of: "robot")
    print(log.transactions.map(\.number), log.objects)
    let difference = try await index.difference(of: "robot", from: 0)
    for change in difference.changes { print(change.change.kind, change.change.title, change.transaction) }
    let report = try await index.purgeHistory(.keeping(.seconds(7 * 86_400)), isDryRun: true)
    print(report.transactions)
    // guide: end
    #expect(
      printed.lines == [
        "existing Film text(\"Up\")", "existing Film text(\"WALL-E\")", "[1] 1", "insert WALL-E 1", "0",
      ])
    withExtendedLifetime(context) {}
  }

  @Test func `the example of a saved search`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    try await index.saveSearch(named: "robots", "plot:robot")
    for try await event in index.events(ofSavedSearch: "robots", startsWithResult: true, follows: false) {
      print(event.number, event.kind, event.title)
    }
    print(try await index.savedSearches().map(\.name))
    try await index.removeSavedSearch(named: "robots")
    // guide: end
    #expect(
      printed.lines == ["1 enter WALL-E", "[\"robots\"]"])
    withExtendedLifetime(context) {}
  }

  @Test func `the example of upkeep`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    let status = try await index.status()
    print(status.index?.documents ?? 0, status.lag ?? -1)
    let verified = try await index.verify()
    print(verified.isEqual, verified.missing)
    let reached = try await index.wait(for: 1, timeout: .seconds(5))
    print(reached)
    let table = try await index.rows(of: "SELECT title, year FROM Film ORDER BY year")
    print(table.columns, table.rows.count)
    // guide: end
    #expect(
      printed.lines == ["2 0", "true []", "true", "[\"title\", \"year\"] 2"])
    withExtendedLifetime(context) {}
  }

  @Test func `the example of an error`() async throws {
    let (context, index) = try await films()
    let printed = Printed()
    let print = printed.print
    // guide: begin
    do { _ = try await index.count("titel:robots") } catch let error as FollowspotError {
      print(error.message, error.queryOffset ?? 0, error.correctedQuery ?? "-", error.advice ?? "-")
    }
    // guide: end
    #expect(
      printed.lines == ["no field is named 'titel' 0 title:robots did you mean title?"])
    withExtendedLifetime(context) {}
  }

  @Test func `the guide says for each verb of the shell which call does the same`() throws {
    let help = try Shell(in: TemporaryDirectory()).run("help").output
    let verbs = try #require(help.components(separatedBy: "Verbs:\n").last?.components(separatedBy: "\n\n").first)
      .components(separatedBy: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    try #require(verbs.count > 30)
    let guide = try String(
      contentsOf: Self.checkout.appending(path: "Sources/Followspot/Documentation.docc/Embedding.md"), encoding: .utf8)
    let table = try #require(guide.components(separatedBy: "## From the shell to Swift").last)
    #expect(verbs.filter { !table.contains("`\($0)`") } == [])
  }

  @Test func `the guide shows these examples and no others`() throws {
    let sources = URL(fileURLWithPath: #filePath)
    let code = try String(contentsOf: sources, encoding: .utf8)
    let examples = code.components(separatedBy: "    // guide: begin\n").dropFirst().compactMap { text in
      text.components(separatedBy: "    // guide: end\n").first?.components(separatedBy: "\n")
        .map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : $0 }.joined(separator: "\n")
    }
    let guide = try String(
      contentsOf: Self.checkout.appending(path: "Sources/Followspot/Documentation.docc/Embedding.md"), encoding: .utf8)
    // The first two blocks are the manifest and the program, which other tests build.
    let shown = guide.components(separatedBy: "```swift\n").dropFirst(3).compactMap {
      $0.components(separatedBy: "```\n").first
    }
    #expect(shown == examples)
    #expect(shown.count == 10)
  }
}
