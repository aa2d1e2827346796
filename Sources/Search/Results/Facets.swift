// SPDX-License-Identifier: MIT

/// How many hits have each value of a field.
package struct Facet: Equatable, Sendable {
  package struct Value: Equatable, Sendable {
    /// The most frequent spelling.
    package let text: String
    package let count: Int
  }

  /// What the values are, which a graph needs to know.
  package enum Scale: Sendable { case text, number, date }

  /// The field's name as the index or the store spells it.
  package let field: String
  package let scale: Scale
  /// Most frequent first, then by their texts.
  package let values: [Value]

  package init(field: String, scale: Scale, values: [Value]) {
    (self.field, self.scale, self.values) = (field, scale, values)
  }
}
