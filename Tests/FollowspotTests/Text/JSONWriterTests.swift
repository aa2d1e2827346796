// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

@Suite(.overlapping)
struct JSONWriterTests {
  private static func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return writer.text
  }

  @Test func `members and elements are separated, and keys are in the given order`() {
    let text = Self.written { writer in
      writer.object { writer in
        writer.key("b")
        writer.array { writer in
          writer.integer(1)
          writer.array { _ in }
          writer.object { _ in }
          writer.null()
        }
        writer.key("a")
        writer.bool(true)
        writer.key("c\"")
        writer.raw("[1]")
      }
    }
    #expect(text == "{\"b\":[1,[],{},null],\"a\":true,\"c\\\"\":[1]}")
  }

  @Test func `every scalar is read back unchanged, and control characters are escaped`() throws {
    let scalars = (0...0x2fff).compactMap { Unicode.Scalar(UInt32($0)) }
    let whole = String(String.UnicodeScalarView(scalars)) + "🎬"
    let text = Self.written { $0.string(whole) }
    #expect(
      try JSONDecoder().decode(String.self, from: Data(text.utf8)).unicodeScalars.elementsEqual(whole.unicodeScalars))
    let bidirectional: Set<UInt32> = [0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069, 0x2028]
    let raw = text.unicodeScalars.filter {
      $0.properties.generalCategory == .control || bidirectional.contains($0.value)
    }
    #expect(Array(raw) == [])
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (8.3, "8.3"), (1e15, "1000000000000000.0"), (-2, "-2"), (.infinity, "null"),
      (.nan, "null"),
    ] as [(Double, String)])
  func `a number is written as a JSON number, and infinity and NaN as null`(_ number: Double, _ text: String) {
    #expect(Self.written { $0.number(number) } == text)
  }

  private static let uuid: [UInt8] = Array(0..<16)
  private static let values: [(Value, AttributeType, String)] = [
    (.null, .string, "null"), (.text("a\"b"), .string, "\"a\\\"b\""), (.text("x:y"), .url, "\"x:y\""),
    (.integer(1), .boolean, "true"), (.integer(0), .boolean, "false"), (.integer(-5), .integer64, "-5"),
    (.real(2.5), .double, "2.5"), (.real(.infinity), .double, "\"inf\""), (.integer(0), .date, "\"2001-01-01\""),
    (.real(1.5), .date, "\"2001-01-01T00:00:01.500Z\""),
    (.blob(uuid), .uuid, "\"00010203-0405-0607-0809-0A0B0C0D0E0F\""), (.blob([1]), .uuid, "\"AQ==\""),
    (.blob([0, 255]), .data, "\"AP8=\""), (.blob(Array("[\"a\"]".utf8)), .strings, "[\"a\"]"),
    (.blob(Array("{\"a\": 1}".utf8)), .json, "{\"a\": 1}"), (.blob(Array("{".utf8)), .json, "\"{\""),
    (.blob(Array("[\n]".utf8)), .json, "\"[\\n]\""), (.blob(Array("[\"\u{202e}\"]".utf8)), .json, "[\"\\u202e\"]"),
  ]

  @Test(arguments: values)
  func `a stored value is written as JSON of its attribute's type`(
    _ value: Value, _ type: AttributeType, _ text: String
  ) {
    #expect(Self.written { $0.value(value, as: type) } == text)
  }
}
