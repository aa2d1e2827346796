// SPDX-License-Identifier: MIT

import Store
import TestSupport

/// The models between which the related catalogue is migrated.
enum Variant: Int, CaseIterable {
  case plain
  /// One attribute was added, and two were renamed.
  case renamed
  /// As the first, with the original names.
  case back
  /// Without an entity, a relationship and an attribute.
  case lean

  var model: ModelDescription {
    var model = RelatedCatalogue.model
    switch self {
    case .plain: break
    case .renamed:
      model.change("Studio") {
        $0.attributes[1] = AttributeDescription("established", .integer64, originalName: "founded")
      }
      model.change("Role") { $0.attributes[0] = AttributeDescription("character", .string, originalName: "part") }
      model.change("Film") { $0.attributes.append(AttributeDescription("tagline", .string, isOptional: true)) }
    case .back:
      model.change("Studio") { $0.attributes[1].originalName = "established" }
      model.change("Role") { $0.attributes[0].originalName = "character" }
    case .lean:
      model.entities.removeAll { $0.name == "Genre" }
      model.change("Film") { $0.relationships.removeAll { $0.name == "genres" } }
      model.change("Actor") { $0.attributes = [] }
    }
    return model
  }

  /// The models to which this one can be migrated without losing required values.
  var next: [Variant] { self == .renamed ? [.back] : Self.allCases.filter { $0 != self } }
}

extension ModelDescription {
  fileprivate mutating func change(_ entity: String, _ body: (inout EntityDescription) -> Void) {
    for index in entities.indices where entities[index].name == entity { body(&entities[index]) }
  }
}
