/// Help fitted to the width of a terminal.
enum HelpText {
  /// No line is longer: long lines are hard to read.
  private static let widest = 120
  /// Fewer columns for the second column of a table put it below the first.
  private static let narrowest = 24

  /// The text with its lines broken between words. Lines of a paragraph are joined first; the second column of a table
  /// stays in its column.
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

  /// An indented line: one of two columns with two blanks or more between them, or of one, such as an example.
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
