// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Store

/// Encoded values of Apple's stores as JSON.
struct CodedValueTests {
  private func json(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.withUnsafeBytes(CodedValue.json) ?? [], as: UTF8.self)
  }

  @Test func `property lists and archives of collections are converted to JSON`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 7.5)
    let list: [Any] = ["a\"é", 1, 2.5, true, date, Data([1, 2])]
    let plain = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    #expect(json(Array(plain)) == #"["a\"é",1,2.5,true,7.5,"AQI="]"#)
    let uuid = UUID()
    let archived = try NSKeyedArchiver.archivedData(
      withRootObject: ["id": uuid as NSUUID] as NSDictionary, requiringSecureCoding: false)
    #expect(json(Array(archived)) == #"{"id":"\#(uuid.uuidString)"}"#)
  }

  @Test func `JSON and unknown bytes are returned unchanged`() {
    for text in [#"["x"]"#, "plain", ""] { #expect(json(Array(text.utf8)) == text) }
  }

  @Test func `a property list that contains itself is returned unchanged`() {
    let cyclic = DamagedModelTests.list([[0xA2, 0, 0]])
    #expect(cyclic.withUnsafeBytes(CodedValue.json) == cyclic)
  }
}
