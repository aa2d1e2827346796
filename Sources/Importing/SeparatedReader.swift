// SPDX-License-Identifier: MIT

/// Reads CSV and TSV with a header line.
final class SeparatedReader: RecordReader {
  private let rows: RowScanner
  /// Keeps the file mapped while its bytes are read.
  private let file: InputFile
  private let header: [String]

  init(_ file: InputFile, from start: TextStart, delimiter: Delimiter, isQuoted: Bool) throws {
    self.file = file
    rows = RowScanner(file, from: start, delimiter: delimiter, isQuoted: isQuoted)
    guard let (names, _) = try rows.next() else { throw BadLine(line: 1, reason: "a header line is needed") }
    guard !rows.row.contains(0) else { throw BadLine.holdsNUL(line: 1) }
    guard isValidUTF8(rows.row) else { throw BadLine.encoding(line: 1) }
    header = names.map(Self.name)
    var known: Set<String> = []
    for name in header where name.isEmpty || !known.insert(name).inserted {
      throw BadLine(line: 1, reason: name.isEmpty ? "a column has no name" : "two columns are named \(name)")
    }
  }

  var position: Int { rows.position }

  func next() throws -> InputRecord? {
    guard let (cells, line) = try rows.next() else { return nil }
    guard isValidUTF8(rows.row) else { throw BadLine.encoding(line: line) }
    guard cells.count == header.count else {
      throw BadLine(line: line, reason: "\(cells.count) cells under \(header.count) columns")
    }
    return InputRecord(fields: zip(header, cells).map { ($0, $1.isEmpty ? .null : .cell($1)) }, line: line)
  }

  /// A column name without surrounding white space. Spreadsheets may put line breaks in it, which become spaces.
  private static func name(_ header: String) -> String {
    header.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
  }
}
