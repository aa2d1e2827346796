// SPDX-License-Identifier: MIT

package import Base

/// A field of an entity: the source of its values and how they are indexed.
package struct FieldDefinition: Sendable, Equatable {
  /// How a value is indexed. A field may have several roles.
  package enum Role: String, Codable, Sendable, CaseIterable {
    /// Words, found by `word` and by `field:word`.
    case text
    /// Whole values, found by `field:value` and counted by value.
    case facet
    /// A number, found by ranges: `field:>=8`.
    case number
    /// A date, found by ranges: `field:1995..2010`.
    case date
    /// A truth value, found by `is:field`.
    case flag
    /// Stored in the index itself, for readers without access to the store.
    case stored
  }

  /// The name in queries, unique within an entity regardless of case.
  package var name: String
  /// The path to the attribute, which may belong to a related object, such as `studio.name` or `cast.person.name`. For
  /// a JSON value, a dot and keys inside it may follow, such as `people.name`.
  package var path: String
  package var roles: Set<Role>
  /// The weight of a word of this field in searches that name no field: 0 to 100. A word of weight 0 is found, but
  /// hardly affects the rank.
  var weight: Int
  /// The number of words in a typical record; nil if it was not measured. Words of longer fields count less.
  var length: Double?

  /// The languages of the words, the main one first: names of Xapian's stemmers, or `none`. Empty for the language of the
  /// definition. With several languages, each value is stemmed in its own, or in the main one where that is not clear.
  package var languages: [String]
  /// The unit of its numbers, the same in all entities that share the name.
  var unit: FieldUnit?
  /// The kind of values, which explains the roles in a default definition. Its only effects are `indexesWholeValues` and
  /// `indexesYears`.
  package var holds: ValueKind?

  /// Whether documents have a term for the year that its number is.
  var indexesYears: Bool { holds == .years && roles.contains(.number) }

  /// Whether documents have a term and a slot for its whole values. Identifiers mostly occur once, so facets of them are
  /// rare, and are counted from the rows. A field without words is searched by its whole values, so it always has them.
  var indexesWholeValues: Bool {
    roles.contains(.facet) && (holds != .identifiers || !roles.contains(.text))
  }

  package init(
    name: String, path: String? = nil, roles: Set<Role>, weight: Int = 1, length: Double? = nil,
    languages: [String] = [],
    unit: FieldUnit? = nil, holds: ValueKind? = nil
  ) {
    self.holds = holds
    self.length = length
    self.languages = languages
    self.unit = unit
    self.name = name
    self.path = path ?? name
    self.roles = roles
    self.weight = weight
  }
}

extension FieldDefinition: Codable {
  private enum Key: String, CodingKey, CaseIterable { case name, path, roles, weight, length, language, unit, holds }

  package init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(Key.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: Key.self)
    name = try container.decode(String.self, forKey: .name)
    path = try container.decodeIfPresent(String.self, forKey: .path) ?? name
    roles = Set(try container.decode([Role].self, forKey: .roles))
    weight = try container.decodeIfPresent(Int.self, forKey: .weight) ?? 1
    length = try container.decodeIfPresent(Double.self, forKey: .length)
    languages = try container.decodeLanguages(forKey: .language)
    unit = try container.decodeIfPresent(FieldUnit.self, forKey: .unit)
    holds = try container.decodeIfPresent(ValueKind.self, forKey: .holds)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    if path != name { try container.encode(path, forKey: .path) }
    try container.encode(roles.map(\.rawValue).sorted(), forKey: .roles)
    if roles.contains(.text) { try container.encode(weight, forKey: .weight) }
    try container.encodeIfPresent(length, forKey: .length)
    try container.encodeNames(languages, forKey: .language)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfPresent(holds, forKey: .holds)
  }
}

extension KeyedDecodingContainer {
  fileprivate func decodeLanguages(forKey key: Key) throws -> [String] {
    let languages = try decodeNames(forKey: key)
    guard !contains(key) || !languages.isEmpty, Set(languages).count == languages.count else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "the languages must be one or more different names")
    }
    return languages
  }
}

extension FieldDefinition.Role {
  package init(from decoder: any Decoder) throws { self = try decoder.oneOf(Self.allCases, "role") }
}

extension ValueKind {
  package init(from decoder: any Decoder) throws { self = try decoder.oneOf(Self.allCases, "kind of values") }
}

extension FieldUnit: Codable {
  package init(from decoder: any Decoder) throws { self = try decoder.oneOf(Self.allCases, "unit") }
}

extension Decoder {
  fileprivate func oneOf<Name: RawRepresentable<String>>(_ known: [Name], _ what: String) throws -> Name {
    let container = try singleValueContainer()
    let text = try container.decode(String.self)
    guard let found = Name(rawValue: text) else {
      let names = known.map(\.rawValue).joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is not a \(what); valid values are \(names)")
    }
    return found
  }
}
