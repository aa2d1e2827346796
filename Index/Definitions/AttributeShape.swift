/// What a definition needs to know of an attribute of the model.
package struct AttributeShape: Sendable, Equatable {
  package enum Kind: Sendable { case text, strings, json, number, date, boolean, other }

  package let name: String
  package let kind: Kind
  package let isSpotlight: Bool

  package init(name: String, kind: Kind, isSpotlight: Bool) {
    self.name = name
    self.kind = kind
    self.isSpotlight = isSpotlight
  }
}

/// The entities of a model as definitions see them: attributes by entity name.
package typealias ModelShape = [String: [AttributeShape]]
