// SPDX-License-Identifier: MIT

import Base
import TestSupport
import Testing

@testable import Followspot

@Suite(.overlapping)
struct QueryParserTests {
  private static func field(_ name: String, _ value: String, _ offset: Int, quoted: Bool = false) -> QueryNode {
    .field(name: name, value: value, isQuoted: quoted, offset: offset)
  }

  private static func bound(_ text: String, _ isInclusive: Bool = true) -> QueryNode.Bound {
    QueryNode.Bound(text: text, isInclusive: isInclusive)
  }

  private static let implicit: [(String, QueryNode)] = [
    ("toy", .word("toy")), ("  toy  ", .word("toy")), ("toy story", .and([.word("toy"), .word("story")])),
    ("\"toy story\"", .phrase("toy story")), ("\"\"", .phrase("")), ("toy*", .prefix("toy", offset: 0)),
    ("a toy*", .and([.word("a"), .prefix("toy", offset: 2)])), ("*", .everything), ("**", .word("**")),
    ("t*y*", .word("t*y*")), ("*toy", .pattern("*toy", offset: 0)), ("*toy*", .pattern("*toy*", offset: 0)),
    ("f:*toy*", field("f", "*toy*", 0)), ("-toy", .not(.word("toy"))), ("NOT toy", .not(.word("toy"))),
    ("--toy", .word("--toy")), ("-", .word("-")), ("- a", .and([.word("-"), .word("a")])),
    ("NOT NOT a", .not(.not(.word("a")))), ("-\"a b\"", .not(.phrase("a b"))), ("title:toy", field("title", "toy", 0)),
    ("a -title:toy", .and([.word("a"), .not(field("title", "toy", 3))])),
    ("title:\"toy story\"", field("title", "toy story", 0, quoted: true)), ("x: y", .and([.word("x:"), .word("y")])),
    ("x:", .word("x:")), ("12:30", .word("12:30")), ("a.b:c", field("a.b", "c", 0)), ("@id:c", field("@id", "c", 0)),
    ("a:b:c", field("a", "b:c", 0)), ("a:b*", field("a", "b*", 0)),
    ("y:1..2", .range(name: "y", low: bound("1"), high: bound("2"), offset: 0)),
    ("y:1..", .range(name: "y", low: bound("1"), high: nil, offset: 0)),
    ("y:..2", .range(name: "y", low: nil, high: bound("2"), offset: 0)),
    ("y:1...2", .range(name: "y", low: bound("1"), high: bound("2"), offset: 0)),
    ("y:1..<2", .range(name: "y", low: bound("1"), high: bound("2", false), offset: 0)),
    ("y:...5", .range(name: "y", low: nil, high: bound(".5"), offset: 0)),
    ("y:\"1 a\"..\"2 b\" c", .and([.range(name: "y", low: bound("1 a"), high: bound("2 b"), offset: 0), .word("c")])),
    ("y:\"1 a..b\"..", .range(name: "y", low: bound("1 a..b"), high: nil, offset: 0)),
    ("y:1..<\"2 b\"", .range(name: "y", low: bound("1"), high: bound("2 b", false), offset: 0)),
    ("y:..\"2 b\"", .range(name: "y", low: nil, high: bound("2 b"), offset: 0)),
    ("y:>=\"1 a\"", .range(name: "y", low: bound("1 a"), high: nil, offset: 0)),
    ("y:< \"2 b\"", .range(name: "y", low: nil, high: bound("2 b", false), offset: 0)),
    ("y:>1", .range(name: "y", low: bound("1", false), high: nil, offset: 0)),
    ("y:>=1", .range(name: "y", low: bound("1"), high: nil, offset: 0)),
    ("y:<1", .range(name: "y", low: nil, high: bound("1", false), offset: 0)),
    ("é y:<=1", .and([.word("é"), .range(name: "y", low: nil, high: bound("1"), offset: 2)])),
    ("and or not", .and([.word("and"), .word("or"), .word("not")])), ("ANDROID", .word("ANDROID")),
    ("a NEAR/5 b", .near(["a", "b"], distance: 5)), ("a NEAR b", .near(["a", "b"], distance: 10)),
    ("a NEAR/2 b NEAR/3 c d", .and([.near(["a", "b", "c"], distance: 3), .word("d")])),
    ("-a NEAR b", .and([.not(.word("a")), .word("NEAR"), .word("b")])), ("NEAR b", .and([.word("NEAR"), .word("b")])),
    ("a NEAR", .and([.word("a"), .word("NEAR")])), ("a near b", .and([.word("a"), .word("near"), .word("b")])),
    ("a NEAR/0 b", .and([.word("a"), .word("NEAR/0"), .word("b")])),
    ("a NEAR/101 b", .and([.word("a"), .word("NEAR/101"), .word("b")])), ("changed:2d", field("changed", "2d", 0)),
    ("a |", .word("a")), ("| a", .and([.word("|"), .word("a")])), ("|", .word("|")),
    ("f(x) y", .and([.word("f(x)"), .word("y")])), ("a\u{a0}b", .and([.word("a"), .word("b")])),
  ]

  private static let explicit: [(String, QueryNode)] = [
    ("a AND b", .and([.word("a"), .word("b")])), ("a OR b", .or([.word("a"), .word("b")])),
    ("a b OR c", .or([.and([.word("a"), .word("b")]), .word("c")])),
    ("a OR b AND c", .or([.word("a"), .and([.word("b"), .word("c")])])),
    ("a | b", .or([.word("a"), .word("b")])), ("a ||b c", .or([.word("a"), .and([.word("b"), .word("c")])])),
    ("a|b", .or([.word("a"), .word("b")])), ("a||b", .or([.word("a"), .word("b")])),
    ("(a)", .word("a")), ("((a))", .word("a")), ("(a OR b) c", .and([.or([.word("a"), .word("b")]), .word("c")])),
    ("-(a OR b)", .not(.or([.word("a"), .word("b")]))), ("a AND NOT b", .and([.word("a"), .not(.word("b"))])),
    ("x:(a OR \"b c\")", .or([field("x", "a", 0), field("x", "b c", 0, quoted: true)])),
    ("x:(a -b* )", .and([field("x", "a", 0), .not(field("x", "b*", 0))])),
    (
      "y:(\"1 a\"..2 OR >=\"5 b\" OR \"6 7\")",
      .or([
        .range(name: "y", low: bound("1 a"), high: bound("2"), offset: 0),
        .range(name: "y", low: bound("5 b"), high: nil, offset: 0), field("y", "6 7", 0, quoted: true),
      ])
    ),
    (
      "y:(1..2 OR >=5)",
      .or([
        .range(name: "y", low: bound("1"), high: bound("2"), offset: 0),
        .range(name: "y", low: bound("5"), high: nil, offset: 0),
      ])
    ),
    ("a OR(b)", .or([.word("a"), .word("b")])), ("(t:x)", field("t", "x", 1)),
  ]

  @Test(arguments: implicit)
  func `a query without operators is parsed to`(_ query: String, _ root: QueryNode) throws {
    let parsed = try QueryParser.parse(query)
    #expect(parsed.root == root && !parsed.isExplicit)
  }

  @Test(arguments: explicit)
  func `a query with operators is parsed to`(_ query: String, _ root: QueryNode) throws {
    #expect(try QueryParser.parse(query) == ParsedQuery(root: root, isExplicit: true))
  }

  @Test(
    arguments: [
      ("", nil), (" ", nil), ("OR a", 0), ("a OR", 4), ("AND a", 0), ("a AND", 5), ("a NOT", 5), ("()", 0),
      ("a (", 2), ("a (b", 2), ("a \"b", 2), ("a t:\"b", 4), ("a) b", 1), ("é )", 2), ("y:..", 2), ("y:>", 2),
      ("y:1..\"2", 5), ("y:\"1\"..\"", 7),
      ("a y:<=", 4), ("a NEAR \"b\"", 10), ("a NEAR t:b", 10), (String(repeating: "a", count: 4_097), nil),
    ] as [(String, Int?)])
  func `an error has the offset of the mistake`(_ query: String, _ offset: Int?) throws {
    let error = #expect(throws: QueryError.self) { try QueryParser.parse(query) }
    #expect(error?.offset == offset)
    #expect((error?.marked == nil) == (offset == nil))
  }

  @Test(arguments: [("(", ")"), ("-", ""), ("NOT ", "")])
  func `the depth of nesting is limited`(_ open: String, _ close: String) throws {
    func nested(_ count: Int) -> String {
      let inner = open == "-" ? String(repeating: "-(", count: count / 2) : String(repeating: open, count: count)
      return inner + "a" + String(repeating: open == "-" ? ")" : close, count: open == "-" ? count / 2 : count)
    }
    _ = try QueryParser.parse(nested(50))
    #expect(throws: QueryError.self) { try QueryParser.parse(nested(52)) }
  }

  @Test(
    arguments: [
      ("toy", .word("toy")), ("a AND (b", .and([.word("a"), .word("AND"), .word("(b")])),
      ("title:x \"y", .and([.word("title:x"), .word("\"y")])), ("*", .word("*")),
    ] as [(String, QueryNode)])
  func `literal text is parsed as words`(_ query: String, _ root: QueryNode) throws {
    #expect(try QueryParser.literal(query) == ParsedQuery(root: root, isExplicit: false))
  }

  @Test(arguments: ["", " \n", String(repeating: "a", count: 4_097)])
  func `literal text that is empty or too long is refused`(query: String) {
    #expect(throws: QueryError.self) { try QueryParser.literal(query) }
  }

  private static let pieces = [
    "AND", "OR", "NOT", "(", ")", "-", "\"", "*", " ", " ", "a", "toy", "title:", "year:", "..", ">=", "<", ":", "é",
    "\u{301}", "\u{0}", "\n", "\u{200d}", "🎬", "x.y:", "@", "_", "1",
  ]

  @Test(arguments: 0..<150)
  func `a random text is parsed or refused, and the offset of an error is inside the text`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var query = ""
    if seed.isMultiple(of: 2) {
      let bytes = (0..<Int.random(in: 0...1_300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      query = String(decoding: bytes, as: UTF8.self)
    } else {
      for _ in 0..<Int.random(in: 0...800, using: &random) { query += Self.pieces.randomElement(using: &random) ?? "" }
    }
    let parsers: [(String) throws -> ParsedQuery] = [{ try QueryParser.parse($0) }, { try QueryParser.literal($0) }]
    for parse in parsers {
      do {
        _ = try parse(query)
      } catch let error as QueryError {
        #expect((0...query.count).contains(error.offset ?? 0))
        #expect(error.marked.map { $0.split(separator: "\n").count } ?? 2 == 2)
      }
    }
  }
}

@Suite(.overlapping)
struct NearestNamesTests {
  private static let known = ["title", "plot", "year", "rating", "released", "isFavorite", "people"]

  @Test(arguments: [
    ("titel", ["title"]), ("TITLE", ["title"]), ("isFavourite", ["isFavorite"]), ("zzzzzz", []), ("rate", []),
    ("", []),
  ])
  func `similar names are found, the most similar first`(_ name: String, _ nearest: [String]) {
    #expect(NearestNames.of(name, among: Self.known) == nearest)
  }

  @Test func `at most three names are suggested, and equal distances sort by name`() {
    #expect(NearestNames.of("aa", among: ["ad", "ac", "ab", "aa", "ae"]) == ["aa", "ab", "ac"])
    #expect(NearestNames.of("ab", among: ["ba", "ab"]) == ["ab", "ba"])
    #expect(NearestNames.of("x", among: []) == [])
  }
}
