// SPDX-License-Identifier: MIT

internal import Followspot
internal import SQLite
internal import SearchIndex
internal import Store

/// The output formats of `sql`.
enum StatementFormat: String, CaseIterable, Sendable {
  case text, json, ndjson, tsv, csv
}

/// Runs statements and prints their rows. Nothing is printed before the statement has ended, so that a slow reader does
/// not keep the snapshot of the store open.
struct StatementPrinter {
  private let statement: StoreStatement
  private let format: StatementFormat
  private let limit: Int?
  private let milliseconds: Int?

  init(_ statement: StoreStatement, format: StatementFormat, limit: Int?, milliseconds: Int?) {
    (self.statement, self.format, self.limit, self.milliseconds) = (statement, format, limit, milliseconds)
  }

  /// Prints the rows of a statement.
  func run(_ sql: String) throws -> ExitCode {
    var output = OutputSpool()
    var count = 0
    var isCut = false
    let watchdog = StatementWatchdog(milliseconds: milliseconds)
    do {
      defer { watchdog.end() }
      try statement.run(sql, stoppingAfter: milliseconds) { rows in
        output = OutputSpool()
        (count, isCut) = (0, false)
        var encoder = RowEncoder(format, columns: rows.columns, isTerminal: Console.isOutputTerminal)
        try output.write(encoder.start())
        while let row = try rows.next() {
          if let limit, count == limit {
            isCut = true
            break
          }
          try output.write(encoder.encode(row))
          count += 1
        }
        try output.write(encoder.end())
      }
    }
    for note in statement.notes { Console.say(note) }
    statement.missing.say()
    try output.print()
    if isCut, let limit { Console.say("only the first \(HumanText.count(limit, "row")) of more are printed (-n)") }
    return !statement.missing.isEmpty ? .incomplete : count > 0 ? .success : .negative
  }
}

/// Formats the rows of a statement.
struct RowEncoder {
  /// The number of rows that are aligned together on a terminal.
  private static let alignedRows = 1_000

  private let format: StatementFormat
  private let columns: [String]
  private let isTerminal: Bool
  /// Rows that are not aligned yet.
  private var pending: [[String]] = []
  private var hasRows = false
  private var hasHeader = false

  init(_ format: StatementFormat, columns: [String], isTerminal: Bool) {
    let isJSON = format == .json || format == .ndjson
    (self.format, self.isTerminal) = (format, isTerminal)
    self.columns = isJSON ? Self.distinct(columns) : columns
  }

  /// The names, where each repeated one gets a number as SQLite numbers the columns of a subquery: `title`, `title:1`.
  private static func distinct(_ names: [String]) -> [String] {
    var taken = Set(names)
    var seen: Set<String> = []
    return names.map { name in
      guard !seen.insert(name).inserted else { return name }
      let free = (1...).lazy.map { "\(name):\($0)" }.first { !taken.contains($0) } ?? name
      taken.insert(free)
      return free
    }
  }

  mutating func start() -> [UInt8] {
    switch format {
    case .csv: return Array((columns.map { ResultPrinter.csv(shown($0)) }.joined(separator: ",") + "\r\n").utf8)
    case .json:
      var json = JSONWriter()
      json.array { json in for column in columns { json.string(column) } }
      return Array(#"{"format":\#(FormatVersion.current),"columns":"#.utf8) + json.bytes + Array(#","rows":["#.utf8)
    case .text, .tsv, .ndjson: return []
    }
  }

  mutating func encode(_ row: [Value]) throws -> [UInt8] {
    defer { hasRows = true }
    switch format {
    case .text where isTerminal:
      pending.append(row.map { Self.text($0).printable })
      return pending.count < Self.alignedRows ? [] : aligned()
    case .text: return line(row.map { Self.text($0).printable }, "\t", "\n")
    case .tsv: return line(row.map { ResultPrinter.tsv(shown(Self.text($0))) }, "\t", "\n")
    case .csv: return line(row.map { ResultPrinter.csv(shown(Self.text($0))) }, ",", "\r\n")
    case .ndjson: return try object(row) + [0x0a]
    case .json: return (hasRows ? [UInt8(ascii: ",")] : []) + (try object(row))
    }
  }

  mutating func end() -> [UInt8] {
    switch format {
    case .text: aligned()
    case .json: Array("]}\n".utf8)
    case .ndjson, .tsv, .csv: []
    }
  }

  private func line(_ cells: [String], _ separator: String, _ end: String) -> [UInt8] {
    Array((cells.joined(separator: separator) + end).utf8)
  }

  private func object(_ row: [Value]) throws -> [UInt8] {
    try JSONObject(members: zip(columns, row).map { ($0, StoredValue($1, as: .data)) }).bytes
  }

  /// The pending rows as an aligned table, under a header if it is the first one.
  private mutating func aligned() -> [UInt8] {
    guard !pending.isEmpty else { return [] }
    let header = hasHeader ? [] : [columns.map(\.printable)]
    let isFirst = !hasHeader
    let lines = AlignedTable(header + pending, width: Console.width).lines { cell, row, _ in
      isFirst && row == 0 ? Style.bold(cell) : cell
    }
    pending = []
    hasHeader = true
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private func shown(_ text: String) -> String { isTerminal ? text.printable : text }

  /// A value as text: NULL is empty, and a BLOB is Base64.
  private static func text(_ value: Value) -> String { ValueText.plain(value, as: .data) }
}
