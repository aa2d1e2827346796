// SPDX-License-Identifier: MIT

/// The character that separates the cells of a row.
package struct Delimiter: Equatable, Sendable {
  let byte: UInt8

  static let comma = Delimiter(byte: UInt8(ascii: ","))
  static let tab = Delimiter(byte: 0x09)
  /// The delimiters to try, in the order of preference.
  private static let usual = [comma, Delimiter(byte: UInt8(ascii: ";")), Delimiter(byte: UInt8(ascii: "|")), tab]
  /// Maximum number of rows that are read to choose a delimiter.
  private static let sample = 100

  /// The delimiter of a first line such as `sep=;`, which spreadsheets write, and the start of the text after that
  /// line. nil if there is no such line.
  static func declared(in file: InputFile, from start: Int) -> (delimiter: Delimiter, start: TextStart)? {
    let line = Array(file.bytes[start...].prefix(7))
    guard line.count > 5, line.starts(with: Array("sep=".utf8)),
      let delimiter = Delimiter(String(UnicodeScalar(line[4])))
    else { return nil }
    if line[5] == 0x0a { return (delimiter, TextStart(position: start + 6, line: 2)) }
    return line.count > 6 && line[5] == 0x0d && line[6] == 0x0a
      ? (delimiter, TextStart(position: start + 7, line: 2)) : nil
  }

  private init(byte: UInt8) { self.byte = byte }

  /// Parses one ASCII character, `\t` or `tab`. nil for other text, and for a letter, a digit, a line break or a
  /// quotation mark.
  package init?(_ text: String) {
    if ["\\t", "tab"].contains(text.lowercased()) {
      self = .tab
    } else if text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, !byte.isLetterOrDigit,
      ![0x0a, 0x0d, UInt8(ascii: "\"")].contains(byte)
    {
      self.init(byte: byte)
    } else {
      return nil
    }
  }

  /// The delimiter as messages show it: `','` or `TAB`.
  var name: String { self == .tab ? "TAB" : "'\(Character(UnicodeScalar(byte)))'" }

  /// The delimiter with which the largest share of the first rows has as many cells as the header. It is the comma if
  /// no delimiter splits the header.
  static func sniffed(in file: InputFile, from start: TextStart) -> Delimiter {
    var best = (delimiter: comma, share: 0.0, cells: 1)
    for delimiter in usual {
      let rows = RowScanner(file, from: start, delimiter: delimiter, isQuoted: true)
      guard let cells = (try? rows.next())?.cells.count, cells > 1 else { continue }
      var (fitting, total) = (1, 1)
      while total < sample {
        do {
          guard let row = try rows.next() else { break }
          if row.cells.count == cells { fitting += 1 }
        } catch {}
        total += 1
      }
      let share = Double(fitting) / Double(total)
      if share > best.share || (share == best.share && cells > best.cells) { best = (delimiter, share, cells) }
    }
    return best.delimiter
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: false
    }
  }
}
