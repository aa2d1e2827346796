// SPDX-License-Identifier: MIT

internal import Store

/// How many hits have each value of a field.
package struct Facet: Equatable, Sendable {
  package struct Value: Equatable, Sendable {
    /// The most frequent spelling.
    package let text: String
    package let count: Int
  }

  /// What the values are, which a graph needs to know.
  enum Scale: Sendable { case text, number, date }

  /// The field's name as the index or the store spells it.
  package let field: String
  let scale: Scale
  /// The type of all values; nil if they have several, or none.
  let type: AttributeType?
  /// Most frequent first, then by their texts.
  package let values: [Value]

  init(field: String, scale: Scale, type: AttributeType? = nil, values: [Value]) {
    (self.field, self.scale, self.type, self.values) = (field, scale, type, values)
  }
}
