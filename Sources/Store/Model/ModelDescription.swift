// SPDX-License-Identifier: MIT

internal import Base
package import FoundationEssentials

/// The model of a store: its entities. It is kept inside the store, so that a reader needs nothing else.
package struct ModelDescription: Codable, Sendable, Equatable {
  package var entities: [EntityDescription]

  package init(entities: [EntityDescription]) { self.entities = entities }

  package func entity(named name: String) -> EntityDescription? { entities.first { $0.name == name } }

  /// The name of the property that a column, or a field of a file, becomes: `kind` and `is` mean something else before a
  /// colon in a query, so they become `kind_` and `is_`.
  package static func usableName(_ name: String) -> String {
    ["kind", "is"].contains(name.lowercased()) ? name + "_" : name
  }

  /// The model as JSON with sorted keys, so that equal models give equal bytes.
  package func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// A digest of 32 hexadecimal digits that changes with anything in the model.
  func digest() throws -> String {
    Digest.hexadecimal(of: Array(try encoded()))
  }
}
