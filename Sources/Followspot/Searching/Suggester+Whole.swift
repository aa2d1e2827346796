// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// Suggestions that are whole titles, or whole values of facets.
extension Suggester {
  /// Maximum number of titles, and of values, for one text.
  private static let mostOfAKind = 5
  /// Maximum number of terms that are read.
  private static let mostTerms = 20_000
  /// Articles that a title may start with: `god` also completes to *The Godfather*.
  private static let articles = ["the", "a", "an"]

  // MARK: Titles

  /// Titles with a prefix, articles ignored. The shortest remainder comes first.
  func titles(prefix typed: String, limit: Int) throws -> [Suggestion] {
    var folder = TextFolder()
    let articles = [""] + Self.articles.filter(view.stopWords.contains).map { $0 + " " }
    var terms: [(term: [UInt8], rest: Int)] = []
    for article in articles {
      guard let prefix = TitleText.term(of: article + typed, &folder) else { continue }
      terms += try self.terms(prefix: prefix).map { ($0, $0.count - prefix.count) }
    }
    terms.sort { $0.rest != $1.rest ? $0.rest < $1.rest : $0.term.lexicographicallyPrecedes($1.term) }
    var found: [Suggestion] = []
    for (term, _) in terms {
      guard found.count < min(limit, Self.mostOfAKind) else { break }
      guard let (row, count) = try record(having: term), let entity = view.store.layout.entity(number: row.entity),
        let values = try view.rows.values(of: entity, key: row.key)
      else { continue }
      let title = view.title(of: values, entity, key: row.key)
      // A replica may lack it.
      if !title.isEmpty { found.append(Suggestion(text: title, kind: .title, count: count)) }
    }
    return found
  }

  // MARK: Values

  /// Values of facets with a prefix, the most frequent first.
  ///
  /// - Parameter name: The only field to complete, which the suggestions repeat; nil for all facets.
  func items(prefix typed: String, in name: String?, limit: Int) throws -> [Suggestion] {
    guard !typed.allSatisfy(\.isWhitespace) else { return [] }
    let fields = (name.map { [$0] } ?? view.fields.names).compactMap { view.fields[$0] }
      .filter { $0.roles.contains(.facet) }
    var found: [(field: FieldTable.Field, term: [UInt8], frequency: Int)] = []
    for field in fields {
      for term in try terms(prefix: view.facetTerm(field, typed)) {
        found.append((field, term, try view.reader.frequency(of: term)))
      }
    }
    found.sort {
      $0.frequency != $1.frequency ? $0.frequency > $1.frequency : $0.term.lexicographicallyPrecedes($1.term)
    }
    var suggestions: [Suggestion] = []
    for (field, term, _) in found {
      guard suggestions.count < min(limit, Self.mostOfAKind) else { break }
      guard let (row, count) = try record(having: term) else { continue }
      // A replica may lack the values.
      guard let reader = try? FieldReader.of(field.name, in: view),
        let value = try reader.values(of: row).map(\.text).first(where: { view.facetTerm(field, $0) == term })
      else { continue }
      suggestions.append(
        Suggestion(text: name.map { $0 + ":" + Self.quoted(value) } ?? value, kind: .item, count: count))
    }
    return suggestions
  }

  /// A value as it follows a field in a query: in quotation marks if it is more than one word.
  private static func quoted(_ value: String) -> String {
    value.allSatisfy { $0.isLetter || $0.isNumber } ? value : "\"" + value.filter { $0 != "\"" } + "\""
  }

  // MARK: Terms

  /// The first terms with a prefix, in their order.
  func terms(prefix: [UInt8]) throws -> [[UInt8]] {
    final class Found { var terms: [[UInt8]] = [] }
    let found = Found()
    try view.reader.eachTerm(prefix: prefix, from: prefix) {
      found.terms.append(Array($0))
      return found.terms.count < Self.mostTerms
    }
    return found.terms
  }

  /// A record that has a term, and how many have it; nil if an overlay hides all of them.
  private func record(having term: [UInt8]) throws -> (row: RowIdentifier, count: Int)? {
    let query = Query.filter(.everything, by: .term(term))
    let count = try view.frequency(of: query)
    let hit = try view.firstHit(query)
    return hit.flatMap { view.row(identity: $0.identity) }.map { ($0, count) }
  }
}
