/// CSV by RFC 4180 and TSV, with a header line.
final class SeparatedReader: RecordReader {
  private let file: InputFile
  private let separator: UInt8
  private let isQuoted: Bool
  private(set) var position = 0
  /// Where the last row begins.
  private var rowStart = 0
  private var line = 1
  private var header: [String] = []

  /// - Parameter isQuoted: Whether cells may stand in quotation marks: in CSV they may, in TSV not.
  init(_ file: InputFile, separator: UInt8, isQuoted: Bool) throws {
    self.file = file
    self.separator = separator
    self.isQuoted = isQuoted
    if file.bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    guard let (names, _) = try nextRow() else { throw BadLine(line: 1, reason: "a header line is needed") }
    header = names
    var known: Set<String> = []
    for name in names where name.isEmpty || !known.insert(name).inserted {
      throw BadLine(line: 1, reason: name.isEmpty ? "a column has no name" : "two columns are named \(name)")
    }
  }

  func next() throws -> Record? {
    guard let (cells, line) = try nextRow() else { return nil }
    guard isValidUTF8(UnsafeRawBufferPointer(rebasing: file.bytes[rowStart..<position])) else {
      throw BadLine(line: line, reason: "the line is no valid UTF-8")
    }
    guard cells.count == header.count else {
      throw BadLine(line: line, reason: "\(cells.count) cells under \(header.count) columns")
    }
    return Record(fields: zip(header, cells).map { ($0, $1.isEmpty ? .null : .cell($1)) }, line: line)
  }

  /// The cells of the next line that is not empty, and the line's number.
  private func nextRow() throws -> ([String], Int)? {
    let bytes = file.bytes
    while position < bytes.count, bytes[position] == 0x0a || bytes[position] == 0x0d {
      if bytes[position] == 0x0a { line += 1 }
      position += 1
    }
    guard position < bytes.count else { return nil }
    rowStart = position
    let start = line
    var cells: [String] = []
    while true {
      cells.append(try nextCell(startLine: start))
      guard position < bytes.count, bytes[position] == separator else { break }
      position += 1
    }
    if position < bytes.count, bytes[position] == 0x0d { position += 1 }
    if position < bytes.count, bytes[position] == 0x0a { position += 1 }
    line += 1
    return (cells, start)
  }

  private func nextCell(startLine: Int) throws -> String {
    let bytes = file.bytes
    if isQuoted, position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      return try nextQuotedCell(startLine: startLine)
    }
    let start = position
    while position < bytes.count, bytes[position] != separator, bytes[position] != 0x0a, bytes[position] != 0x0d {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func nextQuotedCell(startLine: Int) throws -> String {
    let bytes = file.bytes
    var cell: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
          try skipBehindQuote(startLine: startLine)
          return String(decoding: cell, as: UTF8.self)
        }
        position += 1
      }
      if byte == 0x0a { line += 1 }
      cell.append(byte)
    }
    throw BadLine(line: startLine, reason: "a quotation mark is not closed")
  }

  private func skipBehindQuote(startLine: Int) throws {
    let bytes = file.bytes
    guard position < bytes.count, ![separator, 0x0a, 0x0d].contains(bytes[position]) else { return }
    while position < bytes.count, bytes[position] != 0x0a { position += 1 }
    throw BadLine(line: startLine, reason: "text follows a closed quotation mark")
  }
}
