// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping)
struct WordFormsTests {
  private static func appended(_ text: String) -> String {
    var words: [[UInt8]] = []
    var folder = TextFolder()
    Array(folder.fold(text).utf8).withUnsafeBytes { bytes in
      WordForms.each(of: bytes) { words += $0.joined.map(\.word) + $0.others }
    }
    return words.map { String(decoding: $0, as: UTF8.self) + " " }.joined()
  }

  @Test(arguments: [
    ("plain words, and no others. (None) - at all", ""), ("", ""), ("-", ""), ("a-", ""), ("-a", ""), ("a--b", ""),
    ("WALL-E", "WALLE "), ("(WALL-E)", "WALLE "), ("O'Brien-Smith", "OBrienSmith OBrien Brien "),
    ("user_name", "username "), ("rock'n'roll", "rocknroll rock'n n'roll rock roll "),
    ("o'brien's", "obriens o'brien brien's brien "),
    ("a.b.c.d.e.f", "abcdef "), ("a.b.c.d.e.f.g", ""),
    ("rock-n-roll", "rocknroll "), ("www.example.org/index", ""), ("1,000,000,000", "1000000000 "), ("don't", "dont "),
    ("bug's", "bugs bug "), ("1,000,000", "1000000 "), ("yes,no", ""), ("1990-1995", ""), ("1-a", "1a "),
    ("ToyStory", "Toy Story "), ("HTMLParser", "HTML Parser "), ("ABCs", ""), ("iPhone", "Phone "),
    ("Apollo13", "Apollo 13 "), ("Alien3", "Alien 3 "), ("mp3", ""), ("T2000", ""), ("2nd", ""), ("AC/DC", "ACDC "),
    ("\u{201c}Toy\u{201d}", ""), ("caf\u{e9}Bar", "cafe Bar "), ("toy\u{2014}Story", ""),
    ("ab-cd ef'gh", "abcd efgh "), ("l2tp+ipsec", "l2tpipsec "), ("C++, gtk+ and notepad++", "gtk notepad "),
    ("1+1", ""), ("_important_ __init__ _id a_", ""), ("_user_name", "username "),
    ("salt&pepper AT&T R&D", "saltpepper ATT RD "),
    ("Disney+ gtk+x nodeC# gtk++++ a#b", "Disney gtkx nodeC node "),
    ("“Disney+” Gtk+…", "Disney Gtk "),
    ("v18.2.0", "v1820 v18 18 v18.2 18.2 18.2.0 "), ("18.2.0", "18 18.2 "), ("18.2.0-rc1", "18 18.2 "),
    ("11.11.2010", "11 11.11 2010 "), ("176,11", "17611 176 "), ("1,234.50", "1234 1,234 "),
    ("php8.2", "php82 php8 8 8.2 php 8 "), ("2.0-beta", "20beta 2 "), ("1.2.3.4.5.6.7", ""),
    ("NullPointerException", "NullPointer PointerException Null Pointer Exception "),
    ("ToyStory3", "ToyStory Toy Story 3 "), ("abc1def2", "abc 1 def 2 "),
  ])
  func `a text has these further forms`(_ text: String, _ forms: String) {
    #expect(Self.appended(text) == forms)
  }

  @Test func `a form is not longer than the limit of a word`() {
    #expect(Self.appended(String(repeating: "a", count: 32) + "-" + String(repeating: "b", count: 32)).utf8.count == 65)
    #expect(Self.appended(String(repeating: "a", count: 33) + "-" + String(repeating: "b", count: 32)) == "")
  }

  @Test func `a compound has its joined form and its parts`() {
    let compound = WordForms(of: "Wall-E")
    #expect(compound.whole == Array("WallE".utf8) && compound.subwords.isEmpty)
    let subwords = WordForms(of: "iPhone12")
    #expect(subwords.whole == nil && subwords.subwords == [["i", "Phone", "12"].map { Array($0.utf8) }])
    #expect(WordForms(of: "toy").whole == nil)
  }

  @Test(arguments: 0..<10)
  func `forms of arbitrary bytes consist of complete characters`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("aB1-'_./,&+ é\u{2014}日\u{301}".unicodeScalars)
    for _ in 0..<500 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...20, using: &random) { text.append(alphabet.randomElement(using: &random) ?? "a") }
      let forms = Self.appended(String(text))
      #expect(!forms.unicodeScalars.contains("\u{fffd}"), "seed \(seed): \(String(text).debugDescription)")
    }
  }
}
