public import FoundationEssentials
internal import PersistentStore
internal import SQLite

/// What a search in a `StoreIndex` found.
public struct SearchAnswer: Sendable {
  /// In the order of their scores.
  public let hits: [SearchHit]
  /// How many documents match; beyond 10,000 an estimate.
  public let matches: Int
  /// Whether few objects have all the words, so that those with any of them follow.
  public let isWidened: Bool
  /// The transaction as of which the answer is: the newest of the store, unless the index is too far behind to make
  /// up for it in memory.
  public let token: Int64
  /// How many transactions were saved since then, 0 as a rule. `update()` brings them in.
  public let lag: Int64
  /// What was done beside the ordinary, for people.
  public let notes: [String]
}

/// An object that a search found, with its row as it is now.
public struct SearchHit: Identifiable, Sendable {
  /// The object's identifier as text, `x-coredata://STORE-UUID/Movie/p12`: SwiftData makes its own one of it with
  /// `PersistentIdentifier(uriRepresentation:)`, and `ModelContext.model(for:)` the object. Where others may delete it
  /// meanwhile, fetch by the identifier: that finds nothing then.
  public let id: String
  public let entityName: String
  /// The text of the attribute that names the object: its title, name, headline; empty where none does.
  public let title: String
  /// How well the object fits the query; higher is better. Scores of different queries cannot be compared.
  public let score: Double
  /// Whether the object was saved again after the transaction as of which the answer is.
  public let isChanged: Bool
  /// The attributes that have a value, by name. Relationships are the model's own.
  public let fields: [String: AttributeValue]
}

/// The value of an attribute as the store holds it.
public enum AttributeValue: Hashable, Sendable {
  /// A text or URL.
  case text(String)
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case boolean(Bool)
  case date(Date)
  case uuid(UUID)
  case data(Data)
  case texts([String])
  /// Another Codable value, as JSON.
  case json(Data)
}

extension SearchAnswer {
  init(_ result: SearchResult) {
    hits = result.hits.map(SearchHit.init)
    matches = result.estimated
    isWidened = result.isWidened
    token = result.index.answersAt
    lag = max(0, result.index.token + result.index.lagTransactions - token)
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
  /// nil where there is no value.
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
