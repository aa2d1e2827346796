// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import TestSupport
import Testing

/// What a sign between letters means, in texts and in queries: one rule for each sign, compared with SQL on the rows.
@Suite(.overlapping, .temporaryDirectory)
struct SignTests {
  private enum Rule {
    /// Divides words. They are also found as one word: `wall-e` and `walle`.
    case joins
    /// Divides words.
    case divides
    /// Stands inside of a word: `rock'n'roll`. Its long parts are words as well.
    case stays
  }

  private static let signs: [(sign: String, rule: Rule)] = [
    ("_", .joins), ("&", .joins), ("-", .joins), (".", .joins), ("/", .joins), ("+", .joins), ("\u{b7}", .joins),
    ("\u{203f}", .joins), (";", .divides), (":", .divides), ("@", .divides), ("#", .divides), (",", .divides),
    ("'", .stays), ("\u{2019}", .stays),
  ]

  /// Six spellings with a sign, as parts of a text; an empty one is the sign.
  private static let spellings = [
    ["rose", "", "lily"], ["rose", "", "lily", "", "iris"], ["iris", "", "rose", "", "lily"], ["lily", "", "rose"],
    ["rose", " ", "lily"], ["roselily"],
  ]

  /// Each sign has words of its own, which begin with another letter.
  private static func spelled(_ parts: [String], _ sign: String, _ number: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number)))
    return parts.map {
      switch $0 {
      case "": sign
      case " ": $0
      case "roselily": "\(letter)rose\(letter)lily"
      default: letter + $0
      }
    }.joined()
  }

  /// The condition of SQL on the title.
  private static func condition(_ query: String, _ sign: String, _ rule: Rule) -> String {
    func has(_ text: String, replacing: String?) -> String {
      let title = replacing.map { "replace(ZTITLE, '\(quoted(sign))', '\($0)')" } ?? "ZTITLE"
      return "(' ' || \(title) || ' ') LIKE '% \(quoted(text)) %'"
    }
    func quoted(_ text: String) -> String { text.replacing("'", with: "''") }
    let (spaced, joined) = (query.replacing(sign, with: " "), query.replacing(sign, with: ""))
    if query.contains(" ") {
      return query.split(separator: " ").map { has(String($0), replacing: " ") }.joined(separator: " AND ")
    }
    switch rule {
    case .joins:
      return "(\(has(joined, replacing: "")))" + (spaced == query ? "" : " OR \(has(spaced, replacing: " "))")
    case .divides: return has(spaced, replacing: " ")
    case .stays:
      // The letters around the sign are whole words.
      let parts = ["", sign].flatMap { before in ["", sign].map { (before, $0) } }.map { before, after in
        "(' ' || ZTITLE || ' ') LIKE '%\(before.isEmpty ? " " : quoted(before))\(quoted(query))"
          + "\(after.isEmpty ? " " : quoted(after))%'"
      }
      return (parts + [has(joined, replacing: "")]).joined(separator: " OR ")
    }
  }

  @Test func `a text and a query are divided at the same signs, however the other is spelled`() throws {
    let texts = Self.signs.enumerated().flatMap { number, sign in
      Self.spellings.map { Self.spelled($0, sign.sign, number) }
    }
    let titles = try Titles(texts.map { ($0, nil) })
    let connection = try Connection(path: titles.bench.storePath, access: .readOnly)
    for (number, (sign, rule)) in Self.signs.enumerated() {
      for spelling in Self.spellings {
        let query = Self.spelled(spelling, sign, number)
        let condition = Self.condition(query, sign, rule)
        let rows = try connection.integer("SELECT COUNT(*) FROM ZFILM WHERE \(condition)")
        #expect((rows ?? 0) > 0)
        #expect(try titles.searcher.count(SearchRequest(query: query)).count == Int(rows ?? -1), "\(query)")
      }
    }
  }

  @Test func `a part of a name with low lines finds it as a phrase and as a beginning`() throws {
    let titles = try Titles([("local_cache_key", "of __init__"), ("cache_local", "local key"), ("key1;key2", "x&y")])
    for (query, found) in [
      ("local_cache", 1), ("cache_key", 1), ("\"local cache\"", 1), ("local-cache", 1), ("local_ca*", 1), ("loc*", 2),
      ("cache_local", 1), ("local key", 2), ("localcachekey", 1), ("init", 1), ("__init__", 1), ("key2", 1),
      ("key1", 1),
      ("\"x y\"", 1), ("xy", 1), ("LOCAL_CACHE_KEY", 1),
    ] {
      #expect(try titles.searcher.count(SearchRequest(query: query)).count == found, "\(query)")
    }
    let hit = try titles.search("local_cache") { $0.wantsSnippets = true }.hits[0]
    #expect(hit.snippet?.highlights == [0..<5, 6..<11])
  }
}
