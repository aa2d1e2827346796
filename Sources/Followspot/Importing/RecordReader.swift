/// How a file holds records.
package enum InputFormat: String, Sendable, CaseIterable {
  case jsonl, csv, tsv

  /// By the suffix of a path.
  package init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "jsonl", "ndjson", "json": self = .jsonl
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    default: return nil
    }
  }
}

/// Reads the records of a file one by one.
package protocol RecordReader: AnyObject {
  /// Bytes read so far.
  var position: Int { get }

  /// The next record; nil at the end.
  ///
  /// - Throws: `BadLine`; reading may go on behind it.
  func next() throws -> Record?
}

extension InputFormat {
  package func reader(of file: InputFile) throws -> any RecordReader {
    switch self {
    case .jsonl: try JSONLinesReader(file)
    case .csv: try SeparatedReader(file, separator: UInt8(ascii: ","), isQuoted: true)
    case .tsv: try SeparatedReader(file, separator: UInt8(ascii: "\t"), isQuoted: false)
    }
  }
}
