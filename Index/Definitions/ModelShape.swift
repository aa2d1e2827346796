/// What a definition needs to know of an attribute of the model.
package struct AttributeShape: Sendable, Equatable {
  package enum Kind: Sendable { case text, strings, json, number, date, boolean, other }

  package let name: String
  package let kind: Kind
  package let isSpotlight: Bool
  /// Whether it is unique and stays in the tombstone of a deleted row: then it can identify documents.
  package let identifies: Bool
  /// The name in the model before, where it was renamed.
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

/// What a definition needs to know of a relationship of the model.
package struct RelationshipShape: Sendable, Equatable {
  package let name: String
  package let destination: String
  package let isToMany: Bool
  package let originalName: String?
  /// Whether the default definition gives the owner the title of the object that it leads to.
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

/// An entity of the model as definitions see it, with everything it inherits.
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

/// The entities of a model as definitions see them, by name.
package typealias ModelShape = [String: EntityShape]
