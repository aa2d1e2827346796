// SPDX-License-Identifier: MIT

internal import Documents
public import FoundationEssentials
internal import SQLite
internal import Search
internal import Store

/// The result of a search in a `StoreIndex`.
public struct SearchAnswer: Sendable {
  /// The hits, highest score first.
  public let hits: [SearchHit]
  /// The number of matching objects; an estimate beyond 10,000. Where the history of deletes is missing, deleted objects
  /// on other pages are included until the index is updated.
  public let matches: Int
  /// Whether objects with only some of the words are included, because few objects have all of them.
  public let isWidened: Bool
  /// The number of the transaction that the answer reflects. It is the newest of the store, unless the index is too far
  /// behind. A search covers only a limited number of changes that are not indexed yet.
  public let token: Int64
  /// The number of newer transactions, usually 0; nil if it is not known whether the store has changed. A database without
  /// a history is so if comparing its rows would take too long. `StoreIndex.update()` indexes the changes.
  public let lag: Int64?
  /// Sentences for people, for example about a corrected word.
  public let notes: [String]
}

/// An object that a search found, with its current values.
public struct SearchHit: Identifiable, Sendable {
  /// The object's identifier as text, `x-coredata://STORE-UUID/Movie/p12`; of a row of another database its table and
  /// key, such as `book/22`. In SwiftData, `ModelContext.fetch(_:uriRepresentations:)` returns the objects of hits that
  /// still exist, in the order of the hits.
  public let id: String
  /// The name of the object's entity.
  public let entityName: String
  /// The text of the attribute that names the object, such as its title or name; empty if there is none.
  public let title: String
  /// The relevance of the object; higher is better. Scores of different queries cannot be compared.
  public let score: Double
  /// Whether the object was saved again after the transaction that the answer reflects.
  public let isChanged: Bool
  /// The attributes that have a value, by name. Relationships are not included.
  public let fields: [String: AttributeValue]
}

/// The value of an attribute as stored.
public enum AttributeValue: Hashable, Sendable {
  /// A text or URL.
  case text(String)
  /// An integer of any width.
  case integer(Int64)
  /// A `Double` or `Float`.
  case real(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// True or false.
  case boolean(Bool)
  /// A point in time.
  case date(Date)
  /// A universally unique identifier.
  case uuid(UUID)
  /// Bytes.
  case data(Data)
  /// An array of texts.
  case texts([String])
  /// Another `Codable` value, as JSON.
  case json(Data)
}

extension SearchAnswer {
  init(_ result: SearchResult) {
    hits = result.hits.map(SearchHit.init)
    matches = result.estimated
    isWidened = result.isWidened
    token = result.index.answersAt
    lag = result.index.lagTransactions.map { max(0, result.index.token + $0 - result.index.answersAt) }
    notes = result.notes
  }
}

extension SearchHit {
  init(_ hit: Hit) {
    id = hit.identifier.uri
    entityName = hit.identifier.entityName
    title = hit.title
    score = hit.score
    isChanged = hit.freshness == .changed
    let values = zip(hit.entity.entity.attributes, hit.values).compactMap { attribute, value in
      AttributeValue(value, as: attribute.type).map { (attribute.name, $0) }
    }
    fields = Dictionary(uniqueKeysWithValues: values)
  }
}

extension AttributeValue {
  /// nil if there is no value.
  init?(_ value: Value, as type: AttributeType) {
    switch (type, value) {
    case (_, .null): return nil
    case (.boolean, .integer(let number)): self = .boolean(number != 0)
    case (.date, .integer(let seconds)): self = .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .real(let seconds)): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.decimal, .integer(let number)): self = .decimal(Decimal(number))
    case (.decimal, _):
      // The shortest text of a floating-point number is the decimal number that was stored.
      self = Decimal(string: ValueText.plain(value, as: type)).map(AttributeValue.decimal) ?? .text("\(value)")
    case (.double, .integer(let number)), (.float, .integer(let number)): self = .real(Double(number))
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      self = .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case (.strings, .blob(let bytes)):
      let json = Data(bytes)
      self = (try? JSONDecoder().decode([String].self, from: json)).map(AttributeValue.texts) ?? .json(json)
    case (.json, .blob(let bytes)): self = .json(Data(bytes))
    case (_, .integer(let number)): self = .integer(number)
    case (_, .real(let number)): self = .real(number)
    case (_, .text(let text)): self = .text(text)
    case (_, .blob(let bytes)): self = .data(Data(bytes))
    }
  }
}
