internal import Followspot
internal import PersistentStore

/// How results are printed.
enum ResultFormat: String, CaseIterable, Sendable {
  case text, json, ndjson, tsv, csv, ids
}

struct ResultPrinter {
  let format: ResultFormat
  let selector: FieldSelector
  /// Whether `--fields` was given.
  let hasFields: Bool

  func print(_ result: SearchResult, query: String) throws {
    switch format {
    case .ids: for hit in result.hits { Console.write(hit.identifier.uri + "\n") }
    case .tsv: for hit in result.hits { try row(hit, separator: "\t", escape: Self.tsv) }
    case .csv:
      Console.write(selector.columns.map { Self.csv(shown($0.name)) }.joined(separator: ",") + "\r\n")
      for hit in result.hits { try row(hit, separator: ",", escape: Self.csv, end: "\r\n") }
    case .text: try text(result)
    case .ndjson:
      for hit in result.hits {
        var json = JSONWriter()
        try write(hit, to: &json)
        Console.write(bytes: json.bytes + [0x0a])
      }
    case .json: try json(result, query: query)
    }
  }

  // MARK: Tables

  private func row(_ hit: Hit, separator: String, escape: (String) -> String, end: String = "\n") throws {
    let cells = try selector.columns.map { escape(shown(try selector.text($0.column, of: hit))) }
    Console.write(cells.joined(separator: separator) + end)
  }

  /// A pipe gets the bytes as they are, but for what would break the table.
  private func shown(_ text: String) -> String { Console.isOutputTerminal ? Visible.line(text) : text }

  private static func tsv(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "\t" || $0 == "\n" || $0 == "\r" }) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      shown.append(scalar == "\t" || scalar == "\n" || scalar == "\r" ? " " : scalar)
    }
    return String(shown)
  }

  private static func csv(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
    guard needsQuotes else { return text }
    let doubled = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    return "\"" + doubled + "\""
  }

  // MARK: Text

  /// A pipe gets identifier, score and title by TAB; a terminal gets the title first.
  private func text(_ result: SearchResult) throws {
    for hit in result.hits {
      let cells = try selector.columns.map { Visible.line(try selector.text($0.column, of: hit, uri: false)) }
      guard Console.isOutputTerminal, !hasFields else {
        Console.write(cells.joined(separator: "\t") + "\n")
        continue
      }
      let mark = hit.freshness == .changed ? "  (changed since)" : ""
      Console.write("\(cells[2])  \(Style.dim(cells[0] + "  " + cells[1] + mark))\n")
    }
  }

  // MARK: JSON

  private func write(_ hit: Hit, to json: inout JSONWriter) throws {
    try json.object { json in
      json.pair("id", hit.identifier.uri)
      json.pair("entity", hit.identifier.entityName)
      json.key("score")
      json.raw(FieldSelector.score(hit.score))
      json.pair("freshness", hit.freshness.rawValue)
      json.key("fields")
      try json.object { json in
        guard hasFields else { return RecordPrinter.writeFields(hit.values, hit.entity, to: &json) }
        for column in selector.columns {
          json.key(column.name)
          try selector.write(column.column, of: hit, to: &json)
        }
      }
    }
  }

  private func json(_ result: SearchResult, query: String) throws {
    var json = JSONWriter()
    try json.object { json in
      json.pair("format", 1)
      json.pair("query", query)
      json.key("index")
      json.object { json in
        json.pair("uuid", result.index.uuid)
        json.pair("generation", result.index.generation)
        json.pair("token", result.index.token)
        json.pair("lagTransactions", result.index.lagTransactions)
        json.pair("lagSeconds", number: result.index.lagSeconds)
      }
      json.pair("estimated", result.estimated)
      json.pair("widened", result.isWidened)
      json.key("corrected")
      json.null()
      json.key("hits")
      try json.array { json in for hit in result.hits { try write(hit, to: &json) } }
      json.key("facets")
      json.object { _ in }
    }
    Console.write(bytes: json.bytes + [0x0a])
  }
}

/// Rows as JSON objects.
enum RecordPrinter {
  static func writeFields(_ values: [FieldStorage], _ entity: EntityLayout, to json: inout JSONWriter) {
    for (attribute, value) in zip(entity.entity.attributes, values) {
      json.key(attribute.name)
      json.value(value, as: attribute.type)
    }
  }
}
