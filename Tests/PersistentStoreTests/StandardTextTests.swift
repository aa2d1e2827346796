// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Compares the results with those of Foundation.
@Suite(.overlapping, .temporaryDirectory)
struct StandardTextTests {
  /// Counts calls of the library, so that a test detects results that do not need it.
  private final class CallCounter { var count = 0 }

  private static func text(_ calls: CallCounter = CallCounter(), isEnglish: Bool = true) -> StandardText {
    StandardText(isEnglish: isEnglish) { text, other in
      calls.count += 1
      return text.localizedStandardContains(other)
    } compare: { text, other in
      calls.count += 1
      return text.localizedStandardCompare(other).rawValue
    }
  }

  private static let alphabets: [[Unicode.Scalar]] = [
    Array("aAbB".unicodeScalars), Array("aAbBzZ 0129".unicodeScalars), (32..<127).map { Unicode.Scalar(UInt8($0)) },
    (0..<128).map { Unicode.Scalar(UInt8($0)) }, Array("ab 19AB-_é\u{301}\u{308}\u{663}１\0\t".unicodeScalars),
    Array("aAeEéÉöÖßsSıIİiçñ \u{301}\u{308}\u{200D}".unicodeScalars),
    Array("kKΩΣσςάαЙй漢かがㄱ한😀👩‍🚀ﬁ\u{212A}\u{1F3FD}\r\n".unicodeScalars),
    [0x20...0x2FF, 0x370...0x52F, 0x1E00...0x1FFF, 0x3040...0x30FF, 0x1F600...0x1F64F].flatMap { range in
      (range as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    },
  ]

  private struct Words {
    var random: SeededGenerator

    mutating func word(_ alphabet: [Unicode.Scalar], _ longest: Int) -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...longest, using: &random) { text.append(alphabet.randomElement(using: &random)!) }
      return String(text)
    }

    /// A random word and a second one, often a part of it or the same with one change.
    mutating func pair() -> (String, String) {
      let alphabet = StandardTextTests.alphabets.randomElement(using: &random)!
      let text = word(alphabet, 12)
      var other = Array(text.unicodeScalars)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return (text, word(alphabet, 4))
      case 1:
        other.removeFirst(Int.random(in: 0...other.count, using: &random))
        other.removeLast(Int.random(in: 0...other.count, using: &random))
      default:
        guard let offset = other.indices.randomElement(using: &random) else { break }
        other[offset] = alphabet.randomElement(using: &random)!
      }
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: other)
      let shown = String(scalars)
      return (
        text,
        Bool.random(using: &random) ? shown : Bool.random(using: &random) ? shown.uppercased() : shown.lowercased()
      )
    }
  }

  @Test(arguments: Rounds.seeds(8, long: 400))
  func `search and comparison give the same results as Foundation`(seed: Int) throws {
    let store = try PersistentStore.createInMemory(model: StoreFixture.model)
    try store.use(Self.text())
    var words = Words(random: SeededGenerator(seed: seed))
    for _ in 0..<2_000 {
      let (text, other) = words.pair()
      let answer = try store.select(
        "SELECT standard_contains(?1, ?2), ?1 < ?2 COLLATE standard, ?1 > ?2 COLLATE standard",
        [.text(text), .text(other)])
      #expect(try answer.next())
      let order = answer.row.integer(at: 2) - answer.row.integer(at: 1)
      guard
        answer.row.integer(at: 0) != (text.localizedStandardContains(other) ? 1 : 0)
          || order != text.localizedStandardCompare(other).rawValue
      else { continue }
      Issue.record("\(text.debugDescription) and \(other.debugDescription) are answered otherwise")
    }
  }

  @Test func `ASCII is handled without the library, except in locales with their own rules for ASCII`() throws {
    for isEnglish in [true, false] {
      let calls = CallCounter()
      let store = try PersistentStore.createInMemory(model: StoreFixture.model)
      try store.use(Self.text(calls, isEnglish: isEnglish))
      let film = store.layout.entities[1]
      try store.save { save in
        for title in ["file 10", "File 9", "Up", "a-b", "z"] {
          try save.insert(film, film.entity.attributes.map { $0.name == "title" ? .text(title) : nil })
        }
      }
      let found = try store.select(
        "SELECT ZTITLE FROM ZFILM WHERE standard_contains(ZTITLE, ?1) ORDER BY ZTITLE COLLATE standard",
        [.text("FILE")])
      var titles: [String] = []
      while try found.next() { titles.append(found.row.text(at: 0)) }
      #expect(titles == ["File 9", "file 10"])
      #expect((calls.count == 0) == isEnglish)
    }
  }

  // MARK: Selections

  @Test func `selections of the same statement are independent`() throws {
    let bench = try StoreFixture()
    try bench.addFilms("A", "B", "C")
    let sql = "SELECT ZTITLE FROM ZFILM WHERE Z_PK >= ?1 ORDER BY Z_PK"
    func titles(_ first: Int64) throws -> [String] {
      let selection = try bench.store.select(sql, [.integer(first)])
      var found: [String] = []
      while try selection.next() {
        found.append(selection.row.text(at: 0))
        if first < 3 { found += try titles(first + 1) }
      }
      return found
    }
    let found = try titles(2)
    #expect(found == ["B", "C", "C", "C"])
  }

  @Test func `invalid SQL and a failing step are store errors`() throws {
    let bench = try StoreFixture()
    let wrong = try storeErrorText { _ = try bench.store.select("SELECT * FROM ZNOTHING") }
    #expect(wrong == "SQLite rejected a statement on \(bench.path): no such table: ZNOTHING")
    let failing = try storeErrorText {
      let selection = try bench.store.select("SELECT abs(?1)", [.integer(.min)])
      _ = try selection.next()
    }
    #expect(failing == "a statement on \(bench.path) failed: integer overflow")
  }
}
