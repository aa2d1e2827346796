// SPDX-License-Identifier: MIT

/// Wraps help to the width of a terminal.
enum HelpText {
  /// The maximum width of a line in columns: longer lines are hard to read.
  private static let widest = 120
  /// The least width of a table's second column. If less is left, the second column goes below the first.
  private static let narrowest = 24

  /// The text, wrapped between words. Lines of a paragraph are joined first, and the second column of a table stays
  /// aligned.
  static func fitted(_ text: String, width: Int) -> String {
    let width = min(width, widest)
    var paragraph: [Substring] = []
    var lines: [String] = []
    func endParagraph() {
      if !paragraph.isEmpty { lines += WordWrap.paragraph(paragraph.joined(separator: " "), width: width) }
      paragraph = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.first.map({ $0 != " " }) ?? false {
        paragraph.append(line)
      } else {
        endParagraph()
        lines += row(String(line), width)
      }
    }
    endParagraph()
    return lines.joined(separator: "\n")
  }

  /// Wraps an indented line. It has two columns, separated by two or more spaces, or one, such as an example.
  private static func row(_ line: String, _ width: Int) -> [String] {
    let indent = line.prefix { $0 == " " }
    let text = line.dropFirst(indent.count)
    guard let gap = text.firstRange(of: "  ") else {
      let broken = WordWrap.paragraph(String(text), width: width - indent.count - 2)
      return broken.isEmpty ? [""] : broken.enumerated().map { ($0 == 0 ? indent : indent + "  ") + $1 }
    }
    let first = indent + text[..<gap.lowerBound]
    let second = text[gap.lowerBound...].drop { $0 == " " }
    let column = line.count - second.count
    guard width - column >= narrowest else {
      let blanks = indent + "    "
      return [String(first)] + WordWrap.paragraph(String(second), indent: String(blanks), width: width)
    }
    let broken = WordWrap.paragraph(String(second), width: width - column)
    let blanks = String(repeating: " ", count: column)
    return broken.enumerated().map { ($0 == 0 ? String(line.prefix(column)) : blanks) + $1 }
  }
}
