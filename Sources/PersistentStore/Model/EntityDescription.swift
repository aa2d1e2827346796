/// One entity of a model: a name and its attributes in the order they were described.
///
/// Relationships and a superentity are further properties of this type; the layout derives columns, bitmap zones and
/// tombstone positions from here and from nowhere else (`EntityLayout`).
package struct EntityDescription: Codable, Sendable, Equatable {
  package var name: String
  package var attributes: [AttributeDescription]

  package init(_ name: String, attributes: [AttributeDescription]) {
    self.name = name
    self.attributes = attributes
  }

  /// The position of the attribute of that name, if need be without regard to case.
  package func position(matching name: String) -> Int? {
    index(of: name) ?? attributes.firstIndex { $0.name.lowercased() == name.lowercased() }
  }

  /// The position of the attribute of that name.
  package func index(of attribute: String) -> Int? { attributes.firstIndex { $0.name == attribute } }
}
