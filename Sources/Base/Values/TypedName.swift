// SPDX-License-Identifier: MIT

/// How people write the name of a field in a query, in a list and in an assignment: as it is, or in quotation marks. In
/// quotation marks, `""` stands for one of them, as in SQL.
package enum TypedName {
  package static func mayBegin(_ character: Character) -> Bool {
    character.isLetter || character == "_" || character == "@"
  }

  package static func mayContain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.-@".contains(character)
  }

  /// Whether a query can contain the name without quotation marks.
  package static func isBare(_ name: some StringProtocol) -> Bool {
    name.first.map(mayBegin) == true && name.allSatisfy(mayContain)
  }

  /// The name as it is written, in quotation marks where it needs them.
  package static func written(_ name: String) -> String {
    isBare(name)
      ? name : "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }

  /// The name that is written; text without quotation marks around it is the name itself.
  package static func read(_ written: some StringProtocol) -> String {
    guard written.count > 2, written.hasPrefix("\""), written.hasSuffix("\"") else { return String(written) }
    return written.dropFirst().dropLast().split(separator: "\"\"", omittingEmptySubsequences: false)
      .joined(separator: "\"")
  }

  /// The parts of a text between separators that are not in quotation marks. Each part is as it is written.
  ///
  /// - Parameter sign: A sign that may precede a quotation mark.
  package static func split(
    _ text: some StringProtocol, at separator: Character, behind sign: Character? = nil
  ) -> [String] {
    var parts: [String] = []
    var part = ""
    var (hasMarks, isQuoted) = (false, false)
    for character in text {
      if character == "\"" {
        if part.isEmpty || part == sign.map({ String($0) }) { hasMarks = true }
        if hasMarks { isQuoted.toggle() }
      }
      if character == separator, !isQuoted {
        parts.append(part)
        (part, hasMarks) = ("", false)
      } else {
        part.append(character)
      }
    }
    return parts + [part]
  }
}
