// SPDX-License-Identifier: MIT

internal import Base

/// A file of records, decoded to UTF-8, with its format.
package struct RecordFile {
  /// Properties of a file that a person states; nil = detected from the file.
  package struct Options: Sendable {
    package var format: InputFormat?
    package var encoding: TextEncoding?
    package var delimiter: Delimiter?
    /// The path of an array inside a JSON document, joined by dots: `data.items`.
    package var path: String?

    init() {}
  }

  let file: InputFile
  let format: InputFormat
  let encoding: TextEncoding
  /// nil for JSON.
  let delimiter: Delimiter?
  /// Whether the delimiter was guessed from the rows.
  let isDelimiterSniffed: Bool
  private let path: [String]?
  /// The start of the rows, after a byte order mark and a `sep=` line.
  private let start: TextStart

  /// - Throws: `OperationError.usage` if the format is unknown, or if an option does not apply to it; `.file` for
  ///   damaged compressed data.
  init(_ file: InputFile, _ options: Options) throws {
    guard Gzip.isCompressed(file.bytes) else {
      try self.init(text: file, options)
      return
    }
    var fault: Gzip.Fault?
    let text = try InputFile.made(name: file.name) { write in
      do {
        try Gzip.inflate(file.bytes, write)
      } catch let error as Gzip.Fault {
        fault = error
      }
    }
    try self.init(text: text, options)
    if let fault { throw try broken(fault) }
  }

  private init(text source: InputFile, _ options: Options) throws {
    guard let format = options.format ?? InputFormat(path: source.name) else {
      throw OperationError(
        .usage, "the format of \(source.name) is not known", recovery: .nameFormat)
    }
    self.format = format
    let (encoding, mark) = TextEncoding.of(source.bytes, named: options.encoding)
    self.encoding = encoding
    let first = encoding == .utf8 ? mark : 0
    if encoding == .utf8 {
      file = source
    } else {
      let text = UnsafeRawBufferPointer(rebasing: source.bytes[mark...])
      file = try InputFile.made(name: source.name) { try encoding.decode(text, $0) }
    }
    let isJSON = format == .json || format == .jsonl
    guard isJSON || options.path == nil else {
      throw OperationError(.usage, "the path of an array goes with JSON, not with \(format.rawValue)")
    }
    guard !isJSON || options.delimiter == nil else {
      throw OperationError(.usage, "a delimiter goes with CSV and TSV, not with \(format.rawValue)")
    }
    let declared = isJSON ? nil : Delimiter.declared(in: file, from: first)
    start = declared?.start ?? TextStart(position: first, line: 1)
    isDelimiterSniffed = format == .csv && options.delimiter == nil && declared == nil
    switch format {
    case .json, .jsonl: delimiter = nil
    case _ where (options.delimiter ?? declared?.delimiter) != nil: delimiter = options.delimiter ?? declared?.delimiter
    case .tsv: delimiter = .tab
    case .csv: delimiter = Delimiter.sniffed(in: file, from: start)
    }
    path = try isJSON ? Self.path(options.path, file, first) : nil
  }

  /// The path of the array of records; nil for JSON Lines.
  private static func path(_ named: String?, _ file: InputFile, _ start: Int) throws -> [String]? {
    if let named { return named.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
    var scanner = JSONScanner(file.bytes, from: start)
    if scanner.peek() == UInt8(ascii: "[") { return [] }
    guard JSONDocument.isObjectOverLines(file.bytes, from: start) else { return nil }
    let records = JSONDocument.pathOfRecords(in: file.bytes, from: start)
    throw OperationError(
      .usage, "\(file.name) is one JSON object over several lines, not one object a line",
      recovery: records.map { .readArray($0) } ?? .writeLines)
  }

  /// The error for damaged compressed data, with the number of the record in which the text ends.
  private func broken(_ fault: Gzip.Fault) throws -> OperationError {
    let reader = try reader()
    var (records, isAtEnd) = (0, false)
    while !isAtEnd {
      do {
        if try reader.next() == nil { isAtEnd = true } else { records += 1 }
      } catch is BadLine {
        records += 1
      }
    }
    return OperationError(
      .file, "\(file.name) is \(fault == .truncated ? "truncated" : "damaged"): its text ends in record \(records)",
      recovery: .copyFileAgain)
  }

  /// Whether all records have the same columns. A column that the file lacks is then empty in each record.
  var isTable: Bool { delimiter != nil }

  /// Size of the text in bytes.
  var size: Int { file.bytes.count }

  /// A reader of the records from a line on.
  func reader(from line: Int) throws -> any RecordReader {
    let whole = try reader()
    return line > 1 ? LaterRecords(of: whole, from: line) : whole
  }

  private func reader() throws -> any RecordReader {
    if let delimiter {
      return try SeparatedReader(file, from: start, delimiter: delimiter, isQuoted: format == .csv)
    }
    if let path { return try JSONArrayReader(file, from: start.position, path: path) }
    return try JSONLinesReader(file, from: start.position)
  }
}

/// Skips the records of another reader that are before a line.
private final class LaterRecords: RecordReader {
  private let whole: any RecordReader
  private let first: Int

  init(of whole: any RecordReader, from first: Int) {
    self.whole = whole
    self.first = first
  }

  var position: Int { whole.position }

  func next() throws -> InputRecord? {
    while true {
      do {
        guard let record = try whole.next() else { return nil }
        if record.line >= first { return record }
      } catch let bad as BadLine where bad.line < first {}
    }
  }
}

/// The offset and the line at which the rows of a text start.
struct TextStart {
  let position: Int
  let line: Int
}
