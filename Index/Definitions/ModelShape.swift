// SPDX-License-Identifier: MIT

/// The properties of a model's attribute that a definition depends on.
package struct AttributeShape: Sendable, Equatable {
  package enum Kind: Sendable { case text, strings, json, number, date, boolean, other }

  package let name: String
  package let kind: Kind
  package let isSpotlight: Bool
  /// Whether it is unique and preserved in the tombstone of a deleted row. Then it can identify documents.
  package let identifies: Bool
  /// The name in the earlier model, if it was renamed.
  package let originalName: String?

  package init(
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
package struct RelationshipShape: Sendable, Equatable {
  package let name: String
  package let destination: String
  package let isToMany: Bool
  package let originalName: String?
  /// Whether the default definition adds the title of the related object to the owner.
  package let isForeignKey: Bool

  package init(
    name: String, destination: String, isToMany: Bool, originalName: String? = nil, isForeignKey: Bool = false
  ) {
    self.name = name
    self.isForeignKey = isForeignKey
    self.originalName = originalName
    self.destination = destination
    self.isToMany = isToMany
  }
}

/// The properties of a model's entity that a definition depends on, including inherited ones.
package struct EntityShape: Sendable, Equatable {
  package let attributes: [AttributeShape]
  package let relationships: [RelationshipShape]
  package let originalName: String?

  package init(
    attributes: [AttributeShape], relationships: [RelationshipShape] = [], originalName: String? = nil
  ) {
    self.originalName = originalName
    self.attributes = attributes
    self.relationships = relationships
  }

  var propertyNames: [String] { (attributes.map(\.name) + relationships.map { $0.name + ".…" }).sorted() }
}

/// The entities of a model by name.
package typealias ModelShape = [String: EntityShape]
