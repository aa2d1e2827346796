// SPDX-License-Identifier: MIT

internal import Base

/// Reads the objects of a JSON array: the document itself, or an array inside it.
final class JSONArrayReader: RecordReader {
  private let file: InputFile
  private let parser: JSONRecordParser
  private var scanner: JSONScanner
  private var isFirst = true
  private var isAtEnd = false

  /// - Parameter path: The names and array indices that lead to the array: `data.items`, `results.0.rows`.
  init(_ file: InputFile, from start: Int, path: [String]) throws {
    self.file = file
    parser = try JSONRecordParser()
    scanner = JSONScanner(file.bytes, from: start)
    for (depth, step) in path.enumerated() where !descend(step) {
      throw OperationError(
        .usage,
        "the document has nothing at \(path[...depth].joined(separator: "."))",
        recovery: .nameArray)
    }
    guard scanner.take("[") else {
      let target = path.isEmpty ? "the document" : "what is at \(path.joined(separator: "."))"
      throw OperationError(.usage, "\(target) is not an array", recovery: .chooseArray)
    }
  }

  var position: Int { scanner.position }

  func next() throws -> InputRecord? {
    guard !isAtEnd else { return nil }
    guard let byte = scanner.peek() else { throw broken("the array is not closed") }
    guard byte != UInt8(ascii: "]") else {
      isAtEnd = true
      return nil
    }
    guard isFirst || scanner.take(",") else { throw broken("a comma is missing between two records") }
    isFirst = false
    _ = scanner.peek()
    let line = scanner.line
    guard let text = scanner.takeValue() else { throw broken("the record is not complete") }
    return try parser.record(text, line: line)
  }

  /// An error after which the next record cannot be found, so that reading ends.
  private func broken(_ reason: String) -> BadLine {
    isAtEnd = true
    return BadLine(line: scanner.line, reason: reason)
  }

  // MARK: Path

  /// Moves to a member of an object or an element of an array; false if there is none.
  private func descend(_ step: String) -> Bool {
    if scanner.take("[") {
      guard let number = Int(step) else { return false }
      for _ in 0..<max(0, number) { guard scanner.takeValue() != nil, scanner.take(",") else { return false } }
      return scanner.peek().map { $0 != UInt8(ascii: "]") } ?? false
    }
    guard scanner.take("{") else { return false }
    while scanner.peek() == UInt8(ascii: "\""), let key = scanner.takeValue(), scanner.take(":") {
      if JSONDocument.name(key) == step { return true }
      guard scanner.takeValue() != nil, scanner.take(",") else { return false }
    }
    return false
  }
}
