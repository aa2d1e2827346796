// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct DecimalTests {
  private static let model = ModelDescription(entities: [
    EntityDescription("Price", attributes: [AttributeDescription("amount", .decimal, isOptional: true)])
  ])

  private static func bytes(_ text: String) -> Value { .blob(Array(text.utf8)) }

  @Test(
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("007", .integer(7)), ("12.50", .real(12.5)), ("0.1", .real(0.1)),
      ("5.", .real(5)), (".5", .real(0.5)), ("-1.25", .real(-1.25)), ("+3", .integer(3)),
      ("123456789.012345", .real(123456789.012345)), ("999999999999999", .integer(999_999_999_999_999)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", bytes("9223372036854775808")), ("1.234567890123456", bytes("1.234567890123456")),
      ("12345678901234567890123456789012345678", bytes("12345678901234567890123456789012345678")),
      ("0.00000000000000000000000000000000000001", .real(1e-38)),
      ("-1234567890123456789.0123456789012345678", bytes("-1234567890123456789.0123456789012345678")),
      ("123456789012345678901234567890123456789", nil), ("", nil), ("-", nil), (".", nil), ("1.2.3", nil), ("1e5", nil),
      (" 1", nil), ("1,5", nil), ("0x10", nil), ("nan", nil), ("inf", nil), ("١", nil), ("--1", nil),
      ("0." + String(repeating: "0", count: 200) + "1", nil),
    ] as [(String, Value?)])
  func `a decimal text has exactly one stored form, and other texts have none`(_ text: String, _ value: Value?) {
    #expect(DecimalNumber.value(text) == value)
  }

  @Test(arguments: 0..<8)
  func `decimals of up to 38 digits are read back exactly`(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let texts = (0..<200).map { _ in
      let digits = (0..<random.number(1...38)).map { $0 == 0 ? random.number(1...9) : random.number(0...9) }
      let point = random.number(0...digits.count)
      let whole = digits[..<point].map(String.init).joined()
      // The last digit is not 0, so that a shorter form of the number means lost digits.
      let part = digits[point...].map(String.init).joined()
      return (random.chance(2) ? "-" : "") + (whole.isEmpty ? "0" : whole) + (part.isEmpty ? "" : ".\(part)7")
    }.filter { $0.filter(\.isNumber).drop { $0 == "0" }.count <= 38 }
    let bench = try StoreFixture(Self.model)
    let price = bench.store.layout.entities[0]
    try bench.store.save { save in
      for text in texts { try save.insert(price, [DecimalNumber.value(text)]) }
    }
    // As a reader sees it: a number of up to 15 digits as SQLite formats it, a longer one by its bytes.
    let stored = try bench.rows(
      "SELECT CASE typeof(ZAMOUNT) WHEN 'blob' THEN CAST(ZAMOUNT AS TEXT) ELSE ZAMOUNT END FROM ZPRICE")
    for (text, found) in zip(texts, stored) where Double(text) != Double(found) || found.count > 17 {
      #expect(found == text)
    }
    #expect(stored.count == texts.count)
    let again = try bench.store.save { save in
      for (index, text) in texts.enumerated() {
        try save.update(price, key: Int64(index) + 1, [(0, try #require(DecimalNumber.value(text)))])
      }
    }
    #expect(again.isEmpty)
  }

  @Test func `a column is declared as DECIMAL, and contains only numbers and blobs of long texts`() throws {
    let bench = try StoreFixture(Self.model)
    #expect(try bench.rows("SELECT type FROM pragma_table_info('ZPRICE') WHERE name = 'ZAMOUNT'") == ["DECIMAL"])
    let price = bench.store.layout.entities[0]
    try bench.store.save { save in
      for value in [.real(2), .real(2.5), Self.bytes("1.234567890123456789")] as [Value] {
        try save.insert(price, [value])
      }
      for value in [.text("1"), Self.bytes("abc"), .blob([]), .real(.infinity), .real(.nan)] as [Value] {
        #expect(throws: StoreError.self) { try save.insert(price, [value]) }
      }
    }
    #expect(try bench.rows("SELECT typeof(ZAMOUNT) FROM ZPRICE") == ["integer", "real", "blob"])
  }
}
