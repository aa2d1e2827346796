// SPDX-License-Identifier: MIT

/// Wraps text to the width of a terminal. Lines break between words; a word that is wider than a line breaks inside.
enum WordWrap {
  /// The lines as ranges of `text`, without the spaces at the line breaks.
  static func lines(_ text: [Character], width: Int) -> [Range<Int>] {
    let width = max(width, 8)
    var lines: [Range<Int>] = []
    var start = 0
    while let first = text[start...].firstIndex(where: { $0 != " " }) {
      var (end, used, blank) = (first, 0, nil as Int?)
      while end < text.count {
        let columns = DisplayWidth.of(String(text[end]))
        if text[end] == " " { blank = end } else if used + columns > width { break }
        used += columns
        end += 1
      }
      if end < text.count, let blank { end = blank }
      lines.append(first..<(text[first..<end].lastIndex { $0 != " " } ?? first) + 1)
      start = end
    }
    return lines
  }

  /// The lines of a paragraph, all with the same indentation.
  static func paragraph(_ text: String, indent: String = "", width: Int = Console.width) -> [String] {
    let characters = Array(text)
    return lines(characters, width: width - indent.count).map { indent + String(characters[$0]) }
  }
}
