/// What the values of an attribute are, and so what becomes of them in a default definition. The raw value is the one
/// word by which `schema` gives the reason for a field's roles.
package enum ValueKind: String, Codable, Sendable, CaseIterable {
  /// The text that names a record.
  case title
  /// Sentences, and other text.
  case prose
  /// Short capitalised texts that occur repeatedly, such as the people of a cast.
  case names
  /// Codes, versions, addresses: one token each.
  case identifiers
  /// Identifiers of other records, such as the dependencies of a package: lists whose items are repeated.
  case references
  /// Few distinct values, such as a genre or a section.
  case categories
  /// A JSON value with strings anywhere inside it.
  case json
  case numbers, dates, flags
}

/// What is known of the values of the attributes of a model: by entity and attribute.
package typealias ModelValues = [String: [String: ValueKind]]
