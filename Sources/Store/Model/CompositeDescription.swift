// SPDX-License-Identifier: MIT

/// An attribute that consists of several values, such as a Codable struct. Each element has a column of its own.
package struct CompositeDescription: Sendable, Equatable {
  package var name: String
  package var elements: [AttributeDescription]
  /// The name in the earlier model, if it was renamed.
  package var originalName: String?

  package init(_ name: String, elements: [AttributeDescription], originalName: String? = nil) {
    self.name = name
    self.elements = elements
    self.originalName = originalName
  }

  /// The elements as attributes of the entity, with names such as `author.place`. A single element with the composite's
  /// own name, as in raw-value enumerations, keeps that name.
  var flattened: [AttributeDescription] {
    elements.map { element in
      var element = element
      let isAlone = elements.count == 1 && element.name == name
      if !isAlone { element.name = name + "." + element.name }
      return element
    }
  }
}

extension CompositeDescription: Codable {
  private enum Key: String, CodingKey, CaseIterable { case name, elements, originalName }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(ofNothingBut: Key.self)
    name = try container.decode(String.self, forKey: .name)
    elements = try container.decode([AttributeDescription].self, forKey: .elements)
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
  }
}
