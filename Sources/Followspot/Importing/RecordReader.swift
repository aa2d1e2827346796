/// Reads the records of a file one by one.
package protocol RecordReader: AnyObject {
  /// Bytes read so far.
  var position: Int { get }

  /// The next record; nil at the end.
  ///
  /// - Throws: `BadLine`; reading may go on behind it.
  func next() throws -> InputRecord?
}

/// How a file holds records.
package enum InputFormat: String, Sendable, CaseIterable {
  /// One object a line, or an array of objects.
  case jsonl
  /// The same: many call it so.
  case json
  case csv, tsv

  /// By the suffix of a path, that of compression apart.
  package init?(path: String) {
    let path = path.lowercased().hasSuffix(".gz") ? String(path.dropLast(3)) : path
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "jsonl", "ndjson": self = .jsonl
    case "json": self = .json
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    default: return nil
    }
  }
}
