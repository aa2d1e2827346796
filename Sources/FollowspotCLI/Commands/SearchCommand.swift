// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import Scaling
internal import Searching
internal import ShellInterface

extension CommandDescription {
  static let queryOptions = [
    OptionDescription("--kind", "ENTITY", "only records of this entity; may be repeated"),
    OptionDescription("--all", nil, "require all words"),
    OptionDescription("--any", nil, "accept any of the words"),
    OptionDescription("--literal", nil, "treat the query as plain words, without operators and fields"),
    OptionDescription("--index-only", nil, "search the index alone, without changes that are not indexed yet"),
    OptionDescription("--max-lag", "TIME", "exit 4 if the answer would be older than this: 0, 500ms, 10s"),
    OptionDescription("--at-least", "TOKEN", "wait until the answer includes this transaction; exit 4 after 10 s"),
  ]

  /// For verbs that search groups.
  static let groupOptions = [
    OptionDescription(
      "--require", "PARTS", Requirement.self,
      "parts of a group that must answer, or exit 8 after 10 s (default: any): ")
  ]

  /// - Parameter words: The words of the query; defaults to all arguments.
  static func request(_ call: Invocation, _ words: [String]? = nil) throws -> SearchRequest {
    var request = SearchRequest(query: (words ?? call.positionals).joined(separator: " "))
    if call.has("--all"), call.has("--any") { throw CommandError("--all and --any cannot be combined") }
    if call.has("--all") { request.words = .all }
    if call.has("--any") { request.words = .any }
    request.isLiteral = call.has("--literal")
    request.kinds = call.options["--kind"] ?? []
    request.isIndexOnly = call.has("--index-only")
    if call.has("--max-lag") { request.mostLag = Double(try call.milliseconds("--max-lag", default: 0)) / 1_000 }
    request.atLeast = try call.integer("--at-least").map(Int64.init)
    return request
  }

  private static func template(_ call: Invocation, _ format: ResultFormat?) throws -> Template? {
    guard let source = call.value("--template") else { return nil }
    guard format == nil || format == .text, !call.has("--fields") else {
      throw CommandError("--template prints text and cannot be combined with --fields or another --format")
    }
    return try Template(source)
  }

  /// The recency boost, which ranks records with newer dates or higher numbers higher.
  static let boostOptions = [
    OptionDescription(
      "--recent", "FIELD[:HALF]",
      "rank newer records higher; the boost halves every HALF (year:10, seen:30d)"),
    OptionDescription(
      "--boost", "FIELD", "rank records higher by the logarithm of a number, such as votes; may be repeated"),
  ]

  static func takeBoosts(_ call: Invocation, _ request: inout SearchRequest) throws {
    request.recency = try call.value("--recent").map { text in
      guard let recency = SearchRequest.RecencyBoost(text) else {
        throw CommandError("--recent takes FIELD or FIELD:HALF, not '\(text)'")
      }
      return recency
    }
    request.boosts = call.options["--boost"] ?? []
  }

  static let search = CommandDescription(
    name: "search", arguments: "QUERY…", summary: "search, and print ranked hits with their current rows",
    details: """
      Query: words, "a phrase", title:word, cast:"a name", year:1995..2010, rating:>=8, is:favorite, kind:Movie, toy*,
      AND OR NOT -word ( ), and * for everything. Records with all words come first. If there are few of them, records
      with any of the words follow, and a note says so. `followspot help query` describes the whole language.
      """,
    examples: [
      "followspot --store movies.store search toy friendship year:1995..2010",
      "followspot --store movies.store search 'cast:\"tom hanks\" genres:comedy' -n 5 --format json",
    ],
    options: queryOptions + groupOptions + boostOptions + [
      OptionDescription(
        "-n", "N", "maximum number of hits (default: 20 as text, all in other formats and with --live; 0 = all)"),
      OptionDescription("--offset", "N", "skip the first N hits"),
      OptionDescription("--expand", nil, "also search words that are typical of the best hits"),
      OptionDescription(
        "--sort", "FIELD[:desc],…", "sort by fields instead of relevance; the first field counts most"),
      OptionDescription("--facet", "FIELD", "count the values of a field in all matches; may be repeated"),
      OptionDescription("--section-by", "FIELD", "group hits by a field (default on a terminal: by kind)"),
      OptionDescription("--snippets", nil, "show the passage that matches (always on a terminal)"),
      OptionDescription(
        "--fields", "A,B",
        "columns to print: attributes, paths, @id @entity @store @score @freshness @deleted @author @tx"),
      OptionDescription(
        "--scores", nil, "show scores: beside titles on a terminal, otherwise in the last column"),
      OptionDescription("--format", "FORMAT", ResultFormat.self),
      OptionDescription("--live", nil, "print the result, then each change of it (+ ~ -) until stopped"),
      OptionDescription("--build", nil, "build the index if there is none (always on a terminal)"),
      OptionDescription(
        "--template", "TEXT", #"print each hit as the template says, with fields in braces: '{title} ({year})\n'"#),
    ],
    isPaged: true
  ) { call in try search(call, request(call)) }

  /// Searches, and prints the result as the options of the call say.
  ///
  /// - Parameters:
  ///   - request: The query and what restricts its result.
  ///   - limit: The maximum number of hits without `-n`; nil for the default of the format.
  static func search(_ call: Invocation, _ request: SearchRequest, limit: Int? = nil) throws -> ExitCode {
    var request = request
    let format = try call.choice("--format", ResultFormat.self)
    let asked = try call.integer("-n")
    request.limit = asked ?? limit ?? ((format ?? .text) == .text && !call.has("--live") ? 20 : 0)
    if request.limit == 0 { request.limit = nil }
    request.offset = try call.integer("--offset") ?? 0
    if let text = call.options["--sort"]?.joined(separator: ",") {
      guard let keys = SearchRequest.Sort.keys(text) else {
        throw CommandError("--sort takes FIELD, FIELD:asc or FIELD:desc, with commas between several, not '\(text)'")
      }
      request.sort = keys
    }
    try takeBoosts(call, &request)
    if request.recency != nil, !request.sort.isEmpty {
      throw CommandError("--sort and --recent cannot be combined")
    }
    if !request.boosts.isEmpty, !request.sort.isEmpty {
      throw CommandError("--sort and --boost cannot be combined")
    }
    request.expands = call.has("--expand")
    if request.expands, request.words == .all {
      throw CommandError("--all and --expand cannot be combined")
    }
    request.facets = call.options["--facet"] ?? []
    let hasOnlyHits = format != nil && format != .text && format != .json
    if !request.facets.isEmpty, hasOnlyHits || call.has("--template") {
      throw CommandError("--facet works only with the formats text and json", hint: "followspot count --by FIELD")
    }
    request.section = call.value("--section-by").flatMap { $0.lowercased() == "kind" ? nil : $0 }
    request.wantsSnippets =
      call.has("--snippets")
      || (!call.has("--live") && format == nil && Console.isOutputTerminal && !call.has("--fields"))
    request.showsTitles = Console.isOutputTerminal && (format ?? .text) == .text && !call.has("--fields")
    let group = try call.searchGroup()
    if call.has("--live") {
      if group != nil { throw CommandError("--live follows one store, not several") }
      try checkLive(call, format)
    }
    let searcher: any RecordSearch = try group ?? call.searcherBuildingIndex()
    let template = try template(call, format)
    let fields = call.value("--fields").map { $0 + (call.has("--scores") ? ",@score" : "") }
    let selector = try FieldSelector(
      template?.names.joined(separator: ",") ?? fields, entities: searcher.entities,
      option: template == nil ? "--fields" : "--template", findsDeleted: try searcher.findsDeleted(request),
      isOfGroup: group != nil, isField: searcher.hasField)
    if let stored = searcher.storedFields, let name = unstored(selector, stored) {
      throw OperationError(
        .usage, "the replica does not store '\(name)'", recovery: .storedFields(stored.sorted()))
    }
    for (part, stored) in group?.storedFieldsOfRemotes ?? [] {
      if let name = unstored(selector, stored) { Console.say("\(part) does not store '\(name)'; it stays empty there") }
    }
    request.fields = selector.fields
    let printer = ResultPrinter(
      format: format ?? .text, selector: selector, hasFields: call.has("--fields"),
      hasScores: call.has("--scores"),
      sections: call.has("--section-by") ? .always : Console.isOutputTerminal ? .ofSeveralKinds : .none,
      template: template)
    func print(_ result: SearchResult) throws {
      for note in result.notes { Console.say(note) }
      say(missing: result.missing)
      if (format ?? .text) != .json { say(gapsOf: result.stores, result.index) }
      if let preservation = result.preservation { Console.hint(preservation.advice) }
      if let nearest = result.nearest { Console.hint(nearest.advice) }
      if result.isWidened { Console.say("records with any of the words follow those with all of them") }
      try printer.print(result, query: request.query)
    }
    if call.has("--live") { return try searchLive(call, request, printer: printer, print) }
    let clock = ContinuousClock()
    let started = clock.now
    let result = try searcher.search(request)
    let took = clock.now - started
    try print(result)
    Console.flush()
    let footer = AnswerFooter(result: result, request: request, took: took)
    if Console.isOutputTerminal, Console.isErrorTerminal {
      footer.print()
    } else if asked == nil {
      footer.sayRest()
    }
    if !result.missing.isEmpty { return .incomplete }
    return result.hits.isEmpty ? .negative : .success
  }

  /// Says which parts of a group were not searched.
  static func say(missing: [MissingPart]) {
    for part in missing { Console.say("missing from this answer: \(part.reason)") }
    if !missing.isEmpty { Console.hint("start serve on that machine; --require all waits for it") }
  }

  /// Says that the index, or some indexes of a group, do not contain whole stores.
  static func say(gapsOf stores: [StoreStatus], _ index: IndexStatus) {
    guard !stores.isEmpty else {
      if let gap = index.complete.gap { Console.say("\(gap): followspot failed says why") }
      return
    }
    let gaps = stores.compactMap { store in store.index.complete.gap.map { "\(store.name): \($0)" } }
    for gap in gaps.prefix(3) { Console.say(gap) }
    if gaps.count > 3 {
      Console.say("\(gaps.count - 3) more indexes do not contain all rows: --format json lists them")
    }
  }

  /// The first column that is not among the stored fields; nil if all are. It would look empty.
  private static func unstored(_ selector: FieldSelector, _ stored: Set<String>) -> String? {
    selector.columns.lazy.compactMap { _, column in
      switch column {
      case .attribute(let attribute), .path(let attribute, _), .field(let attribute): attribute
      default: nil
      }
    }.first { !stored.contains($0) }
  }
}
