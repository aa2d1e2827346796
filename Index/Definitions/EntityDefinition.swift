// SPDX-License-Identifier: MIT

/// How the rows of one entity are indexed.
package struct EntityDefinition: Sendable, Equatable {
  /// The fields whose texts, one after another, name a row in results; empty if there are none.
  package var title: [String]
  /// The fields that name a row without a title, in their order: titles of what it belongs to, and its date.
  package var titledBy: [String]
  package var fields: [FieldDefinition]
  /// The relationship to the record that a row extends, in a table with the same key; nil if there is none. Both are one
  /// thing: searches for words find the record, which has the texts of both.
  package var extends: String?
  /// The attribute whose value identifies the document instead of the row's key. It must be unique and preserved on
  /// deletion.
  package var identify: String?

  /// The field whose numbers raise a record's rank, such as its popularity; nil if there is none.
  package var boost: String?

  /// Other names for its kind than its own in queries, such as `song` for `Track`, in singular or plural.
  package var words: [String]

  package init(
    title: [String], titledBy: [String] = [], extends: String? = nil, identify: String? = nil, boost: String? = nil,
    words: [String] = [], fields: [FieldDefinition]
  ) {
    self.extends = extends
    self.words = words
    self.boost = boost
    self.title = title
    self.titledBy = titledBy
    self.identify = identify
    self.fields = fields
  }
}

extension EntityDefinition: Codable {
  private enum Key: String, CodingKey, CaseIterable { case title, titledBy, extends, identify, boost, words, fields }

  package init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(Key.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: Key.self)
    title = try container.decodeNames(forKey: .title)
    titledBy = try container.decodeIfPresent([String].self, forKey: .titledBy) ?? []
    extends = try container.decodeIfPresent(String.self, forKey: .extends)
    identify = try container.decodeIfPresent(String.self, forKey: .identify)
    boost = try container.decodeIfPresent(String.self, forKey: .boost)
    words = try container.decodeNames(forKey: .words)
    fields = try container.decode([FieldDefinition].self, forKey: .fields)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeNames(title, forKey: .title)
    if !titledBy.isEmpty { try container.encode(titledBy, forKey: .titledBy) }
    try container.encodeIfPresent(extends, forKey: .extends)
    try container.encodeIfPresent(identify, forKey: .identify)
    try container.encodeIfPresent(boost, forKey: .boost)
    try container.encodeNames(words, forKey: .words)
    try container.encode(fields, forKey: .fields)
  }
}
