// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SwiftData
import TestSupport
import Testing

/// Queries as values, and all that their answers contain.
@Suite(.overlapping, .temporaryDirectory)
struct SearchQueryTests {
  /// All attributes are indexed, and numbers, dates and flags are fields of their own.
  private static let definition = """
    {"entities": {"Film": {"title": "title", "fields": [
      {"name": "title", "roles": ["text", "stored"]}, {"name": "tags", "roles": ["text", "facet"]},
      {"name": "remark", "roles": ["text"]}, {"name": "year", "roles": ["number"]},
      {"name": "price", "roles": ["number"]}, {"name": "released", "roles": ["date"]},
      {"name": "isSeen", "roles": ["flag"]}]}}}
    """

  private func cinema(films: Int) async throws -> Cinema {
    let cinema = try Cinema(definition: Self.definition)
    try cinema.saveMany(films)
    try await cinema.index.update()
    return cinema
  }

  @Test func `facets count what SQL counts, with values of the attribute's type`() async throws {
    let cinema = try await cinema(films: 50)
    var query = SearchQuery("robot", limit: 0)
    query.facets = ["year", "tags", "isSeen", "price", "released"]
    let answer = try await cinema.index.search(query)
    #expect(answer.hits.isEmpty && answer.matches == 50 && !answer.isEstimate)
    try #require(answer.facets.map(\.field) == query.facets)
    func counts(_ facet: Int) -> [String] { answer.facets[facet].values.map { "\($0.value): \($0.count)" }.sorted() }
    func sql(_ column: String, _ value: (String) -> AttributeValue?) throws -> [String] {
      try cinema.rows("SELECT \(column), COUNT(*) FROM ZFILM GROUP BY 1").map { row in
        "\(try #require(value(row[0]))): \(row[1])"
      }.sorted()
    }
    #expect(try counts(0) == sql("ZYEAR") { Int64($0).map(AttributeValue.integer) })
    #expect(counts(1) == ["text(\"cars\"): 33", "text(\"robot\"): 50", "text(\"toys\"): 17"])
    #expect(try counts(2) == sql("ZISSEEN") { .boolean($0 == "1") })
    #expect(try counts(3) == sql("ZPRICE") { Decimal(string: $0).map(AttributeValue.decimal) })
    #expect(
      try counts(4)
        == sql("ZRELEASED") { Double($0).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } })
    // Most frequent first.
    for facet in answer.facets { #expect(facet.values.map(\.count) == facet.values.map(\.count).sorted(by: >)) }
  }

  @Test func `sort keys order as SQL does, and pages follow each other`() async throws {
    let cinema = try await cinema(films: 40)
    var query = SearchQuery("*", kinds: ["Film"], limit: 7)
    query.sort = [.init("year", descends: true), .init("title")]
    var titles: [String] = []
    for offset in stride(from: 0, to: 49, by: 7) {
      query.offset = offset
      titles += try await cinema.index.search(query).hits.map(\.title)
    }
    #expect(
      try titles == cinema.rows("SELECT ZTITLE FROM ZFILM ORDER BY ZYEAR DESC, ZTITLE").map { $0[0] })
  }

  @Test func `sections group the hits by a field`() async throws {
    let cinema = try await cinema(films: 20)
    var query = SearchQuery("robot", limit: nil)
    query.section = "year"
    let answer = try await cinema.index.search(query)
    for section in answer.sections {
      #expect(section.indexes == section.indexes.sorted())
      for index in section.indexes { #expect(answer.hits[index].fields["year"] == .integer(Int64(section.value)!)) }
    }
    #expect(answer.sections.flatMap(\.indexes).sorted() == Array(0..<20))
    #expect(Set(answer.sections.map(\.value)) == Set(try cinema.rows("SELECT DISTINCT ZYEAR FROM ZFILM").map { $0[0] }))
    #expect(try await cinema.index.search("robot").sections.isEmpty)
  }

  @Test func `a snippet has the words of the query at its ranges`() async throws {
    let cinema = try Cinema(definition: Self.definition)
    // The match stands behind characters that are several bytes and several scalars long.
    let remark = "é\u{301}👩‍👩‍👧 " + String(repeating: "lorem ipsum ", count: 40) + "a naïve Robots parade, robot again"
    try cinema.save(Film("Robot title", year: 2009, remark: remark))
    try await cinema.index.update()
    var query = SearchQuery("robot")
    query.wantsSnippets = true
    let snippet = try #require(try await cinema.index.search(query).hits.first?.snippet)
    #expect(snippet.field == "remark")
    #expect(snippet.matches.map { String(snippet.text[$0]) } == ["Robots", "robot"])
    #expect(snippet.isTruncatedBefore && !snippet.isTruncatedAfter)
    #expect(remark.contains(snippet.text))
    query.text = "title"
    #expect(try await cinema.index.search(query).hits.first?.snippet?.text == "Robot title")
    query.snippetsOmitTitle = true
    #expect(try await cinema.index.search(query).hits.first?.snippet == nil)
  }

  @Test func `the words that are needed, corrections and the nearest query are those of the program`() async throws {
    let cinema = try await cinema(films: 12)
    var query = SearchQuery("toys cars")
    query.words = .all
    #expect(try await cinema.index.search(query).matches == 0)
    query.words = .any
    #expect(try await cinema.index.search(query).matches == 12)
    query.words = .widening
    let widened = try await cinema.index.search(query)
    #expect(widened.isWidened && widened.matches == 12)

    let corrected = try await cinema.index.search(SearchQuery("robbot"))
    #expect(corrected.correctedQuery == "robot" && corrected.matches == 12)
    var exact = SearchQuery("robbot")
    exact.isCorrected = false
    #expect(try await cinema.index.search(exact).matches == 0)

    let none = try await cinema.index.search(SearchQuery("robot year:1800", kinds: ["Film"]))
    let nearest = try #require(none.nearest)
    #expect(nearest.omissions == [.part("year:1800")])
    #expect(try await cinema.index.search(nearest.query).matches == nearest.matches)
    #expect(nearest.matches == 12)
    let shown = try cinema.shell.run("search", "robot", "year:1800", "--kind", "Film", "--format", "json")
    #expect(shown.output.contains("\"query\":\"\(nearest.query.text)\""), "\(shown)")
  }

  @Test func `boosts and recency raise the hits that they name`() async throws {
    let cinema = try await cinema(films: 21)
    var query = SearchQuery("robot", limit: nil)
    query.recency = .init("year", half: "1")
    #expect(try await cinema.index.search(query).hits.first?.fields["year"] == .integer(1996))
    query.recency = nil
    query.boosts = ["price"]
    #expect(try await cinema.index.search(query).hits.first?.fields["price"] == .decimal(2))
    query.sort = [.init("year")]
    let error = await #expect(throws: FollowspotError.self) { try await cinema.index.search(query) }
    #expect(error?.code == .usage)
  }

  @Test func `a count is exact and agrees with SQL`() async throws {
    let cinema = try await cinema(films: 30)
    let counted = try await cinema.index.count("robot year:..1992", by: "year")
    let rows = try cinema.rows("SELECT ZYEAR, COUNT(*) FROM ZFILM WHERE ZYEAR <= 1992 GROUP BY 1 ORDER BY 2 DESC, 1")
    #expect(counted.facet?.values.map { [$0.text, String($0.count)] } == rows)
    #expect(counted.matches == rows.reduce(0) { $0 + Int($1[1])! })
    #expect(counted.token == 1 && counted.lag == 0)
    let none = try await cinema.index.count("robot year:1800")
    #expect(none.matches == 0 && none.facet == nil && none.nearest?.matches == 30)
  }

  @Test func `suggestions are those of the program`() async throws {
    let cinema = try await cinema(films: 9)
    for prefix in ["fil", "ro", "tags:c", "robbot", "zzz", ""] {
      let suggestions = try await cinema.index.suggestions(for: prefix)
      guard !prefix.isEmpty else {
        #expect(suggestions.isEmpty)
        continue
      }
      #expect(try suggestions.map(\.text) == cinema.shell.run("suggest", prefix).lines)
    }
    #expect(try await cinema.index.suggestions(for: "fil", limit: 2).count == 2)
    #expect(try await cinema.index.suggestions(for: "robbot").map(\.kind) == [.correction])
  }

  @Test func `an explanation is that of the program, and its parts add up to the score`() async throws {
    let cinema = try await cinema(films: 9)
    let hit = try #require(try await cinema.index.search("robot toys year:1990..").hits.first)
    let found = try #require(try await cinema.index.explain(hit.id, "robot toys year:1990.."))
    #expect(found.verdict == .matches && found.title == hit.title && found.id == hit.id)
    #expect(abs(found.score - hit.score) < 1e-9)
    #expect(abs(found.parts.reduce(0) { $0 + $1.score } - found.score) < 1e-6)
    #expect(found.parts.prefix(3).map(\.role) == [.word, .word, .required])
    #expect(found.parts[0].scoresByField.keys.sorted() == ["tags"])
    #expect(try await cinema.index.explain("Film/p1", "nothing")?.verdict == .no)
    #expect(try await cinema.index.explain("Film/p999", "robot") == nil)
    for wrong in ["film", "Play/p1", "x-coredata://00000000-0000-0000-0000-000000000000/Film/p1"] {
      let error = await #expect(throws: FollowspotError.self) { try await cinema.index.explain(wrong, "robot") }
      #expect(error?.code == .usage)
    }
  }

  @Test func `deleted objects are found with the transaction that deleted them`() async throws {
    let cinema = try Cinema()
    let films = try cinema.save(Film("Up", year: 2009), Film("Coco", year: 2017))
    try await cinema.index.update()
    let id = films[0].persistentModelID.uriRepresentation
    cinema.context.delete(films[0])
    try cinema.context.save()
    let answer = try await cinema.index.search("deleted:*")
    #expect(answer.hits.map(\.id) == [id])
    #expect(answer.hits.first?.title == "Up")
    #expect(answer.hits.first?.deletion?.transaction == 2)
    #expect(answer.hits.first?.deletion?.author == "cinema")
    let time = try #require(try cinema.rows("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = 2").first?.first)
    let date = try #require(answer.hits.first?.deletion?.date)
    #expect(abs(date.timeIntervalSinceReferenceDate - Double(time)!) < 0.001)
    #expect(try await cinema.index.search("coco").hits.first?.deletion == nil)
  }

  @Test func `fields of related objects come with the hits`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009, studio: Studio(name: "Pixar")), Film("Shrek", year: 2001))
    try await cinema.index.update()
    var query = SearchQuery("up OR shrek", kinds: ["Film"])
    query.fields = ["studio.name"]
    let hits = try await cinema.index.search(query).hits
    let studios = Dictionary(hits.map { ($0.title, $0.texts["studio.name"]) }, uniquingKeysWith: { first, _ in first })
    #expect(studios == ["Shrek": [], "Up": ["Pixar"]])
  }

  @Test func `an answer is as new as the query asks, or there is an error`() async throws {
    let cinema = try await cinema(films: 3)
    try cinema.save(Film("Up", year: 2009))
    var query = SearchQuery("up")
    query.maximumLag = .zero
    #expect(try await cinema.index.search(query).hits.count == 1)
    query.isIndexOnly = true
    let stale = await #expect(throws: FollowspotError.self) { try await cinema.index.search(query) }
    #expect(stale?.code == .stale)
    query.maximumLag = nil
    let old = try await cinema.index.search(query)
    #expect(old.hits.isEmpty && old.token == 1 && old.lag == 1)
    #expect(try #require(old.lagTime) > .zero)
    #expect(old.coverage.rows == old.coverage.documents && old.coverage.pending == 1 && old.coverage.isWhole)

    var later = SearchQuery("coco")
    (later.atLeast, later.patience) = (3, .zero)
    let missing = later
    let impatient = await #expect(throws: FollowspotError.self) { try await cinema.index.search(missing) }
    #expect(impatient?.code == .stale)
    later.patience = .seconds(600)
    let search = Task { [index = cinema.index, later] in try await index.search(later) }
    try cinema.save(Film("Coco", year: 2017))
    #expect(try await search.value.hits.map(\.title) == ["Coco"])
    later.atLeast = 1_000
    let endless = Task { [index = cinema.index, later] in try await index.search(later) }
    endless.cancel()
    await #expect(throws: CancellationError.self) { try await endless.value }
  }

  @Test func `wrong parameters are errors of usage`() async throws {
    let cinema = try await cinema(films: 1)
    var changes: [(inout SearchQuery) -> Void] = []
    changes.append { $0.offset = -1 }
    changes.append { $0.limit = -1 }
    changes.append { $0.maximumLag = .seconds(-1) }
    changes.append { ($0.isExpanded, $0.words) = (true, .all) }
    changes.append { $0.facets = ["colour"] }
    changes.append { $0.sort = [.init("colour")] }
    changes.append { $0.boosts = ["title"] }
    changes.append { $0.recency = .init("year", half: "soon") }
    changes.append { $0.fields = ["colour"] }
    changes.append { $0.section = "colour" }
    for change in changes {
      var query = SearchQuery("robot")
      change(&query)
      let wrong = query
      let error = await #expect(throws: FollowspotError.self) { try await cinema.index.search(wrong) }
      #expect(error?.code == .usage, "\(query)")
    }
  }

  @Test func `a query can be stored and read again`() throws {
    var query = SearchQuery("robots", isLiteral: true, kinds: ["Film"], offset: 3, limit: nil)
    (query.words, query.isExpanded, query.isCorrected) = (.any, true, false)
    (query.sort, query.boosts, query.recency) = ([.init("year", descends: true)], ["votes"], .init("seen", half: "30d"))
    (query.facets, query.section, query.fields, query.wantsSnippets) = (["year"], "kind", ["studio.name"], true)
    (query.isIndexOnly, query.maximumLag, query.atLeast, query.patience) = (true, .seconds(2), 7, .seconds(1))
    let data = try JSONEncoder().encode(query)
    #expect(try JSONDecoder().decode(SearchQuery.self, from: data) == query)
  }

  @Test func `a call in a cancelled task does not begin`() async throws {
    let cinema = try await cinema(films: 1)
    let index = cinema.index
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await index.search("robot") }, { _ = try await index.count("robot") },
      { _ = try await index.suggestions(for: "ro") }, { _ = try await index.explain("Film/p1", "robot") },
      { _ = try await index.update() }, { try await index.rebuild() },
    ]
    for call in calls {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await call()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(try await index.search("robot").matches == 1)
  }

  @Test(arguments: Rounds.seeds(1, long: 20))
  func `searches that are cancelled at any moment leave an index that answers`(_ seed: Int) async throws {
    var random = SeededGenerator(seed: seed)
    let cinema = try await cinema(films: 300)
    var query = SearchQuery("robot", limit: nil)
    (query.facets, query.wantsSnippets) = (["year", "tags"], true)
    for _ in 0..<60 {
      let search = Task { [index = cinema.index, query] in try await index.search(query).matches }
      let pause = Int.random(in: 0..<20_000, using: &random)
      try await Task.sleep(for: .microseconds(pause))
      search.cancel()
      do { #expect(try await search.value == 300) } catch { #expect(error is CancellationError) }
    }
    #expect(try await cinema.index.search(query).matches == 300)
  }
}
