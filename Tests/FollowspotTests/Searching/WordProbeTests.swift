// SPDX-License-Identifier: MIT

import SearchIndex
import Store
import TestSupport
import Testing

@testable import Followspot

/// Words that are spelled differently in the query and in the text.
@Suite(.overlapping, .temporaryDirectory)
struct WordProbeTests {
  private static let films = [
    "WALL-E", "O'Brien's Café", "It's a Gift", "Spider-Man", "ToyStory", "Toy Soldiers", "Learn C++", "C# by night",
    "node.js", "user_name", "Apollo13", "HTMLParser", "iPhone", "McDonald", "東京タワー", "서울의 봄", "Mädchen", "Straße",
    "İstanbul", "ILIK", "Alien³", "1,000,000 Ways", "AC/DC", "Rock’n’Roll", "AT&T", "Se7en", "Ｗｉｄｅ",
    "naïve soft\u{ad}ware",
    "U.S.A.", "1990-1995", "Amélie Poulain", "L’amour fou",
  ]

  private static let probes: [(String, [String])] = [
    ("wall-e", ["WALL-E"]), ("WALL-E", ["WALL-E"]), ("walle", ["WALL-E"]), ("wall e", ["WALL-E"]),
    ("WALL·E", ["WALL-E"]),
    ("o'brien", ["O'Brien's Café"]), ("O’Brien", ["O'Brien's Café"]), ("obrien's", ["O'Brien's Café"]),
    ("brien", ["O'Brien's Café"]), ("cafe", ["O'Brien's Café"]), ("CAFÉ", ["O'Brien's Café"]),
    ("cafe\u{301}", ["O'Brien's Café"]), ("it's gift", ["It's a Gift"]), ("its gift", ["It's a Gift"]),
    ("spider-man", ["Spider-Man"]), ("spiderman", ["Spider-Man"]), ("spider man", ["Spider-Man"]),
    ("spider\u{2011}man", ["Spider-Man"]), ("man spider", ["Spider-Man"]), ("man-spider", []),
    ("toy story", ["ToyStory"]), ("ToyStory", ["ToyStory"]), ("toystory", ["ToyStory"]),
    ("toy", ["Toy Soldiers", "ToyStory"]),
    ("ToySoldiers", ["Toy Soldiers"]), ("c++", ["Learn C++"]), ("C#", ["C# by night"]), ("c", []),
    ("node.js", ["node.js"]), ("nodejs", ["node.js"]), ("node js", ["node.js"]), ("user_name", ["user_name"]),
    ("username", ["user_name"]), ("user name", ["user_name"]), ("user-name", ["user_name"]),
    ("apollo 13", ["Apollo13"]), ("apollo13", ["Apollo13"]), ("apollo-13", ["Apollo13"]),
    ("html parser", ["HTMLParser"]),
    ("htmlparser", ["HTMLParser"]), ("iphone", ["iPhone"]), ("phone", ["iPhone"]), ("donald", ["McDonald"]),
    ("東京", ["東京タワー"]), ("タワー", ["東京タワー"]), ("東京タワー", ["東京タワー"]), ("京東", []), ("서울", ["서울의 봄"]),
    ("madchen", ["Mädchen"]), ("maedchen", ["Mädchen"]), ("MÄDCHEN", ["Mädchen"]), ("strasse", ["Straße"]),
    ("STRASSE", ["Straße"]), ("straße", ["Straße"]), ("istanbul", ["İstanbul"]), ("ISTANBUL", ["İstanbul"]),
    ("ılık", ["ILIK"]), ("alien3", ["Alien³"]), ("alien 3", ["Alien³"]), ("alien³", ["Alien³"]),
    ("1000000", ["1,000,000 Ways"]), ("1,000,000", ["1,000,000 Ways"]), ("ac/dc", ["AC/DC"]), ("acdc", ["AC/DC"]),
    ("rock'n'roll", ["Rock’n’Roll"]), ("rocknroll", ["Rock’n’Roll"]), ("rock roll", ["Rock’n’Roll"]),
    ("at&t", ["AT&T"]),
    ("att", ["AT&T"]), ("se7en", ["Se7en"]), ("wide", ["Ｗｉｄｅ"]), ("ｗｉｄｅ", ["Ｗｉｄｅ"]),
    ("software", ["naïve soft\u{ad}ware"]), ("naive", ["naïve soft\u{ad}ware"]), ("usa", ["U.S.A."]),
    ("u.s.a.", ["U.S.A."]),
    ("1990", ["1990-1995"]), ("19901995", []), ("amelie", ["Amélie Poulain"]), ("amour", ["L’amour fou"]),
    ("l'amour", ["L’amour fou"]), ("lamour", ["L’amour fou"]),
  ]

  @Test func `a word finds its other spellings`() throws {
    // The German stemmer gives `maedchen` and `mädchen` the same stem.
    let titles = try Titles(Self.films.map { ($0, nil) }, definition: Self.definition)
    for (query, expected) in Self.probes {
      let found = try titles.search(query) {
        $0.words = .all
        $0.mayApproximate = false
      }
      #expect(found.hits.map(\.title).sorted() == expected.sorted(), "\(query)")
      let literal = try titles.search(query) {
        $0.words = .all
        $0.isLiteral = true
        $0.mayApproximate = false
      }
      #expect(literal.hits.map(\.title).sorted() == expected.sorted(), "\(query), literally")
    }
  }

  private static let definition = IndexDefinition(
    language: "english", stopWords: [],
    entities: [
      "Film": EntityDefinition(
        title: ["title"],
        fields: [
          FieldDefinition(name: "title", roles: [.text], weight: 5),
          FieldDefinition(name: "deutsch", path: "title", roles: [.text], languages: ["german"]),
        ])
    ])

  @Test func `each field is stemmed by its own language, in the index and in queries`() throws {
    let films = [("Häuser am See", nil), ("running", "Häuser")] as [(String, String?)]
    func definition(_ language: String?) -> IndexDefinition {
      IndexDefinition(
        language: "english", stopWords: [],
        entities: [
          "Film": EntityDefinition(
            title: ["title"],
            fields: [
              FieldDefinition(name: "title", roles: [.text]),
              FieldDefinition(name: "plot", roles: [.text], languages: language.map { [$0] } ?? []),
            ])
        ])
    }
    do {
      let titles = try Titles(films, definition: definition("german"))
      #expect(try titles.all("plot:haus") == ["running"])
      #expect(try titles.all("title:haus") == [])
      #expect(try titles.all("title:runs") == ["running"])
      #expect(try titles.all("haus") == ["running"])
      #expect(try titles.all("runs") == ["running"])
    }
    let titles = try Titles(films, definition: definition(nil))
    #expect(try titles.all("plot:haus") == [])
    #expect(try titles.all("plot:hausers") == ["running"])
  }

  @Test func `text in a script without spaces is widened to pairs of its letters`() throws {
    let titles = try Titles([("東京タワー", nil), ("東京物語", nil), ("京", nil)])
    let found = try titles.search("東京物語")
    #expect(found.hits.map(\.title) == ["東京物語", "東京タワー"])
    #expect(found.isWidened)
  }

  @Test func `a record whose title equals the query comes first`() throws {
    let plot = "alien alien alien alien"
    let films = [("Alien Alien", plot), ("The Alien", plot), ("Alien: Alien", plot), ("Alien", nil), ("ALIEN!", nil)]
    let titles = try Titles(films as [(String, String?)])
    #expect(Set(try titles.search("alien").hits.prefix(2).map(\.title)) == ["Alien", "ALIEN!"])
    #expect(try titles.search("the alien").hits.first?.title == "The Alien")
    #expect(
      try titles.search("\"alien alien\"").hits.prefix(2).map(\.title).sorted() == ["Alien Alien", "Alien: Alien"])
    #expect(try titles.search("alien") { $0.words = .any }.hits.count == 5)
  }

  @Test func `a word also finds its synonyms, but a synonym does not find the word`() throws {
    var definition = Self.definition
    definition.synonyms = ["film": ["movie", "motion picture"]]
    let films = ["Film", "Films", "The Movie", "Motion Picture", "Picture"].map { ($0, nil as String?) }
    let titles = try Titles(films, definition: definition)
    #expect(try titles.all("film").sorted() == ["Film", "Films", "Motion Picture", "The Movie"])
    #expect(try titles.all("Films").sorted() == ["Film", "Films", "Motion Picture", "The Movie"])
    #expect(try titles.all("title:film").sorted() == ["Film", "Films", "Motion Picture", "The Movie"])
    #expect(try titles.all("movie") == ["The Movie"])
    #expect(try titles.all("\"film\"") == ["Film"])
  }

  private static let compounds = ["Node.js", "nodejs", "node", "A/B/C", "abc", "wi-fi_kit", "wifikit", "l2tp+ipsec"]

  @Test(arguments: [
    ("node.js", ["Node.js", "nodejs"]), ("nodejs", ["Node.js", "nodejs"]), ("node-js", ["Node.js", "nodejs"]),
    ("abc", ["A/B/C", "abc"]), ("a/b/c", ["A/B/C", "abc"]), ("wifikit", ["wi-fi_kit", "wifikit"]),
    ("wi-fi-kit", ["wi-fi_kit", "wifikit"]), ("l2tpipsec", ["l2tp+ipsec"]), ("l2tp/ipsec", ["l2tp+ipsec"]),
  ])
  func `a compound is found however its parts are joined, in titles and in text`(
    _ query: String, _ written: [String]
  ) throws {
    do {
      let titles = try Titles(Self.compounds.map { ($0, nil) })
      #expect(try titles.all(query).sorted() == written)
      #expect(try titles.all("title:" + query).sorted() == written)
    }
    let plots = Self.compounds.map { (title: "of \($0.utf8.count) letters", plot: "tools and \($0) again" as String?) }
    let titles = try Titles(plots)
    #expect(try titles.search(query) { $0.words = .all }.estimated == written.count)
    #expect(try titles.search("plot:" + query) { $0.words = .all }.estimated == written.count)
  }

  @Test func `the second stage of ranking treats a compound and its parts as equal`() throws {
    for (query, title) in [("nodejs", "Node.js"), ("node.js", "nodejs"), ("xyz", "X/Y/Z"), ("x-y-z", "xyz")] {
      // The first stage ranks the others higher, because they contain the word often.
      let often = String(repeating: "\(query), \(title); ", count: 20)
      let films = [(title, "nothing"), ("new \(title) tools", often), ("other", often)]
      let titles = try Titles(films)
      #expect(try titles.search(query).hits.first?.title == title, "\(query)")
    }
  }

  @Test(arguments: [
    ("sci-fi", ["Science Fiction Now", "Sci-Fi", "SciFi Channel"]),
    ("sci fi", ["Science Fiction Now", "Sci-Fi", "SciFi Channel"]),
    ("dr strange", ["Doctor Strange", "Dr. Strange"]), ("doctor strange", ["Doctor Strange"]),
    ("science fiction", ["Science Fiction Now", "Fiction of Science"]), ("lord rings", ["Lord of the Rings"]),
    ("lotr", ["Lord of the Rings"]),
    ("motion pictures", ["Motion Picture", "The Movie"]),
    ("title:sci-fi", ["Science Fiction Now", "Sci-Fi", "SciFi Channel"]),
    ("channel sci fi", ["SciFi Channel"]), ("motion movie", []),
  ])
  func `synonyms can have several words, and a word can have several synonyms`(_ query: String, _ titled: [String])
    throws
  {
    var definition = Self.definition
    definition.synonyms = [
      "sci-fi": ["science fiction"], "dr": ["doctor"], "lotr": ["lord of the rings"], "motion picture": ["movie"],
    ]
    let films = [
      "Sci-Fi", "Science Fiction Now", "Fiction of Science", "SciFi Channel", "Doctor Strange", "Dr. Strange",
      "Doctor Who", "Strange",
      "Lord of the Rings", "The Rings", "Motion Picture", "The Movie", "Picture",
    ]
    do {
      let titles = try Titles(films.map { ($0, nil) }, definition: definition)
      #expect(try titles.all(query).sorted() == titled.sorted())
    }
    definition.synonyms = [:]
    let titles = try Titles(films.map { ($0, nil) }, definition: definition)
    #expect(!(try titles.all(query).contains("Science Fiction Now")) || query.hasPrefix("science"))
  }

  @Test func `a title with a synonym ranks below a title with the word, and above a text with the word`()
    throws
  {
    let fields = ["title", "plot"].map { FieldDefinition(name: $0, roles: [.text]) }
    let definition = IndexDefinition(
      language: "english", stopWords: [], synonyms: ["dr": ["doctor"]],
      entities: ["Film": EntityDefinition(title: ["title"], fields: fields)])
    let films = [
      ("Other", String(repeating: "dr strange met dr strange, ", count: 8)), ("Doctor Strange", nil),
      ("Dr Strange", nil),
    ]
    let titles = try Titles(films as [(String, String?)], definition: definition)
    #expect(try titles.search("dr strange").hits.map(\.title) == ["Dr Strange", "Doctor Strange", "Other"])
  }

  @Test func `a synonym of several words counts once, even in a widened query, and is explained as one`() throws {
    var definition = Self.definition
    definition.synonyms = ["science fiction": ["scifi"]]
    let films = ["Science and Fiction", "Scifi", "Science Fiction and Scifi", "Science", "Fiction Robot"]
    let titles = try Titles(films.map { ($0, nil) }, definition: definition)
    func score(_ key: Int64, _ words: SearchRequest.Words) throws -> (whole: Double, parts: [Explanation.Part]) {
      var request = SearchRequest(query: "science fiction")
      request.words = words
      let identifier = RecordURI(storeUUID: titles.bench.store.uuid, entityName: "Film", key: key)
      let explanation = try #require(try titles.searcher.explain(identifier, request))
      let found = try titles.search(request.query) { $0.words = words }.hits.first { $0.identifier.key == key }
      #expect(abs(explanation.score - (found?.score ?? 0)) < 0.0005)
      #expect(abs(explanation.parts.reduce(0) { $0 + $1.score } - explanation.score) < 0.0005)
      return (explanation.score, explanation.parts)
    }
    for key in 1...3 as ClosedRange<Int64> {
      let (all, any) = (try score(key, .all), try score(key, .any))
      #expect(all.parts.first { $0.role == .word }?.score == any.parts.first { $0.role == .word }?.score)
      #expect(any.parts.filter { $0.role == .word }.map(\.text) == ["science fiction"])
    }
    let single = try score(4, .widening)
    #expect(single.parts.filter { $0.role == .word }.map(\.isThere) == [true])
    #expect(try titles.search("science fiction") { $0.words = .any }.hits.count == 5)
  }

  @Test func `parts of an excluded word in a script without spaces are not searched`() throws {
    let titles = try Titles([("北京", nil), ("東京タワー", nil)])
    #expect(try titles.search("北京 -東京物語").hits.map(\.title) == ["北京"])
  }
}
