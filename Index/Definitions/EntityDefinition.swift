// SPDX-License-Identifier: MIT

/// How the rows of one entity are indexed.
package struct EntityDefinition: Sendable, Equatable {
  /// The field that names a row in results; nil if there is none.
  package var title: String?
  package var fields: [FieldDefinition]
  /// The attribute whose value identifies the document instead of the row's key. It must be unique and preserved on
  /// deletion.
  package var identify: String?

  /// The field whose numbers raise a record's rank, such as its popularity; nil if there is none.
  package var boost: String?

  package init(title: String?, identify: String? = nil, boost: String? = nil, fields: [FieldDefinition]) {
    self.boost = boost
    self.title = title
    self.identify = identify
    self.fields = fields
  }
}

extension EntityDefinition: Codable {
  private enum Key: String, CodingKey, CaseIterable { case title, identify, boost, fields }

  package init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(Key.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: Key.self)
    title = try container.decodeIfPresent(String.self, forKey: .title)
    identify = try container.decodeIfPresent(String.self, forKey: .identify)
    boost = try container.decodeIfPresent(String.self, forKey: .boost)
    fields = try container.decode([FieldDefinition].self, forKey: .fields)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeIfPresent(title, forKey: .title)
    try container.encodeIfPresent(identify, forKey: .identify)
    try container.encodeIfPresent(boost, forKey: .boost)
    try container.encode(fields, forKey: .fields)
  }
}
