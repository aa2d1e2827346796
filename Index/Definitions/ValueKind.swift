// SPDX-License-Identifier: MIT

/// The kind of an attribute's values, which determines its roles in a default definition. `schema` prints it.
package enum ValueKind: String, Codable, Sendable, CaseIterable {
  /// The text that names a record.
  case title
  /// Sentences and other text.
  case prose
  /// Short capitalised texts that occur repeatedly, such as the people of a cast.
  case names
  /// Codes, versions, addresses: one token each, most of which occur in few records.
  case identifiers
  /// Lists of identifiers that occur repeatedly, such as the dependencies of a package.
  case references
  /// Values that many records share, such as a genre, a section or the code of a country.
  case categories
  /// The title of a record that this one belongs to.
  case context
  /// The titles of rows that a record without texts consists of, such as the spellings of an entry of a dictionary.
  case parts
  /// A JSON value that contains strings.
  case json
  case numbers
  /// Whole numbers that are years: a word such as `1965` finds them.
  case years
  case dates, flags
}

/// What is known of the values of an attribute.
package struct AttributeValues: Sendable, Equatable {
  var kind: ValueKind?
  /// The names of the stemmers of their languages, the main one first; empty if they are not known.
  var languages: [String]
  /// nil if it is not known whether the values name records.
  var title: TitleEvidence?
  /// The keys of texts in its JSON objects, in lower case.
  var keys: Set<String>

  package init(
    kind: ValueKind?, languages: [String] = [], title: TitleEvidence? = nil, keys: Set<String> = []
  ) {
    self.keys = keys
    self.kind = kind
    self.languages = languages
    self.title = title
  }
}

/// The known values of attributes, by entity and attribute name.
package typealias ModelValues = [String: [String: AttributeValues]]
