// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport

/// Values that are made to break what reads them, by a seed.
struct HostileValues {
  private var generator: SeededGenerator

  init(seed: Int) { generator = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  /// What a terminal would obey.
  static let escapes = [
    "\u{1b}[2J\u{1b}[31mred", "\u{1b}]0;owned\u{7}", "\u{1b}]8;;http://evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\",
    "\u{1b}]52;c;ZXZpbA==\u{7}", "\u{1b}P+q544e\u{1b}\\", "\u{9b}31mc1", "\u{9d}0;title\u{9c}", "\u{90}dcs\u{9c}",
    "right\u{202e}tfel", "\u{2066}isolate\u{2069}", "over\rwrite", "back\u{8}\u{8}space", "bell\u{7}", "del\u{7f}",
    "line\u{2028}separator", "\u{200f}mark\u{61c}", "nul\u{0}nul", "\u{fff9}a\u{fffa}b\u{fffb}",
  ]

  /// Names and texts that mean something to SQL.
  static let injections = [
    "\"; DROP TABLE ZFILM; --", "'; DELETE FROM ATRANSACTION; --", "x' OR '1'='1", "\")) UNION SELECT 1, 2, 3 --",
    "`ZFILM`", "[ZFILM]", "a\"b", "a'b", "\"\"", "'", "\"", ";", "--", "/* */", "select", "ORDER", "table", "values",
    "NULL", "rowid", "_rowid_", "oid", "Z_PK", "z_ent", "Z_OPT", "ZFILM", "sqlite_master", "?1", ":name", "@x", "$1",
    "%s%n", "\\", "\\\"", "a b", "a\tb", "a.b", "a:b", "a,b", "a=b", "ｓｅｌｅｃｔ", "ѕеlect", "İstanbul", "straße",
    "STRASSE", "ﬁlm", "é", "e\u{301}", "\u{202e}emordnilap", "\u{200b}", "💣", "a\u{0}b", "", " ",
  ]

  mutating func text() -> String {
    switch number(0...15) {
    case 0: return String(repeating: "x", count: number(1...10_000))
    case 1: return String(repeating: "\u{0}", count: 128) + "word" + String(repeating: "\u{0}", count: number(0...128))
    case 2: return String(repeating: "👩‍👩‍👧‍👦🏳️‍🌈👨🏽‍🚀", count: number(1...64))
    case 3: return "\u{200f}\u{202e}" + String(repeating: "שלום ", count: number(1...40)) + "\u{202c}"
    case 4: return "z" + String(repeating: "\u{301}\u{36f}", count: number(1...2_000))
    case 5: return (0..<number(1...6)).map { _ in pick(Self.escapes) }.joined(separator: " ")
    case 6: return (0..<number(1...4)).map { _ in pick(Self.injections) }.joined(separator: " ")
    case 7: return String(repeating: "1,", count: number(1...5_000))
    case 8: return String(repeating: "漢字テスト", count: number(1...500))
    case 9:
      // Marks and characters that are none.
      let scalars: [UInt32] = [0xfeff, 0xfffe, 0xffff, 0xe000, 0xfdd0, 0x10ffff]
      return String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    case 10: return "XTA:title QFilm/p1 ZFtitle \u{1}\u{2}:::" + String(repeating: ":", count: number(0...300))
    case 11: return String(repeating: " \t\n\r\u{3000}\u{a0}", count: number(0...50))
    case 12: return String(repeating: pick(["'", "’", "-", ".", "&", "+", "#", "_"]), count: number(1...400))
    case 13:
      let scalars = (0..<number(1...60)).compactMap { _ in Unicode.Scalar(UInt32(number(1...0x2ffff))) }
      return String(String.UnicodeScalarView(scalars))
    case 14: return String(repeating: "ß", count: number(1...80)) + String(repeating: "ﷺ", count: number(1...80))
    default: return (0..<number(1...300)).map { _ in "w\(number(0...100_000))" }.joined(separator: " ")
    }
  }

  /// JSON text, or what pretends to be.
  mutating func json() -> [UInt8] {
    let depth = number(1...1_000)
    let text =
      switch number(0...9) {
      case 0: String(repeating: "[", count: depth) + "\"deep\"" + String(repeating: "]", count: depth)
      case 1: String(repeating: "{\"a\":", count: depth) + "\"deep\"" + String(repeating: "}", count: depth)
      case 2: "{\"name\":\"\\ud800 lone\",\"\\u0000\":\"\\u0000nul\"}"
      case 3: "[1e999,-0,123456789012345678901234567890,1E-400]"
      case 4: "{\"name\":\"one\",\"name\":\"two\",\"\":\"empty\",\"a.b\":\"dot\",\"a:b\":\"colon\"}"
      case 5: String(repeating: "[", count: depth)
      case 6: "{\"\(String(repeating: "k", count: number(1...400)))\":\"v\"}"
      case 7: "{\"\(pick(["na\\\"me", "é", "💣", " "]))\":[\"x\",{\"y\":\"\\u001b[31m\"}]}"
      case 8: "\u{feff}[\"bom\"]"
      default: "nonsense \(number(0...9))"
      }
    return Array(text.utf8) + (number(0...4) == 0 ? [0xff, 0xfe, 0xed, 0xa0, 0x80] : [])
  }

  mutating func real() -> Double {
    pick([
      0, -0.0, .infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 63_113_904_000,
      -63_113_904_000, 9e15, 1.5, -1,
    ])
  }

  mutating func integer() -> Int64 { pick([.min, .max, 0, -1, 1, 1 << 53, -(1 << 62), 9_999_999_999_999]) }

  /// A value that a save takes for the attribute.
  mutating func value(for attribute: AttributeDescription) -> Value {
    if attribute.isOptional, number(0...7) == 0 { return .null }
    switch attribute.type {
    case .string, .url: return .text(attribute.isUnique ? text() + "\(number(0...Int.max))" : text())
    case .integer16, .integer32: return .integer(Int64(number(-32_768...32_767)))
    case .integer64: return .integer(integer())
    case .boolean: return .integer(Int64(number(0...1)))
    case .double, .float, .date, .decimal: return .real(real())
    case .uuid: return .blob((0..<16).map { _ in UInt8(number(0...255)) })
    case .data: return .blob((0..<number(0...300)).map { _ in UInt8(number(0...255)) })
    case .strings, .json: return .blob(json())
    }
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...(elements.count - 1))] }
}
