// SPDX-License-Identifier: MIT

internal import Base

/// The properties of a model's attribute that a definition depends on.
struct AttributeShape: Sendable, Equatable {
  enum Kind: Sendable { case text, strings, json, number, date, boolean, other }

  let name: String
  let kind: Kind
  let isSpotlight: Bool
  /// Whether it is unique and preserved in the tombstone of a deleted row. Then it can identify documents.
  let identifies: Bool
  /// The name in the earlier model, if it was renamed.
  let originalName: String?

  init(
    name: String, kind: Kind, isSpotlight: Bool, identifies: Bool = false, originalName: String? = nil
  ) {
    self.name = name
    self.originalName = originalName
    self.kind = kind
    self.isSpotlight = isSpotlight
    self.identifies = identifies
  }
}

/// The properties of a model's relationship that a definition depends on.
struct RelationshipShape: Sendable, Equatable {
  let name: String
  let destination: String
  let isToMany: Bool
  let originalName: String?
  /// Whether it is a foreign key of an ordinary database.
  let isForeignKey: Bool
  /// Whether at most one row has the same foreign key.
  let isUnique: Bool
  /// Whether the foreign key is the primary key of its row, too.
  let isPrimaryKey: Bool
  /// Equal for relationships of which a row has one at most; nil for others.
  let choice: String?
  let inverse: String?

  init(
    name: String, destination: String, isToMany: Bool, originalName: String? = nil, isForeignKey: Bool = false,
    isUnique: Bool = false, isPrimaryKey: Bool = false, choice: String? = nil, inverse: String? = nil
  ) {
    self.name = name
    self.isPrimaryKey = isPrimaryKey
    self.choice = choice
    self.isForeignKey = isForeignKey
    self.isUnique = isUnique
    self.inverse = inverse
    self.originalName = originalName
    self.destination = destination
    self.isToMany = isToMany
  }
}

/// The properties of a model's entity that a definition depends on, including inherited ones.
package struct EntityShape: Sendable, Equatable {
  let attributes: [AttributeShape]
  let relationships: [RelationshipShape]
  let originalName: String?
  /// The attributes that are the primary key, and those that refer to other rows.
  let keyAttributes: Set<String>
  let referenceAttributes: Set<String>

  init(
    attributes: [AttributeShape], relationships: [RelationshipShape] = [], originalName: String? = nil,
    keyAttributes: Set<String> = [], referenceAttributes: Set<String> = []
  ) {
    self.keyAttributes = keyAttributes
    self.referenceAttributes = referenceAttributes
    self.originalName = originalName
    self.attributes = attributes
    self.relationships = relationships
  }

  /// The relationships to one other record: the foreign keys of a table.
  var references: [RelationshipShape] { relationships.filter { !$0.isToMany } }

  /// The attributes that are neither a key nor refer to other rows.
  var ownAttributes: [AttributeShape] {
    attributes.filter { !keyAttributes.contains($0.name) && !referenceAttributes.contains($0.name) }
  }

  /// Whether the rows join others: they have two or more references.
  var joinsOthers: Bool {
    references.count { $0.choice == nil } + Set(references.compactMap(\.choice)).count >= 2
  }

  /// Whether each row describes one other: no row refers to it, and its only reference is unique, as in a table of details
  /// or of comments, or it is a value of the other.
  var describesOther: Bool {
    guard references.count == 1, !relationships.contains(where: \.isToMany) else { return false }
    return references[0].isUnique || references[0].isForeignKey && isValue
  }

  /// Whether a row with one reference is a value of what it refers to: it has a name and a value, such as `key` and `value`,
  /// or its key is the reference and a text, such as `film_id` and `genre`.
  private var isValue: Bool {
    let values = attributes.filter { !referenceAttributes.contains($0.name) }
      .filter { $0.kind != .number || !keyAttributes.contains($0.name) }
    guard values.count <= 2, values.contains(where: { $0.kind == .text }) else { return false }
    if !keyAttributes.isDisjoint(with: referenceAttributes),
      values.contains(where: { $0.kind == .text && keyAttributes.contains($0.name) })
    {
      return true
    }
    func has(_ words: Set<String>) -> Bool { values.contains { !words.isDisjoint(with: NameWords.of($0.name)) } }
    return values.count == 2 && has(Self.nameWords) && has(["value", "val"])
  }

  /// Words for the name of a value.
  private static let nameWords: Set<String> = ["key", "type", "attribute", "property", "field", "tag"]

  /// Whether the rows do nothing else: they have, besides keys, at most one number, date or truth value, such as a
  /// position. Such rows are not records: the joined records have the titles of each other. The entities of a model are.
  package var isJoin: Bool {
    joinsOthers && references.allSatisfy(\.isForeignKey) && ownAttributes.count <= 1
      && ownAttributes.allSatisfy { [.number, .date, .boolean].contains($0.kind) }
  }

  /// Whether it marks attributes for the search.
  var isMarked: Bool { attributes.contains(where: \.isSpotlight) }

  /// The attributes whose words are searched.
  var words: [AttributeShape] {
    attributes.filter { attribute in
      switch attribute.kind {
      case .text, .strings, .json: !isMarked || attribute.isSpotlight
      default: false
      }
    }
  }

  var propertyNames: [String] { (attributes.map(\.name) + relationships.map { $0.name + ".…" }).sorted() }
}

/// The entities of a model by name.
package typealias ModelShape = [String: EntityShape]

extension ModelShape {
  /// The relationship from the rows of an entity to those that they extend: both have the same key. nil if there is none.
  func extended(by name: String) -> RelationshipShape? {
    func reference(of name: String) -> RelationshipShape? {
      self[name]?.references.first { $0.isPrimaryKey && $0.isForeignKey && $0.destination != name }
    }
    guard let found = reference(of: name), reference(of: found.destination) == nil else { return nil }
    return found
  }

  /// The relationship to the record that each record of an entity describes, as details of it; nil if it describes none.
  ///
  /// Of two entities of a model that are related one to one, that with fewer relationships describes the other.
  func described(by name: String) -> RelationshipShape? {
    guard let shape = self[name] else { return nil }
    if shape.describesOther { return shape.references[0] }
    return shape.references.first { reference in
      guard !reference.isForeignKey, shape.relationships.count(where: { $0.destination == reference.destination }) == 1,
        let other = self[reference.destination]
      else { return false }
      return other.relationships.count > shape.relationships.count
        && other.relationships.contains { $0.name == reference.inverse && !$0.isToMany }
    }
  }
}
