// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

/// A search of `search` or of `saved run`, and the output of its result.
struct Search {
  let call: Call
  private let options: SearchOptions
  private let format: ResultFormat?
  private let limit: Int?
  private let requirement: GroupOptions.Requirement?

  private var isText: Bool { format ?? .text == .text }

  /// - Parameters:
  ///   - limit: The value of `-n`.
  ///   - requirement: Which parts of a group must answer.
  init(
    _ call: Call, _ options: SearchOptions, format: ResultFormat?, limit: Int?,
    requirement: GroupOptions.Requirement? = nil
  ) {
    (self.call, self.options, self.format, self.limit) = (call, options, format, limit)
    self.requirement = requirement
  }

  /// Searches, and prints the result as the options say.
  ///
  /// - Parameters:
  ///   - request: The query and what restricts its result.
  ///   - preset: The maximum number of hits without `-n`; nil for the default of the format.
  func run(_ request: SearchRequest, preset: Int? = nil) throws -> ExitCode {
    var request = try completed(request, preset)
    let group = try call.searchGroup(requirement)
    if options.isLive { try checkLive() }
    let searcher: any RecordSearch =
      try (options.isLive ? group : group?.keptOpen()) ?? call.searcherBuildingIndex(options.builds)
    let printer = try printer(searcher, request, group)
    request.fields = printer.selector.fields
    func print(_ result: SearchResult) throws {
      result.sayNotes(withGaps: format != .json)
      if result.isWidened { Console.say("records with any of the words follow those with all of them") }
      sayLacking(result, printer.selector, remotes: group?.remotes.map(\.searcher) ?? [])
      try printer.print(result, query: request.query)
    }
    if options.isLive { return try LiveOutput(call, searcher, printer).run(request, print) }
    let clock = ContinuousClock()
    let started = clock.now
    let result = try searcher.search(request)
    let took = clock.now - started
    try print(result)
    Console.flush()
    let footer = AnswerFooter(result, of: request, took: took)
    if Console.isOutputTerminal, Console.isErrorTerminal {
      footer.print()
    } else if limit == nil {
      footer.sayRest()
    }
    if !result.missing.isEmpty { return .incomplete }
    return result.hits.isEmpty ? .negative : .success
  }

  /// The request with the order, the bounds and the contents of its result.
  private func completed(_ request: SearchRequest, _ preset: Int?) throws -> SearchRequest {
    var request = request
    request.limit = limit ?? preset ?? (isText && !options.isLive ? 20 : 0)
    if request.limit == 0 { request.limit = nil }
    request.offset = options.offset ?? 0
    if !options.sort.isEmpty {
      let text = options.sort.joined(separator: ",")
      guard let keys = SearchRequest.Sort.keys(text) else {
        throw CommandError("--sort takes FIELD, FIELD:asc or FIELD:desc, with commas between several, not '\(text)'")
      }
      request.sort = keys
    }
    options.boosts.apply(to: &request)
    if !request.sort.isEmpty {
      if request.recency != nil { throw CommandError("--sort and --recent cannot be combined") }
      if !request.boosts.isEmpty { throw CommandError("--sort and --boost cannot be combined") }
    }
    request.expands = options.expands
    if request.expands, request.words == .all { throw CommandError("--all and --expand cannot be combined") }
    request.facets = options.facets.map { TypedName.read($0) }
    if !request.facets.isEmpty, !isText && format != .json || options.template != nil {
      throw CommandError("--facet works only with the formats text and json", hint: "followspot count --by FIELD")
    }
    request.section = options.section.flatMap { $0.lowercased() == "kind" ? nil : TypedName.read($0) }
    let isList = Console.isOutputTerminal && options.fields == nil
    request.wantsSnippets = options.hasSnippets || (!options.isLive && format == nil && isList)
    request.showsTitles = isList && isText
    request.folds = Console.isOutputTerminal && isText && !options.isLive && options.template == nil
    return request
  }

  /// Refuses options that have no meaning for a result that changes.
  private func checkLive() throws {
    guard isText || format == .ndjson else { throw CommandError("--live prints text or ndjson") }
    let others = [
      "--template", "--max-lag", "--facet", "--section-by", "--snippets", "--at-least", "--index-only", "--offset",
    ]
    if let other = others.first(where: { call.options[$0] != nil }) {
      throw CommandError("--live and \(other) cannot be combined")
    }
  }

  // MARK: Columns

  private func printer(
    _ searcher: any RecordSearch, _ request: SearchRequest, _ group: SearchGroup?
  ) throws -> ResultPrinter {
    let template = try template()
    let fields = options.fields.map { $0 + (options.hasScores ? ",@score" : "") }
    let selector = try FieldSelector(
      template?.names.map(TypedName.written).joined(separator: ",") ?? fields, entities: searcher.entities,
      option: template == nil ? "--fields" : "--template", findsDeleted: try searcher.findsDeleted(request),
      isOfGroup: group != nil, isField: searcher.hasField)
    if let name = selector.attributes.first(where: { !searcher.mayShow($0) }) {
      throw OperationError(
        .usage, "the replica does not store '\(name)'", recovery: .storedFields(searcher.storedFields?.sorted() ?? []))
    }
    for (part, remote) in group?.remotes ?? [] {
      for name in selector.attributes where !remote.mayShow(name) {
        Console.say("\(part) does not store '\(name)'; it stays empty there")
      }
    }
    return ResultPrinter(
      format: format ?? .text, selector: selector, hasFields: options.fields != nil, hasScores: options.hasScores,
      sections: options.section != nil ? .always : Console.isOutputTerminal ? .ofSeveralKinds : .none,
      template: template)
  }

  private func template() throws -> Template? {
    guard let source = options.template else { return nil }
    guard isText, options.fields == nil else {
      throw CommandError("--template prints text and cannot be combined with --fields or another --format")
    }
    return try Template(source)
  }

  /// Names the columns that are empty for some hits because a replica lacks their values.
  ///
  /// - Parameter remotes: The remote indexes of a group. Fields that one of them never has were named before.
  private func sayLacking(_ result: SearchResult, _ selector: FieldSelector, remotes: [Searcher]) {
    for (name, column) in selector.columns where remotes.allSatisfy({ $0.mayShow(name) }) {
      let count = result.hits.count { selector.lacks(column, $0) }
      guard count > 0 else { continue }
      Console.say("'\(name)' is not stored for \(count == 1 ? "1 hit" : "\(count) hits"); it stays empty there")
    }
  }
}
