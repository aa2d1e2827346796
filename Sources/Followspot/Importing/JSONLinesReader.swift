// SPDX-License-Identifier: MIT

/// Reads JSON Lines: one object per line.
final class JSONLinesReader: RecordReader {
  private let file: InputFile
  private let parser: JSONRecordParser
  private(set) var position: Int
  private var line = 0

  init(_ file: InputFile, from start: Int) throws {
    self.file = file
    parser = try JSONRecordParser()
    position = start
  }

  func next() throws -> InputRecord? {
    while position < file.bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: file.bytes[position...])
      let length = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count
      position = min(file.bytes.count, position + length + 1)
      line += 1
      let text = UnsafeRawBufferPointer(rebasing: rest[..<length])
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { continue }
      return try parser.record(text, line: line)
    }
    return nil
  }
}
