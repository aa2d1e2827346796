// SPDX-License-Identifier: MIT

import Base
import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// Sorting, facets and snippets, which use the values of hits.
@Suite(.overlapping, .temporaryDirectory)
struct FieldsOfHitsTests {
  private let directory = TemporaryDirectory()

  private static let sorts = [
    "year", "year:desc", "rating:desc", "released", "title", "title:desc", "genres", "isFavorite",
  ]

  private struct Answers: Equatable {
    var orders: [String] = []
    var facets: [Facet] = []
  }

  private func answers(_ bench: IndexedStore, _ query: String) throws -> Answers {
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    var answers = Answers()
    for sort in Self.sorts {
      var request = SearchRequest(query: query)
      request.words = .any
      request.sort = SearchRequest.Sort.keys(sort) ?? []
      request.limit = nil
      request.overlayLimits.milliseconds = 1_000_000
      let whole = try searcher.search(request).hits.map(\.identifier.short)
      // Pages are parts of the complete result.
      var paged: [String] = []
      request.limit = 7
      while paged.count < whole.count {
        request.offset = paged.count
        let page = try searcher.search(request).hits.map(\.identifier.short)
        guard !page.isEmpty else { break }
        paged += page
      }
      #expect(paged == whole, "\(query) by \(sort)")
      answers.orders.append(sort + ": " + whole.joined(separator: " "))
    }
    var request = SearchRequest(query: query)
    request.words = .any
    request.limit = 1
    request.overlayLimits.milliseconds = 1_000_000
    request.facets = ["genres", "year", "isFavorite", "kind"]
    answers.facets = try searcher.search(request).facets
    for facet in answers.facets { #expect(try searcher.count(request, by: facet.field).facet == facet) }
    return answers
  }

  @Test(arguments: Rounds.seeds(2, full: 4, long: 60))
  func `sort orders and facets are the same with an overlay and without`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 50)
    try Indexer(bench.options()).catchUp()
    for _ in 0..<4 { try bench.saveRandomly() }
    let queries = ["*", "genres:drama", "year:1950..2000"]
    let before = try queries.map { try answers(bench, $0) }
    try Indexer(bench.options()).catchUp()
    for (query, before) in zip(queries, before) {
      #expect(try answers(bench, query) == before, "\(query), seed \(seed)")
    }
  }

  @Test func `a name, in upper or lower case, means the same field in queries, sort orders, facets and columns`() throws
  {
    let bench = try IndexedStore(in: directory, seed: 3, films: 30)
    try Indexer(bench.options()).catchUp()
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    let names = IndexVocabulary(storePath: bench.storePath, directory: bench.index).fields
    #expect(names.contains("people.name"))
    for name in names {
      let answers = try [name, name.uppercased(), name.lowercased()].map { typed in
        var request = SearchRequest(query: "has:\(typed)")
        request.sort = SearchRequest.Sort.keys(typed) ?? []
        request.facets = [typed]
        request.fields = [typed]
        let found = try searcher.search(request)
        return (found.hits.map(\.identifier.short), found.hits.map { $0.fields[typed] }, found.facets.map(\.values))
      }
      #expect(!answers[0].2[0].isEmpty, "\(name)")
      #expect(answers.dropFirst().allSatisfy { $0 == answers[0] }, "\(name)")
    }
  }

  /// An index of films with a title, a year, genres and a plot.
  private func fixture(_ films: [(title: String, year: Int64?, genres: String?, plot: String)]) throws -> Searcher {
    try makeStore(films).0
  }

  /// The same with a connection to the store.
  private func makeStore(_ films: [(title: String, year: Int64?, genres: String?, plot: String)]) throws -> (
    Searcher, Connection
  ) {
    let bench = try IndexedStore(seed: 1)
    try bench.store.save { save in
      for film in films {
        let values: [Value?] = [
          .text(film.title), .text(film.plot), film.year.map(Value.integer) ?? .null, .null, .null, .null,
          film.genres.map { .blob(Array($0.utf8)) } ?? .null, .null, .null, .null,
        ]
        try save.insert(bench.film, values)
      }
    }
    try Indexer(bench.options()).catchUp()
    return try (
      Searcher(storePath: bench.storePath, directory: bench.index), Connection(path: bench.storePath, access: .readOnly)
    )
  }

  private func titles(_ searcher: Searcher, by sort: String) throws -> [String] {
    var request = SearchRequest(query: "*")
    request.sort = SearchRequest.Sort.keys(sort) ?? []
    return try searcher.search(request).hits.map(\.title)
  }

  @Test func `numbers sort by size, texts ignoring case and accents, and records without a value come last`() throws {
    let searcher = try fixture([
      ("zoe", 2001, nil, ""), ("Élan", nil, #"["B"]"#, ""), ("apple", 800, #"["a"]"#, ""), ("Dune", 1984, nil, ""),
    ])
    #expect(try titles(searcher, by: "year") == ["apple", "Dune", "zoe", "Élan"])
    #expect(try titles(searcher, by: "year:desc") == ["zoe", "Dune", "apple", "Élan"])
    #expect(try titles(searcher, by: "TITLE") == ["apple", "Dune", "Élan", "zoe"])
    #expect(try titles(searcher, by: "title:desc") == ["zoe", "Élan", "Dune", "apple"])
    #expect(try titles(searcher, by: "genres") == ["apple", "Élan", "zoe", "Dune"])
    #expect(throws: OperationError.self) { try titles(searcher, by: "yeer") }
    for text in ["", ":desc", "year:down", "a:b:c"] { #expect(SearchRequest.Sort(text) == nil) }
  }

  @Test func `facets count each value of a hit once, ignore case, and show the most frequent spelling`() throws {
    let searcher = try fixture([
      ("a", 1, #"["Comedy","comedy","Drama"]"#, ""), ("b", 1, #"["comedy"]"#, ""), ("c", 2, #"["comedy"]"#, ""),
      ("d", nil, nil, ""),
    ])
    var request = SearchRequest(query: "*")
    request.facets = ["genres", "year"]
    let facets = try searcher.search(request).facets
    let told = facets.map { facet in
      facet.field + " " + facet.values.map { "\($0.text)=\($0.count)" }.joined(separator: " ")
    }
    #expect(told == ["genres comedy=3 Drama=1", "year 1=2 2=1"])
    request.query = "year:1"
    #expect(try searcher.count(request, by: "genres").facet?.values.map(\.count) == [2, 1])
  }

  @Test func `an empty text is not a value of facets, sections and orders`() throws {
    let (searcher, connection) = try makeStore([
      ("a", 1, #"["","Comedy"]"#, ""), ("b", 1, #"[""]"#, "x"), ("c", 2, #"["comedy",""]"#, "x"), ("", 3, "[]", "y"),
      ("d", 4, nil, ""),
    ])
    var request = SearchRequest(query: "*")
    request.facets = ["genres", "plot", "title"]
    request.section = "genres"
    let result = try searcher.search(request)
    for (facet, column) in zip(result.facets, ["ZGENRES", "ZPLOT", "ZTITLE"]) {
      let source =
        column == "ZGENRES"
        ? "ZFILM f, json_each(CAST(f.ZGENRES AS TEXT)) j WHERE lower(j.value) <> ''"
        : "ZFILM f WHERE \(column) <> ''"
      let value = column == "ZGENRES" ? "lower(j.value)" : column
      let statement = try connection.cursor(
        "SELECT \(value), COUNT(DISTINCT f.Z_PK) FROM \(source) GROUP BY 1 ORDER BY 2 DESC, 1")
      var rows: [[String]] = []
      while try statement.step() { rows.append([statement.text(at: 0), "\(statement.integer(at: 1))"]) }
      #expect(facet.values.map { [$0.text.lowercased(), "\($0.count)"] } == rows, "\(column)")
      #expect(try searcher.count(request, by: facet.field).facet == facet)
    }
    #expect(result.hits.map { $0.section ?? "-" }.sorted() == ["", "", "", "Comedy", "comedy"])
    #expect(try titles(searcher, by: "genres").prefix(2) == ["a", "c"])
    #expect(try titles(searcher, by: "title") == ["a", "b", "c", "d", ""])
  }

  @Test func `a query is expanded by the words of its best hits only on request`() throws {
    let searcher = try fixture(
      [
        ("Robots", nil, nil, "An android in a factory of androids."), ("Robot love", nil, nil, "The android dreams."),
        ("Blade", nil, nil, "Hunting an android."), ("Garden", nil, nil, "Flowers and trees."),
        ("Rain", nil, nil, "Water on the road."), ("Snow", nil, nil, "A cold day."),
      ])
    var request = SearchRequest(query: "robot")
    #expect(try searcher.search(request).hits.map(\.title).sorted() == ["Robot love", "Robots"])
    request.expands = true
    let found = try searcher.search(request)
    #expect(Set(found.hits.prefix(2).map(\.title)) == ["Robots", "Robot love"])
    #expect(found.hits.map(\.title).contains("Blade"))
    #expect(!found.hits.map(\.title).contains("Rain"))
    #expect(found.notes.first?.hasPrefix("expanded by the stems of the best hits: ") == true)
    #expect(found.notes.first?.contains(" android") == true)
    request.query = "robot AND love"
    #expect(try searcher.search(request).hits.map(\.title) == ["Robot love"])
  }

  /// The snippet with matches in brackets.
  private func marked(_ snippet: Snippet?) -> String {
    guard let snippet else { return "-" }
    let scalars = Array(snippet.text.unicodeScalars)
    var text = snippet.isTruncatedBefore ? "…" : ""
    for (place, scalar) in scalars.enumerated() {
      if snippet.highlights.contains(where: { $0.lowerBound == place }) { text += "[" }
      text.unicodeScalars.append(scalar)
      if snippet.highlights.contains(where: { $0.upperBound == place + 1 }) { text += "]" }
    }
    return snippet.field + ": " + text + (snippet.isTruncatedAfter ? "…" : "")
  }

  @Test func `a snippet highlights combining marks and words that the index truncates`() throws {
    let long = String(repeating: "x", count: 30) + String(repeating: "y", count: 50)
    let decomposed = "cafe\u{301}"
    let searcher = try fixture([("The Moon", 1, nil, "A \(decomposed) with \(long) inside")])
    for (query, word) in [("cafe", decomposed), (decomposed, decomposed), (long, long), ("xxxxxxxx*", long)] {
      var request = SearchRequest(query: query)
      request.wantsSnippets = true
      let snippet = try #require(try searcher.search(request).hits.first?.snippet, "\(query)")
      let scalars = Array(snippet.text.unicodeScalars)
      let found = snippet.highlights.map { range in String(String.UnicodeScalarView(scalars[range])) }
      #expect(found.map { Array($0.unicodeScalars) } == [Array(word.unicodeScalars)], "\(query)")
    }
  }

  @Test(arguments: [
    ("running", "plot: He [runs] a café, and the O'Brien twins drink Ärger-free tea."),
    ("CAFES", "plot: He runs a [café], and the O'Brien twins drink Ärger-free tea."),
    ("o'brien", "plot: He runs a café, and the [O'Brien] twins drink Ärger-free tea."),
    ("arger", "plot: He runs a café, and the O'Brien twins drink [Ärger]-free tea."),
    ("\"twins drink\"", "plot: He runs a café, and the O'Brien [twins] [drink] Ärger-free tea."),
    ("dri*", "plot: He runs a café, and the O'Brien twins [drink] Ärger-free tea."),
    ("tea -coffee", "plot: He runs a café, and the O'Brien twins drink Ärger-free [tea]."),
    ("title:tea OR plot:twins", "plot: He runs a café, and the O'Brien [twins] drink Ärger-free tea."),
    ("moon", "title: The [Moon]"), ("year:1..5", "-"), ("*", "-"),
  ])
  func `a snippet highlights matches as the text spells them`(query: String, expected: String) throws {
    let searcher = try fixture([("The Moon", 1, nil, "He runs a café, and the O'Brien twins drink Ärger-free tea.")])
    var request = SearchRequest(query: query)
    request.wantsSnippets = true
    #expect(marked(try searcher.search(request).hits.first?.snippet) == expected)
  }

  @Test func `the snippet of a long text is the passage with most words of the query`() throws {
    let filler = (0..<200).map { "word\($0)" }.joined(separator: " ")
    let text = "red \(filler) red moon rising \(filler) moon"
    let searcher = try fixture([("a", nil, nil, text)])
    var request = SearchRequest(query: "red moon")
    request.wantsSnippets = true
    let snippet = try #require(try searcher.search(request).hits.first?.snippet)
    #expect(marked(snippet).contains(" word199 [red] [moon] rising word0 "))
    #expect(snippet.isTruncatedBefore && snippet.isTruncatedAfter)
    #expect(snippet.text.unicodeScalars.count <= 160)
    #expect(text.contains(snippet.text))
  }
}
