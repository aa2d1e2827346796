// SPDX-License-Identifier: MIT

/// Reads CSV and TSV with a header line.
final class SeparatedReader: RecordReader {
  private let rows: RowScanner
  /// Keeps the file mapped while its bytes are read.
  private let file: InputFile
  private let header: [String]
  /// The cells of the header line as they are in the file.
  private let headerCells: [String]

  init(_ file: InputFile, from start: TextStart, delimiter: Delimiter, isQuoted: Bool) throws {
    self.file = file
    rows = RowScanner(file, from: start, delimiter: delimiter, isQuoted: isQuoted)
    do {
      (headerCells, header) = try Self.header(rows)
    } catch var bad as BadLine {
      bad.isHeader = true
      throw bad
    }
  }

  private static func header(_ rows: RowScanner) throws -> (cells: [String], names: [String]) {
    guard let (cells, line) = try rows.next() else { throw BadLine(line: 1, reason: "a header line is needed") }
    guard !rows.row.contains(0) else { throw BadLine.holdsNUL(line: line) }
    guard isValidUTF8(rows.row) else { throw BadLine.encoding(line: line) }
    let names = cells.map(Self.name)
    var known: Set<String> = []
    for name in names where name.isEmpty || !known.insert(name).inserted {
      throw BadLine(line: line, reason: name.isEmpty ? "a column has no name" : "two columns are named \(name)")
    }
    return (cells, names)
  }

  var position: Int { rows.position }

  func next() throws -> InputRecord? {
    guard let (cells, line) = try rows.next() else { return nil }
    guard isValidUTF8(rows.row) else { throw BadLine.encoding(line: line) }
    guard cells.count == header.count else {
      throw BadLine(line: line, reason: "\(cells.count) cells under \(header.count) columns")
    }
    // A column of words may contain its own name.
    if header.count > 1, cells == headerCells { throw BadLine(line: line, reason: "the header is repeated") }
    return InputRecord(fields: zip(header, cells).map { ($0, $1.isEmpty ? .null : .cell($1)) }, line: line)
  }

  /// A column name without surrounding white space. Spreadsheets may put line breaks in it, which become spaces.
  private static func name(_ header: String) -> String {
    header.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
  }
}
