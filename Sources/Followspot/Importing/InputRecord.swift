// SPDX-License-Identifier: MIT

/// A value of a record to import.
package enum FieldValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  /// An array or object, as minified JSON text.
  case json(String)
  /// A cell of CSV or TSV: text whose type has to be inferred.
  case cell(String)

  /// Whether it is a cell of only white space. Such a cell counts as empty, except in a text attribute.
  var isBlankCell: Bool {
    if case .cell(let text) = self { text.allSatisfy(\.isWhitespace) } else { false }
  }
}

/// A record to import: its fields in the order of the file, with unique names.
struct InputRecord: Sendable {
  var fields: [(name: String, value: FieldValue)]
  /// The first line of a file is 1.
  let line: Int

  func value(_ name: String) -> FieldValue? { fields.first { $0.name == name }?.value }
}

func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
}

/// A line that cannot be imported, and why.
package struct BadLine: Error, CustomStringConvertible, Sendable {
  let line: Int
  let reason: String
  /// Whether it names the columns, so that it cannot be skipped.
  package var isHeader = false
  /// What helps besides correcting the line.
  package var recovery: Recovery?
  package var description: String { "line \(line): \(reason)" }

  /// What helps besides correcting the line. The code that shows the error to a person phrases it.
  package enum Recovery: Hashable, Sendable {
    /// The file is likely UTF-16, as spreadsheets save "Unicode".
    case readAsUTF16
    case chooseEncoding
    /// The unique attribute by which existing records can be updated.
    case updateByKey(String)
    /// A required attribute has no value.
    case giveValue
    /// The number of saved records, and the line from which to resume after the correction.
    case resume(saved: Int, line: Int)
  }

  static func holdsNUL(line: Int) -> BadLine {
    BadLine(
      line: line, reason: "the line holds a NUL byte",
      recovery: .readAsUTF16)
  }

  static func withoutKey(_ key: String, line: Int) -> BadLine {
    BadLine(line: line, reason: "the key \(key) is missing")
  }

  static func encoding(line: Int) -> BadLine {
    BadLine(
      line: line, reason: "the line is not valid UTF-8",
      recovery: .chooseEncoding)
  }
}

extension String {
  /// The text without leading and trailing white space.
  var trimmed: String {
    guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}
