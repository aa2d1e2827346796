// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

@Suite(.overlapping, .temporaryDirectory)
struct CorrectionTests {
  private static let films =
    [
      "Toy Story", "Tom", "Tom Thumb", "To Be", "The Terminator", "Terminal", "Arnold Schwarzenegger", "Café", "東京",
      "T2000",
    ]
    .map { ($0, nil as String?) }

  @Test(
    arguments: [
      ("toi", "toy"), ("title:toi", "title:toy"), ("terminater", "terminator"),
      ("Schwarzeneger arnold", "schwarzenegger arnold"),
      ("erminator", "terminator"), ("etrminator", "terminator"), ("xerminator", "terminator"),
      ("tterminator", "terminator"), ("exminator", nil), ("cofe", "cafe"), ("toi -tomm", "toy -tomm"),
      ("toy -storri", nil), ("toi -toi", "toy -toi"), ("(toi) NOT toi", "(toy) NOT toi"),
      ("toi NOT tomm", "toy NOT tomm"),
      ("toi OR tomm", "toy OR tom"), ("toi toi story", "toy toy story"), ("toy", nil), ("TOY", nil), ("toys", nil),
      ("zz", nil), ("zzzzzzzz", nil), ("T2001", nil), ("\"toi\"", nil), ("toi*", nil), ("tb", nil), ("東", nil),
      ("toi-stori", nil), ("*", nil),
    ] as [(String, String?)])
  func `a word that occurs nowhere is corrected to the closest word of the index`(_ query: String, _ corrected: String?)
    throws
  {
    let titles = try Titles(Self.films)
    let found = try titles.search(query)
    #expect(found.corrected == corrected)
    #expect(found.notes.contains { $0.hasPrefix("corrected to: ") } == (corrected != nil))
    if let corrected {
      #expect(found.notes == ["corrected to: \(corrected)"])
      #expect(found.hits.map(\.title) == (try titles.search(corrected).hits.map(\.title)))
      #expect(!found.hits.isEmpty)
    }
    let strict = try titles.search(query) { $0.mayApproximate = false }
    #expect(strict.corrected == nil)
  }

  private static let catalogue: [(String, String?)] = [
    (
      "Double Impact",
      "Jean-Claude Van Damme fights. Van Damme wins. A certain Adamme waits a lot, and lots of others do."
    ),
    ("Lionheart", "Van Damme again, in an adamant mood"), ("Lot of Lots", "a lot of lots"),
    ("The Bronze", nil), ("Bronze Age", "brozo"), ("Godson", "gadsen"), ("PostgreSQL-15-jit-llvm", nil),
    ("Wi-Fi", "wireless networks"), ("The Matrix", "matrix"),
  ]

  @Test(
    arguments: [
      // Two words without the space between them.
      ("vandamme", "\"van damme\""), ("title:thematrx", nil), ("plot:vandamme", "plot:\"van damme\""),
      // Short words keep their first letter, and the mistake must be likely.
      ("lotr", nil), ("xot", nil), ("lto", "lot"), ("lott", "lot"), ("lut", "lot"), ("lpt", nil), ("ronze", nil),
      // Frequent words and words of titles are preferred.
      ("broze", "bronze"), ("gadson", "godson"),
      // Joined compounds are not written words.
      ("wifii", nil), ("wifu", nil), ("postgresqljitllvm", nil), ("postgresql15jitllvn", nil),
      // The edit distance is at most two.
      ("mattrixx", "matrix"), ("mattrrixx", nil),
    ] as [(String, String?)])
  func `a correction is a frequent word that occurs in a text and explains a likely mistake`(
    _ query: String, _ corrected: String?
  ) throws {
    let titles = try Titles(Self.catalogue)
    let found = try titles.search(query)
    #expect(found.corrected == corrected)
    guard let corrected else { return }
    #expect(found.hits.map(\.title) == (try titles.search(corrected).hits.map(\.title)))
    #expect(!found.hits.isEmpty)
  }

  @Test func `a joined compound that no text contains is neither suggested nor added by expansion`() throws {
    let films = ["postgresql-15-llvm", "postgresql-15-llvm tools", "a postgresql server"].map {
      ($0, "server and jit-llvm for linux" as String?)
    }
    let titles = try Titles(films)
    func suggested(_ text: String) throws -> [String] {
      try titles.searcher.suggestions(for: SearchRequest(query: text)).suggestions.filter { $0.kind != .title }.map(
        \.text)
    }
    #expect(try suggested("postg") == ["postgresql"])
    #expect(try suggested("title:postg") == ["title:postgresql"])
    #expect(try suggested("jitl") == [])
    let notes = try titles.search("postgresql") { $0.expands = true }.notes
    #expect(notes.contains { $0.contains("linux") })
    #expect(!notes.contains { $0.contains("jitllvm") })
    // The compound still finds the record.
    #expect(try titles.search("postgresql15llvm").hits.count == 2)
  }

  @Test func `at most four words are corrected`() throws {
    let titles = try Titles([("alpha bravo charlie delta foxtrot", nil)])
    #expect(
      try titles.search("alpho brava charlia dolta foxtrod").corrected == "alpha bravo charlie delta foxtrod")
  }

  @Test func `corrections include changes at once`() throws {
    let titles = try Titles([("Toys", nil)])
    #expect(try titles.search("tays").corrected == "toys")
    try titles.bench.store.save { save in
      try save.update(titles.bench.film, key: 1, [(attribute: 0, value: .text("Tays"))])
    }
    for isIndexed in [false, true] {
      if isIndexed { try Indexer(titles.bench.options()).catchUp() }
      #expect(try titles.search("tays").corrected == nil)
      #expect(try titles.search("toys").corrected == "tays")
    }
  }

  @Test func `a word whose documents an overlay hides is not a correction`() throws {
    let titles = try Titles([("terminator", nil), ("terminatos", nil)])
    try titles.bench.store.save { save in
      try save.update(titles.bench.film, key: 2, [(attribute: 0, value: .text("other"))])
    }
    for isIndexed in [false, true] {
      if isIndexed { try Indexer(titles.bench.options()).catchUp() }
      #expect(try titles.search("terminaetos").corrected == "terminator")
    }
  }

  /// A simple implementation of the same edit distance.
  private static func plain(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var table = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for i in 0...left.count {
      for j in 0...right.count {
        guard i > 0, j > 0 else {
          table[i][j] = i + j
          continue
        }
        table[i][j] = min(
          table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1))
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
        }
      }
    }
    return table[left.count][right.count]
  }

  @Test(arguments: 0..<20)
  func `edit distances equal those of a simple implementation, up to the limit`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    func word() -> String {
      String((0..<Int.random(in: 0...7, using: &random)).map { _ in "abcé日".randomElement(using: &random) ?? "a" })
    }
    for _ in 0..<300 {
      let (wanted, other, most) = (word(), word(), Int.random(in: 0...3, using: &random))
      var distance = BoundedEditDistance(to: Array(wanted.unicodeScalars))
      let exact = Self.plain(Array(wanted.unicodeScalars), Array(other.unicodeScalars))
      let found = Array(other.utf8).withUnsafeBytes { distance.from($0, atMost: most) }
      #expect(found == (exact <= most ? exact : nil), "\(wanted) \(other)")
    }
  }
}
