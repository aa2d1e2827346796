// SPDX-License-Identifier: MIT

/// Splits CSV (RFC 4180) or TSV into rows of cells.
final class RowScanner {
  private let bytes: UnsafeRawBufferPointer
  private let delimiter: UInt8
  private let isQuoted: Bool
  private(set) var position: Int
  /// The offset of the row that was read last.
  private var rowStart = 0
  private var line: Int

  /// - Parameter isQuoted: Whether cells may be quoted, as in CSV. Cells of TSV are never quoted.
  init(_ file: InputFile, from start: TextStart, delimiter: Delimiter, isQuoted: Bool) {
    bytes = file.bytes
    self.delimiter = delimiter.byte
    self.isQuoted = isQuoted
    (position, line) = (start.position, start.line)
  }

  /// The bytes of the row that was read last.
  var row: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[rowStart..<position]) }

  /// The cells of the next row that is not empty, and its first line; nil at the end.
  func next() throws -> (cells: [String], line: Int)? {
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
      guard position < bytes.count, bytes[position] == delimiter else { break }
      position += 1
    }
    if position < bytes.count, bytes[position] == 0x0d { position += 1 }
    if position < bytes.count, bytes[position] == 0x0a { position += 1 }
    line += 1
    return (cells, start)
  }

  private func nextCell(startLine: Int) throws -> String {
    if isQuoted, position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      return try nextQuotedCell(startLine: startLine)
    }
    let start = position
    while position < bytes.count, bytes[position] != delimiter, bytes[position] != 0x0a, bytes[position] != 0x0d {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func nextQuotedCell(startLine: Int) throws -> String {
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
    guard position < bytes.count, ![delimiter, 0x0a, 0x0d].contains(bytes[position]) else { return }
    while position < bytes.count, bytes[position] != 0x0a { position += 1 }
    throw BadLine(line: startLine, reason: "text follows a closed quotation mark")
  }
}
