// SPDX-License-Identifier: MIT

internal import CSupport
internal import FoundationEssentials

/// The definition of an index: entities, their fields and the language of their words.
///
/// As JSON:
/// ```json
/// {"format": 1, "language": "english", "stopWords": ["the", "of"], "synonyms": {"film": ["movie", "motion picture"]},
///  "entities": {"Movie": {"title": "title", "fields": [
///    {"name": "title", "roles": ["text"], "weight": 5},
///    {"name": "genres", "roles": ["text", "facet"]},
///    {"name": "director", "path": "people.name", "roles": ["text"]},
///    {"name": "year", "roles": ["number"]}]}}}
/// ```
package struct IndexDefinition: Sendable, Equatable {
  /// The version of this JSON format.
  static let format = 1

  /// The stemmer's name in Xapian, such as `english`, or `none`.
  package var language: String
  /// Words that a query ignores as long as another word remains. They are indexed all the same.
  package var stopWords: [String]
  /// Additional words that a query finds for a word or a sequence of words: `sci-fi` finds `science fiction`.
  package var synonyms: [String: [String]]
  package var entities: [String: EntityDefinition]
  /// How columns of an ordinary SQLite database are read, by entity and attribute: `date`, `integer`, `unixSeconds`.
  /// For other columns it is inferred from their values.
  package var columns: [String: [String: String]] = [:]
  /// Which entity columns of an ordinary SQLite database refer to, or `none`, by entity and attribute. Several columns are
  /// separated by commas. Other relations are those that the schema declares, and those that names and values suggest.
  package var relations: [String: [String: String]] = [:]

  package init(
    language: String, stopWords: [String], synonyms: [String: [String]] = [:], entities: [String: EntityDefinition]
  ) {
    self.synonyms = synonyms
    self.language = language
    self.stopWords = stopWords
    self.entities = entities
  }

  /// The definition as JSON with sorted keys, so that equal definitions give equal bytes.
  package func encoded(pretty: Bool = false) throws -> String {
    try Self.encode(self, pretty: pretty)
  }

  /// A digest of 32 hexadecimal digits that changes with anything in the definition.
  package func digest() throws -> String { Self.digest(of: try encoded()) }

  /// The digest of one entity's definition, including the language; nil if the entity is not indexed.
  func digest(ofEntity name: String) throws -> String? {
    try entities[name].map { Self.digest(of: language + "\n" + (try Self.encode($0, pretty: false))) }
  }

  private static func encode(_ value: some Encodable, pretty: Bool) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func digest(of text: String) -> String {
    let bytes = Array(text.utf8)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 33) { digits in
      cs_digest_hexadecimal(bytes, bytes.count, digits.baseAddress!)
      return String(cString: digits.baseAddress!)
    }
  }
}

extension IndexDefinition: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case format, language, stopWords, synonyms, entities, columns, relations
  }

  package init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(Key.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: Key.self)
    let format = try container.decodeIfPresent(Int.self, forKey: .format) ?? Self.format
    guard format == Self.format else {
      throw DecodingError.dataCorruptedError(
        forKey: .format, in: container, debugDescription: "format \(format) is not known; this version reads 1")
    }
    language = try container.decodeIfPresent(String.self, forKey: .language) ?? DefaultRules.embedded.language
    stopWords = try container.decodeIfPresent(StopWords.self, forKey: .stopWords)?.words ?? DefaultRules.stopWords
    synonyms = try container.decodeIfPresent(NamedSynonyms.self, forKey: .synonyms)?.synonyms ?? [:]
    entities = try container.decode([String: EntityDefinition].self, forKey: .entities)
    columns = try container.decodeIfPresent([String: [String: String]].self, forKey: .columns) ?? [:]
    relations = (try container.decodeIfPresent([String: [String: String?]].self, forKey: .relations) ?? [:])
      .mapValues { $0.mapValues { $0 ?? "none" } }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.format, forKey: .format)
    try container.encode(language, forKey: .language)
    try container.encode(StopWords(words: stopWords), forKey: .stopWords)
    if !synonyms.isEmpty { try container.encode(NamedSynonyms(synonyms), forKey: .synonyms) }
    try container.encode(entities, forKey: .entities)
    if !columns.isEmpty { try container.encode(columns, forKey: .columns) }
    if !relations.isEmpty { try container.encode(relations, forKey: .relations) }
  }
}

extension Decoder {
  /// Rejects unknown keys: a misspelled key is an error that names its path, not an ignored field.
  func refuseUnknownKeys(_ known: [String]) throws {
    let container = try container(keyedBy: AnyKey.self)
    for key in container.allKeys where !known.contains(key.stringValue) {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "no such key; valid keys are \(known.joined(separator: ", "))")
    }
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  init?(stringValue: String) { self.stringValue = stringValue }
  var intValue: Int? { nil }
  init?(intValue: Int) { nil }
}
