// SPDX-License-Identifier: MIT

internal import SQLite

extension Value {
  /// The value as SQL text, where a parameter cannot stand.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): "CAST(x'\(Self.digits(Array(text.utf8)))' AS TEXT)"
    case .blob(let bytes): "x'\(Self.digits(bytes))'"
    }
  }

  private static func digits(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
