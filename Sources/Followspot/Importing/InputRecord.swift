/// One value of a record that is to be imported.
package enum FieldValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  /// An array or object, as JSON text in its shortest form.
  case json(String)
  /// A cell of CSV or TSV: text whose type is not written down.
  case cell(String)

  /// Whether it is a cell of nothing but blanks, which is empty where no text is expected.
  var isBlankCell: Bool {
    if case .cell(let text) = self { text.allSatisfy(\.isWhitespace) } else { false }
  }
}

/// One line of a file that is to be imported: its fields in their order, names unique.
package struct InputRecord: Sendable {
  package var fields: [(name: String, value: FieldValue)]
  /// Counts from 1.
  package let line: Int

  package func value(_ name: String) -> FieldValue? { fields.first { $0.name == name }?.value }
}

/// Whether decoding the bytes loses nothing.
func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
}

/// A line that cannot be imported, and why.
package struct BadLine: Error, CustomStringConvertible, Sendable {
  package let line: Int
  package let reason: String
  /// What helps beside correcting the line.
  package var recovery: Recovery?
  package var description: String { "line \(line): \(reason)" }

  /// What helps beside correcting the line. Whoever shows the error to a person phrases it.
  package enum Recovery: Hashable, Sendable {
    /// The file is likely UTF-16, as spreadsheets save "Unicode".
    case readAsUTF16
    case chooseEncoding
    /// The attribute that can tell records apart, so that existing ones are updated.
    case updateByKey(String)
    /// A required attribute has no value.
    case giveValue
    /// How many records are saved, and the line to begin with after the correction.
    case resume(saved: Int, line: Int)
  }

  static func holdsNUL(line: Int) -> BadLine {
    BadLine(
      line: line, reason: "the line holds a NUL byte",
      recovery: .readAsUTF16)
  }

  static func encoding(line: Int) -> BadLine {
    BadLine(
      line: line, reason: "the line is not valid UTF-8",
      recovery: .chooseEncoding)
  }
}

extension String {
  /// Without the blanks around it.
  var trimmed: String {
    guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}
