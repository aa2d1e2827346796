// SPDX-License-Identifier: MIT

import Base
import Foundation
import SearchIndex
import TestSupport
import Testing

@Suite(.overlapping)
struct TermTests {
  @Test(arguments: [
    ("", "X:"), ("comedy", "X:comedy"), ("science fiction", "X:science%20fiction"), ("100%", "X:100%25"),
    ("\u{0}\t\n\u{1f}\u{7f}", "X:%00%09%0A%1F%7F"), ("é!~", "X:é!~"),
  ])
  func `bytes that Xapian or a line of text does not allow are escaped`(_ value: String, _ term: String) {
    #expect(Term.whole(Array("X:".utf8), Array(value.utf8)) == Array(term.utf8))
  }

  @Test func `a term of 200 bytes is kept, and a longer one is its prefix and a digest`() {
    let whole = Term.whole(Array("X:".utf8), [UInt8](repeating: 0x61, count: 198))
    #expect(whole == Array("X:".utf8) + [UInt8](repeating: 0x61, count: 198))
    let raw = Array("X:".utf8) + [UInt8](repeating: 0x61, count: 199)
    let digest = ContentDigest(of: raw).hexadecimal
    #expect(
      Term.whole(Array("X:".utf8), [UInt8](repeating: 0x61, count: 199)) == raw.prefix(160) + Array("#\(digest)".utf8))
  }

  @Test(arguments: 0..<20)
  func `different values have different terms that Xapian accepts`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    var values: Set<[UInt8]> = []
    while values.count < 500 {
      let count = Int.random(in: 0...400, using: &random)
      let common = [UInt8](repeating: 0x61, count: max(0, count - 3))
      values.insert(common + (0..<min(3, count)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    let terms = values.map { Term.whole(Array("XGA:".utf8), $0) }
    #expect(Set(terms).count == values.count)
    #expect(terms.allSatisfy { $0.count <= 200 && !$0.contains(0) })
  }
}

@Suite(.overlapping)
struct ContentDigestTests {
  @Test(arguments: 0..<100)
  func `a digest is decoded from its digits and its bytes`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    // Small ones too: their digits begin with zeros.
    let value = UInt128.random(in: 0 ... .max, using: &random) >> UInt128(seed)
    let digest = ContentDigest(value: value)
    #expect(digest.hexadecimal.utf8.count == 32)
    #expect(ContentDigest(hexadecimal: digest.hexadecimal) == digest)
    #expect(digest.bytes.count == 16)
    #expect(ContentDigest(bytes: digest.bytes) == digest)
  }

  @Test func `bytes are little-endian, and digits are big-endian`() {
    let digest = ContentDigest(value: 0x0102)
    #expect(digest.bytes == [2, 1] + [UInt8](repeating: 0, count: 14))
    #expect(digest.hexadecimal == "00000000000000000000000000000102")
  }

  @Test(arguments: [
    "", "0", "g" + String(repeating: "0", count: 31), String(repeating: "0", count: 33),
    "-" + String(repeating: "0", count: 31), "+" + String(repeating: "1", count: 31),
    " " + String(repeating: "0", count: 31),
  ])
  func `other text is not a digest`(text: String) {
    #expect(ContentDigest(hexadecimal: text) == nil)
  }

  @Test(arguments: [0, 1, 15, 17])
  func `another number of bytes is not a digest`(count: Int) {
    #expect(ContentDigest(bytes: [UInt8](repeating: 0, count: count)) == nil)
  }
}

@Suite(.overlapping)
struct DocumentTests {
  private static func document(unique: String = "Q1", _ change: (inout Document, inout TextFolder) -> Void) -> Document
  {
    var document = Document()
    var folder = TextFolder()
    document.begin(uniqueTerm: Array(unique.utf8))
    change(&document, &folder)
    return document
  }

  private static func text(
    _ text: String, _ prefix: String, _ weight: Int?, _ document: inout Document, _ folder: inout TextFolder
  ) {
    document.addText(text.utf8, prefix: prefix, weight: weight, folder: &folder)
  }

  @Test func `the digest changes with every part`() {
    let made: [Document] = [
      Self.document { _, _ in },
      Self.document { Self.text("a", "", nil, &$0, &$1) }, Self.document { Self.text("b", "", nil, &$0, &$1) },
      Self.document { Self.text("", "a", nil, &$0, &$1) }, Self.document { Self.text("a", "b", nil, &$0, &$1) },
      Self.document { Self.text("ab", "", nil, &$0, &$1) },
      Self.document {
        Self.text("a", "", nil, &$0, &$1)
        Self.text("b", "", nil, &$0, &$1)
      },
      Self.document {
        Self.text("b", "", nil, &$0, &$1)
        Self.text("a", "", nil, &$0, &$1)
      },
      Self.document { document, _ in document.addTerm([0x61]) }, Self.document { document, _ in document.addTerm([]) },
      Self.document { document, _ in document.setValue(slot: 0, [0x61]) },
      Self.document { document, _ in document.setValue(slot: 1, [0x61]) },
      Self.document { document, _ in document.setNumber(slot: 0, SortableNumber(Double(0))) },
      Self.document { document, _ in document.setNumber(slot: 0, SortableNumber(Double(1))) },
      Self.document { document, _ in document.setNumber(slot: 1, SortableNumber(Double(0))) },
      Self.document { document, _ in document.setData([0x61]) }, Self.document { document, _ in document.setData([]) },
    ]
    #expect(Set(made.map(\.digest)).count == made.count)
  }

  @Test func `the digest depends neither on the unique term nor on earlier content`() {
    func fill(_ document: inout Document, _ folder: inout TextFolder) {
      Self.text("toy story", "XA", 5, &document, &folder)
    }
    let first = Self.document(unique: "Q1", fill)
    var second = Self.document(unique: "Q2") { document, _ in document.addTerm([1, 2, 3]) }
    var folder = TextFolder()
    second.begin(uniqueTerm: Array("Q3".utf8))
    fill(&second, &folder)
    #expect(first.digest == second.digest)
    #expect(first.size == second.size)
  }

  @Test func `each prefix is read from its terms, and described in the guide`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appending(path: "Sources/Followspot/Documentation.docc/Architecture.md"), encoding: .utf8)
    for prefix in TermPrefix.allCases {
      for rest in ["", "A:film", "Film/p1", "film"] {
        #expect(TermPrefix(of: prefix.bytes + Array(rest.utf8)) == prefix, "\(prefix) \(rest)")
      }
      let shown = ["`\(prefix.rawValue)`", "`\(prefix.rawValue)…`", "`\(prefix.rawValue)…:`"]
      #expect(shown.contains { guide.contains($0) }, "\(prefix)")
    }
    for word in ["", "robot", "Arobot", "ZArobot", "Zrobot"] { #expect(TermPrefix(of: word.utf8) == nil, "\(word)") }
  }
}
