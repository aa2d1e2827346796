// SPDX-License-Identifier: MIT

import Base
import SQLite
internal import Store
import TestSupport
import Testing

@testable internal import Followspot
@testable import SearchIndex

/// Queries of people who do not know the query language.
@Suite(.overlapping, .temporaryDirectory)
struct TypedQueryTests {
  /// Films of the years 1989 to 1992. Their plots also contain the year.
  private static func fixture() throws -> Titles {
    let years = [1989, 1990, 1991, 1992]
    let titles = try Titles(years.map { ("film \($0)", "year 1990") })
    try titles.bench.store.save(author: "bob") { save in
      for (key, year) in years.enumerated() {
        try save.update(titles.bench.film, key: Int64(key + 1), [(attribute: 2, value: .integer(Int64(year)))])
      }
    }
    return titles
  }

  @Test(arguments: [
    ("year = 1990", "year:1990"), ("year=1990", "year:1990"), ("year =1990", "year:1990"), ("year= 1990", "year:1990"),
    ("Year == 1990", "year:1990"), ("year>1990", "year:>1990"), ("year > 1990", "year:>1990"),
    ("year >= 1990", "year:>=1990"), ("year>=1990", "year:>=1990"), ("year < 1990", "year:<1990"),
    ("year<=1990", "year:<=1990"), ("year: >= 1991", "year:>=1991"), ("year:>= 1991", "year:>=1991"),
    ("year = 1990..1991", "year:1990..1991"), ("year != 1990", "-year:1990"), ("-year>1990", "-year:>1990"),
    ("film year>1990 year <1992", "film year:>1990 year:<1992"),
    ("(year=1989 OR year = 1992)", "(year:1989 OR year:1992)"), ("title = \"film 1990\"", "title:\"film 1990\""),
    ("author = bob", "author:bob"), ("tx>=2", "tx:>=2"), ("kind = film", "kind:Film"),
  ])
  func `a comparison with a field is a condition`(_ typed: String, _ meant: String) throws {
    let titles = try Self.fixture()
    let found = try titles.all(typed)
    #expect(found == (try titles.all(meant)))
    #expect(!found.isEmpty)
  }

  @Test(arguments: ["film = 1990", "title > 1990", "author > bob", "year =", "= year", "year > )x"])
  func `a comparison with anything else is words`(_ typed: String) throws {
    let titles = try Self.fixture()
    let fields = FieldTable(
      definition: titles.searcher.index.definition, model: titles.bench.store.layout.shape)
    func root(_ fields: FieldTable?) -> QueryNode? { try? QueryParser.parse(typed, fields: fields).root }
    #expect(root(fields) == root(nil))
  }

  @Test(arguments: [
    "year = 1990", "year>1990", "film year >= 1990", "yeer = 1990", "film = x", "f*m", "fi*m", "/film/",
  ])
  func `an ambiguous query is refused if it selects records to change`(_ typed: String) throws {
    let titles = try Self.fixture()
    let error = #expect(throws: QueryError.self) { try titles.search(typed) { $0.isStrict = true } }
    #expect(error?.message.hasSuffix("; nothing was changed") == true)
    #expect(error?.recovery != nil)
    #expect(!(try titles.search("year:>=1990 film") { $0.isStrict = true }).hits.isEmpty)
  }

  @Test(arguments: [
    ("year:1992..1990", "year:1990..1992", 5), ("year:2k..1k", "year:1k..2k", 5),
    ("released:2010..1995", "released:1995..2010", 9), ("changed:today..yesterday", "changed:yesterday..today", 8),
    ("film tx:3..1", "tx:1..3", 8),
  ])
  func `a reversed range is refused with a hint to the intended range`(
    _ typed: String, _ meant: String, _ offset: Int
  ) throws {
    let titles = try Self.fixture()
    let error = #expect(throws: QueryError.self) { try titles.search(typed) }
    #expect(error?.message.hasSuffix("ends before it begins") == true)
    #expect(error?.recovery == .examples([meant]))
    #expect(error?.offset == offset)
    _ = try titles.search(meant)
  }

  @Test func `a comparison with an unknown field is refused, not searched as words`() throws {
    let titles = try Self.fixture()
    for typed in ["yeer>1990", "yeer >= 1990", "toy yeer<3"] {
      let error = #expect(throws: QueryError.self) { try titles.search(typed) }
      #expect(error?.message == "no field is named 'yeer'")
    }
    #expect(try titles.search("yeer>1990") { $0.isLiteral = true }.hits.isEmpty)
  }

  @Test func `a range within its last period is not reversed`() throws {
    let titles = try Self.fixture()
    for query in ["released:1995-11..1995", "year:1990..1990", "changed:2d..1d"] { _ = try titles.search(query) }
  }

  @Test func `a star inside a word matches any letters`() throws {
    let films = ["libopenssl", "libssl", "libgnutls", "libwolfsslcpp", "libreSSL", "ssl", "Ostéologie"]
    let titles = try Titles(films.map { ($0, nil) })
    #expect(try titles.all("lib*ssl").sorted() == ["libopenssl", "libreSSL", "libssl"])
    #expect(try titles.all("lib*ssl*").sorted() == ["libopenssl", "libreSSL", "libssl", "libwolfsslcpp"])
    #expect(try titles.all("LIB*S*L") == (try titles.all("lib*s*l")))
    #expect(try titles.all("title:lib*open*") == ["libopenssl"])
    #expect(try titles.all("title:(lib*tls OR ost*gie)").sorted() == ["Ostéologie", "libgnutls"])
    #expect(try titles.all("lib* -lib*ssl*") == ["libgnutls"])
    #expect(try titles.all("*ssl").sorted() == ["libopenssl", "libreSSL", "libssl", "ssl"])
    #expect(try titles.all("title:*SSL*").sorted() == ["libopenssl", "libreSSL", "libssl", "libwolfsslcpp", "ssl"])
    #expect(try titles.all("*teolo*") == ["Ostéologie"])
    #expect(try titles.all("lib* -*ssl*") == ["libgnutls"])
    #expect(try titles.all("*o*ssl*").sorted() == ["libopenssl", "libwolfsslcpp"])
    for plain in ["lib*ssl", "*ssl*"] { #expect(try titles.search(plain).notes.isEmpty) }
  }

  @Test func `words beside signs of the same word and letters without blanks are found`() throws {
    let titles = try Titles(
      ["B&한국 Potato", "BTS’의 Dynamite", "Girls'東京 Gardenia now", "salt&pepper", "an _important_ notice", "Disney+"].map
      { ($0, nil) })
    let found = [
      ("potato", "B&한국 Potato"), ("dynamite", "BTS’의 Dynamite"), ("\"gardenia now\"", "Girls'東京 Gardenia now"),
      ("東京", "Girls'東京 Gardenia now"), ("girls", "Girls'東京 Gardenia now"), ("salt", "salt&pepper"),
      ("pepp*", "salt&pepper"), ("salt&pepper", "salt&pepper"), ("important", "an _important_ notice"),
      ("imp*ant", "an _important_ notice"), ("disney", "Disney+"), ("disney+", "Disney+"),
    ]
    for (query, title) in found { #expect(try titles.all(query) == [title], "\(query)") }
    #expect(try titles.all("disney* NOT disney") == [])
  }

  @Test func `a comparison of words with a pattern that takes too long says so`() throws {
    let titles = try Titles([("libssl", nil)])
    try titles.searcher.withView(SearchRequest(query: "*ssl*")) { view in
      func lowered(mayApproximate: Bool) throws -> (query: Query, notes: [String]) {
        var lowering = QueryLowering(
          view: view, now: 0,
          budget: QueryBudget(query: "*ssl*", mayApproximate: mayApproximate, patternTime: .zero))
        return (try lowering.pattern("*ssl*", view.prefixesByTitle, offset: 0), lowering.budget.notes)
      }
      let found = try lowered(mayApproximate: true)
      #expect(found.query == .nothing)
      #expect(
        found.notes == [
          "comparing *ssl* with the words of the index takes more than 250 ms: only those that were found until then "
            + "are searched"
        ])
      let refused = #expect(throws: QueryError.self) { try lowered(mayApproximate: false) }
      #expect(refused?.recovery == .narrow(["title:*ssl*", "ssl*"]))
    }
  }

  @Test(arguments: [
    ("*ry", "a * needs"), ("t*y", "a * needs"), ("title:*ry", "a * needs"), ("toy-*ry", "a * needs"),
    ("/story/", "queries do not support regular expressions"),
    ("title:/story/", "queries do not support regular expressions"),
    ("title:!story", "a - before a word"), ("title:-story", "a - before a word"),
  ])
  func `syntax of another query language is searched as words, with a note`(_ typed: String, _ note: String) throws {
    let titles = try Titles([("Toy Story", nil)])
    let notes = try titles.search(typed).notes
    #expect(notes.contains { $0.hasPrefix(note) && $0.hasSuffix("is searched as words") })
    #expect(!(try titles.search(typed) { $0.isLiteral = true }).notes.contains { $0.hasPrefix(note) })
    for plain in ["/usr/bin/", "**", "a/b", "toy*", "\"*story\""] {
      let notes = try titles.search(plain).notes
      #expect(!notes.contains { $0.hasSuffix("is searched as words") }, "\(plain)")
    }
  }

  // MARK: Nothing found

  private static let nearest: [(String, String, Int)] = [
    // Without the part whose removal finds most records.
    ("toy year:3000", "toy", 2), ("toy AND zzzz", "toy", 2),
    ("year:3000 plot:zzzz toy", "toy", 2),
    // Another field, then any.
    ("plot:woody", "title:woody", 1), ("plot:\"toy story\"", "title:\"toy story\"", 1),
    // Other forms of a word.
    ("mons", "mons*", 1), ("monsterz*", "monster*", 1), ("\"story toy\"", "story toy", 2),
    ("story NEAR/1 woody", "story woody", 2),
    // The closest value in the field.
    ("year:3000", "year:1990", 4), ("year:>=1995", "year:1990", 4), ("year:..1900", "year:1990", 4),
    ("mons*zz", "mons*", 1), ("*onste", "*onste*", 1),
    // The words of a compound.
    ("toy-storx", "toy story", 2), ("zzzz-woody", "zzzz woody", 1),
  ]

  @Test(arguments: nearest)
  func `if nothing is found, the nearest query that finds something is offered`(
    _ typed: String, _ offered: String, _ count: Int
  ) throws {
    let titles = try Titles([("Toy Story", nil), ("Toy Soldiers", nil), ("Monsters", nil), ("Woody", nil)])
    try titles.bench.store.save { save in
      for key in 1...4 { try save.update(titles.bench.film, key: Int64(key), [(attribute: 2, value: .integer(1990))]) }
    }
    let result = try titles.search(typed)
    #expect(result.hits.isEmpty)
    #expect(result.nearest?.query == offered)
    #expect(result.nearest?.count == count)
    #expect(try titles.search(offered).estimated == count)
    #expect(try titles.search(offered).nearest == nil)
  }

  @Test(arguments: ["zzzzqqqq", "is:favorite", "zzzz-qqqq"])
  func `no query is offered if none of its parts finds anything`(query: String) throws {
    let titles = try Titles([("Toy Story", nil)])
    #expect(try titles.search(query).nearest == nil)
  }

  @Test func `the nearest query keeps the rest of a request`() throws {
    do {
      let titles = try Titles([("Toy Story", nil), ("Toy Soldiers", nil)])
      let all = try titles.search("toy story soldiers") { $0.words = .all }
      #expect(all.nearest?.query == "toy story" || all.nearest?.query == "toy soldiers")
      #expect(all.nearest?.words == .all && all.nearest?.count == 1)
      let counted = try titles.searcher.count(SearchRequest(query: "toyy"))
      #expect(counted.count == 0 && counted.nearest?.query == "toy" && counted.nearest?.count == 2)
      #expect(try titles.searcher.count(SearchRequest(query: "toy")).nearest == nil)
      let literal = try titles.search("title:toy") { ($0.isLiteral, $0.words) = (true, .all) }
      #expect(literal.nearest?.query == "title:toy" && literal.nearest?.isLiteral == false)
      // An empty page after the last one does not mean that nothing was found.
      #expect(try titles.search("toy") { $0.offset = 10 }.nearest == nil)
    }
    let titles = try Titles([])
    #expect(try titles.search("toy").nearest == nil)
  }
}
