// SPDX-License-Identifier: MIT

public import FoundationEssentials
internal import SearchIndex
internal import Store

/// An object that a search found, with its current values.
public struct SearchHit: Identifiable, Sendable {
  /// The object's identifier as text, `x-coredata://STORE-UUID/Movie/p12`; of a row of another database its table and key,
  /// such as `book/22`, in a group `films:book/22`. In SwiftData, `ModelContext.fetch(_:uriRepresentations:)` returns the
  /// objects of hits that still exist, in the order of the hits.
  public let id: String
  /// The name of the object's entity.
  public let entityName: String
  /// The name of the store in its group; nil without a group.
  public let store: String?
  /// The text of the attribute that names the object, such as its title or name; empty if there is none.
  public let title: String
  /// The relevance of the object; higher is better. Scores of different queries cannot be compared.
  public let score: Double
  /// Whether the object was saved again after the transaction that the answer reflects.
  public let isChanged: Bool
  /// The attributes that have a value, by name. Relationships are not included. Of a deleted object, the values that the
  /// history preserves.
  public let fields: [String: AttributeValue]
  /// The texts of the fields that `SearchQuery.fields` requested, by the names in the request.
  public let texts: [String: [String]]
  /// The passage that matches; nil if it was not requested, or if no text matches.
  public let snippet: HitSnippet?
  /// The value of `SearchQuery.section`; empty if the object has none, nil without a request.
  public let section: String?
  /// How the object was deleted; nil if it exists. Only a query with `deleted:` finds deleted objects.
  public let deletion: Deletion?

  /// The transaction that deleted an object.
  public struct Deletion: Hashable, Sendable {
    /// The number of the transaction.
    public let transaction: Int64
    /// When it was saved, by the clock of the process that saved.
    public let date: Date
    /// The author of the transaction; nil if it has none.
    public let author: String?
  }
}

/// A passage of an object's text around a match.
public struct HitSnippet: Hashable, Sendable {
  /// The name of the field that has the text.
  public let field: String
  /// The passage as it is in the store, with a blank for each line break.
  public let text: String
  /// The parts of `text` that match, in their order.
  public let matches: [Range<String.Index>]
  /// Whether the field's text continues before the passage.
  public let isTruncatedBefore: Bool
  /// Whether the field's text continues after the passage.
  public let isTruncatedAfter: Bool
}

extension SearchHit {
  init(_ hit: Hit) {
    id = hit.id
    entityName = hit.identifier.entityName
    store = hit.store
    title = hit.title
    score = hit.score
    isChanged = hit.freshness == .changed
    fields = hit.entity.fields(hit.values)
    texts = hit.fields.mapValues(\.texts)
    snippet = hit.snippet.map(HitSnippet.init)
    section = hit.section
    deletion = hit.deletion.map {
      Deletion(
        transaction: $0.transaction, date: Date(timeIntervalSince1970: $0.secondsSince1970), author: $0.author)
    }
  }
}

extension Hit {
  /// It tells the stores of a group apart. That of an object of SwiftData contains its store already.
  var id: String { identifier.containsStore ? identifier.uri : NamedRecord.text(of: identifier, in: store) }
}

extension HitSnippet {
  init(_ snippet: Snippet) {
    (field, text) = (snippet.field, snippet.text)
    (isTruncatedBefore, isTruncatedAfter) = (snippet.isTruncatedBefore, snippet.isTruncatedAfter)
    let positions = Array(snippet.text.unicodeScalars.indices) + [snippet.text.endIndex]
    matches = snippet.highlights.map { positions[$0.lowerBound]..<positions[$0.upperBound] }
  }
}
