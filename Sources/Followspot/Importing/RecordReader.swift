// SPDX-License-Identifier: MIT

/// Reads the records of a file one by one.
protocol RecordReader: AnyObject {
  /// Number of bytes read so far.
  var position: Int { get }

  /// The next record; nil at the end.
  ///
  /// - Throws: `BadLine`; the next call continues after that line.
  func next() throws -> InputRecord?
}

/// The format of a file of records.
package enum InputFormat: String, Sendable, CaseIterable {
  /// One object per line, or an array of objects.
  case jsonl
  /// The same format under the name that many people use.
  case json
  case csv, tsv

  /// The format that the extension of a path names; a final `.gz` is ignored. nil if the extension is unknown.
  init?(path: String) {
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
