// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex
internal import Store

/// The lines and the preview of the finder.
struct PickList {
  private let searcher: any RecordSearch
  private let kind: String

  /// The maximum number of listed records.
  private static let limit = 200

  /// - Parameter kind: The name of an entity; empty for all.
  init(_ searcher: any RecordSearch, kind: String) { (self.searcher, self.kind) = (searcher, kind) }

  /// The names of the entities of all stores, each once.
  static func kinds(of searcher: any RecordSearch) -> [String] {
    var known: Set<String> = []
    return searcher.entities.map(\.entity.name).filter { known.insert($0).inserted }
  }

  /// The entity after `kind`, all entities after the last one.
  var nextKind: String {
    let kinds = [""] + Self.kinds(of: searcher)
    let index = kinds.firstIndex(of: kind) ?? 0
    return kinds[(index + 1) % kinds.count]
  }

  /// Identifier, title and entity of each hit, separated by tabs.
  func print(_ query: String) throws {
    for hit in try search(query, wantsSnippets: false) {
      let title = hit.title.printable
      let name = NamedRecord.text(of: hit.identifier, in: hit.store).printable
      Console.write(line: "\(name)\t\(title.isEmpty ? "-" : title)\t\(Style.dim(name))")
    }
  }

  /// The matching text of one hit, then all its attributes.
  func preview(_ identifier: String, _ query: String) throws {
    guard let named = try searcher.records(named: identifier).first else { return }
    let found = try search(query, wantsSnippets: true, named).first
    guard let hit = try found ?? searcher.hit(named) else { return }
    Console.write(Style.bold(hit.title.printable) + "\n\n")
    if let snippet = hit.snippet { Console.write(MarkedText(snippet).whole + "\n\n") }
    for (attribute, value) in zip(hit.entity.entity.attributes, hit.values) {
      let text = ValueText.plain(value, as: attribute.type).printable
      if !text.isEmpty { Console.write(line: "\(Style.dim(attribute.name.printable + ":")) \(text)") }
    }
  }

  /// The last word of the query is searched as a prefix, too. An incomplete query, such as `title:`, is searched as plain
  /// words.
  private func search(_ query: String, wantsSnippets: Bool, _ only: NamedRecord? = nil) throws -> [Hit] {
    var request = SearchRequest(query: Self.completed(query))
    request.limit = Self.limit
    request.wantsSnippets = wantsSnippets
    request.showsTitles = wantsSnippets
    (request.record, request.store) = (only?.record, only?.store)
    if !kind.isEmpty { request.kinds = [kind] }
    do {
      let hits = try searcher.search(request).hits
      guard hits.isEmpty, let shorter = Self.withoutShortWord(query) else { return hits }
      request.query = shorter
      return try searcher.search(request).hits
    } catch is QueryError {
      request.query = query
      request.isLiteral = true
      return try searcher.search(request).hits
    }
  }

  /// `toy s` becomes `toy`: two letters are too few for a prefix. nil if the last word is longer.
  private static func withoutShortWord(_ query: String) -> String? {
    let words = query.split(separator: " ", omittingEmptySubsequences: false)
    guard let last = words.last, (1...2).contains(last.count) else { return nil }
    return completed(words.dropLast().joined(separator: " "))
  }

  /// `toy sto` becomes `toy sto*`: the person is still typing the last word.
  private static func completed(_ query: String) -> String {
    if query.allSatisfy(\.isWhitespace) { return "*" }
    let last = query.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    let isWord = last.count >= 3 && last.allSatisfy { $0.isLetter || $0.isNumber }
    return isWord && query.count { $0 == "\"" } % 2 == 0 && !["AND", "NOT", "NEAR"].contains(last) ? query + "*" : query
  }
}
