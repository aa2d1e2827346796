// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping)
struct JSONStringsTests {
  private static func walk(_ json: String, withOthers: Bool = false) throws -> [String]? {
    var found: [String] = []
    let isJSON = try Array(json.utf8).withUnsafeBytes { bytes in
      try JSONStrings().each(in: bytes, withOthers: withOthers) {
        found.append("\($0)=\(String(decoding: $1, as: UTF8.self))")
      }
    }
    if !isJSON { #expect(found == []) }
    return isJSON ? found : nil
  }

  @Test(arguments: [
    ("\"a\"", ["=a"]), ("[]", []), ("{}", []), ("null", []), ("5", []), ("[\"a\",1,null,\"b\"]", ["=a", "=b"]),
    ("{\"a\":\"b\",\"c\":{\"d\":\"e\"}}", ["a=b", "c.d=e"]),
    ("[{\"name\":\"x\",\"roles\":[\"y\",[\"z\"]]}]", ["name=x", "roles=y", "roles=z"]), ("{\"\":\"a\"}", ["=a"]),
    ("\"\"", ["="]), ("\"\\u00e9\\n\"", ["=é\n"]), ("\"a\\u0000b\"", ["=a b"]), ("\"a\\\\u0000b\"", ["=a\\u0000b"]),
    ("[\"\\u0000\",\"\\u0000\\u0000\"]", ["= ", "=  "]), ("{\"é\":\"🎬\"}", ["é=🎬"]),
  ])
  func `the strings of a value and their keys are visited in order`(_ json: String, _ strings: [String]) throws {
    #expect(try Self.walk(json) == strings)
  }

  /// Simple lists are parsed without SQLite. The result must equal SQLite's.
  @Test(arguments: Rounds.seeds(3, long: 100))
  func `random lists are parsed as SQLite parses them`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let parts = ["[", "]", ",", "\"", "\"a\"", "\"é b\"", " ", "\n", "\\", "\"\\n\"", "1", "\"\"", "{", "\u{1}"]
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...6, using: &random)
      let inner = (0..<count).map { _ in parts[Int.random(in: 0..<parts.count, using: &random)] }.joined()
      let json = "[" + inner + "]"
      let ranges = Array(json.utf8).withUnsafeBytes { bytes in
        JSONStrings.plainStrings(in: bytes).map { $0.map { "=" + String(decoding: bytes[$0], as: UTF8.self) } }
      }
      // With other values, SQLite parses the list.
      if let ranges { #expect(try Self.walk(json, withOthers: true) == ranges, "seed \(seed): \(json)") }
    }
    #expect(try Self.walk("[\"a\", \"b\" ]") == ["=a", "=b"])
  }

  @Test func `numbers and truth values are visited on request`() throws {
    let json = #"{"a":1,"b":{"c":-2.50,"d":[true,false,null,"x"]},"e":1e3}"#
    #expect(try Self.walk(json) == ["b.d=x"])
    #expect(
      try Self.walk(json, withOthers: true)
        == ["a=1", "b.c=-2.5", "b.d=true", "b.d=false", "b.d=x", "e=1000.0"])
  }

  @Test(arguments: ["", "{", "[1,]", "nul", "'a'", "\"a", "[\"a\",]", "{\"a\":\"b\"", "[\"a\"] x", "{a:1}", "\u{0}"])
  func `nothing is visited in text that is not JSON`(json: String) throws {
    #expect(try Self.walk(json) == nil)
  }

  @Test(arguments: [100, 100_000])
  func `deep nesting is visited or refused`(depth: Int) throws {
    let json = String(repeating: "[", count: depth) + "\"a\"" + String(repeating: "]", count: depth)
    #expect(try Self.walk(json) == (depth == 100 ? ["=a"] : nil))
  }
}
