internal import Followspot
internal import PersistentStore

/// How results are printed.
enum ResultFormat: String, CaseIterable, Sendable {
  case text, text0, json, ndjson, tsv, csv, ids
}

struct ResultPrinter {
  let format: ResultFormat
  let selector: FieldSelector
  /// Whether `--fields` was given.
  let hasFields: Bool
  /// Whether text is put into sections.
  let sections: Sections
  /// In the place of a format's own form; its fields are the selector's columns.
  var template: Template?

  enum Sections { case none, ofSeveralKinds, always }

  func print(_ result: SearchResult, query: String) throws {
    if let template { return try fill(template, result) }
    switch format {
    case .ids: for hit in result.hits { Console.write(hit.identifier.uri + "\n") }
    case .tsv: for hit in result.hits { try row(hit, separator: "\t", escape: Self.tsv) }
    case .csv:
      Console.write(selector.columns.map { Self.csv(shown($0.name)) }.joined(separator: ",") + "\r\n")
      for hit in result.hits { try row(hit, separator: ",", escape: Self.csv, end: "\r\n") }
    case .text: try text(result)
    case .text0: for hit in result.hits { Console.write(try cells(of: hit).joined(separator: "\t") + "\0") }
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

  private func columns(of hit: Hit) throws -> [String] {
    try selector.columns.map { Visible.line(try selector.text($0.column, of: hit, uri: false)) }
  }

  /// The columns and, where there is one, the snippet.
  private func cells(of hit: Hit) throws -> [String] {
    try columns(of: hit) + (hit.snippet.map { [Self.marked($0)] } ?? [])
  }

  private func fill(_ template: Template, _ result: SearchResult) throws {
    for hit in result.hits { Console.write(template.filled(try columns(of: hit))) }
  }

  /// A pipe gets identifier, score and title by TAB; a terminal gets columns, with the title first.
  private func text(_ result: SearchResult) throws {
    guard sections != .none else {
      try lines(result.hits)
      return facets(result.facets)
    }
    // A section stands where its best hit does.
    var names: [String] = []
    for hit in result.hits where !names.contains(hit.sectionName) { names.append(hit.sectionName) }
    for (place, name) in names.enumerated() {
      if names.count > 1 || sections == .always {
        Console.write((place > 0 ? "\n" : "") + Style.bold(name.isEmpty ? "-" : Visible.line(name)) + "\n")
      }
      try lines(result.hits.filter { $0.sectionName == name })
    }
    facets(result.facets)
  }

  private func facets(_ facets: [Facet]) {
    for facet in facets {
      Console.write("\n" + Style.bold(Visible.line(facet.field)) + "\n")
      for value in facet.values.prefix(20) { Console.write("\(value.count)\t\(Visible.line(value.text))\n") }
      if facet.values.count > 20 { Console.write(Style.dim("and \(facet.values.count - 20) more values") + "\n") }
    }
  }

  private func lines(_ hits: [Hit]) throws {
    guard Console.isOutputTerminal else {
      for hit in hits { Console.write(try cells(of: hit).joined(separator: "\t") + "\n") }
      return
    }
    let rows = try hits.map { hit in
      let cells = try columns(of: hit)
      return hasFields
        ? cells : [cells[2], cells[0], cells[1] + (hit.freshness == .changed ? "  (changed since)" : "")]
    }
    let table = AlignedTable(rows, width: Console.width)
    for (line, hit) in zip(table.lines({ hasFields || $1 == 0 ? $0 : Style.dim($0) }), hits) {
      Console.write(line + "\n")
      if let snippet = hit.snippet { Console.write("    \(Self.marked(snippet))\n") }
    }
  }

  /// A snippet on one line, what matches in bold.
  private static func marked(_ snippet: Snippet) -> String {
    let scalars = Array(snippet.text.unicodeScalars)
    func piece(_ range: Range<Int>) -> String {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[range])
      return Visible.line(String(view))
    }
    var text = snippet.isCutBefore ? "…" : ""
    var at = 0
    for range in snippet.highlights {
      text += piece(at..<range.lowerBound) + Style.bold(piece(range))
      at = range.upperBound
    }
    return text + piece(at..<scalars.count) + (snippet.isCutBehind ? "…" : "")
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
      if let section = hit.section { json.pair("section", section) }
      guard let snippet = hit.snippet else { return }
      json.key("snippet")
      json.object { json in
        json.pair("field", snippet.field)
        json.pair("text", snippet.text)
        json.key("highlights")
        json.array { json in
          for range in snippet.highlights { json.raw("[\(range.lowerBound),\(range.count)]") }
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
      json.string(result.corrected)
      if let nearest = result.nearest {
        json.key("suggestion")
        json.object { json in
          json.pair("query", nearest.query)
          json.key("kinds")
          json.array { json in for kind in nearest.kinds { json.string(kind) } }
          json.pair("records", nearest.count)
        }
      }
      json.key("hits")
      try json.array { json in for hit in result.hits { try write(hit, to: &json) } }
      json.key("facets")
      json.object { json in
        for facet in result.facets {
          json.key(facet.field)
          json.object { json in for value in facet.values { json.pair(value.text, value.count) } }
        }
      }
    }
    Console.write(bytes: json.bytes + [0x0a])
  }
}

extension Hit {
  /// The value by which it is put into a section: of the field that was asked for, else its entity.
  fileprivate var sectionName: String { section ?? identifier.entityName }
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
