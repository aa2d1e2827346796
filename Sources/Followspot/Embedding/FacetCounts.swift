// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// How many matches have each value of a field.
public struct FacetCounts: Hashable, Sendable {
  /// A value and the number of objects that have it.
  public struct Value: Hashable, Sendable {
    /// The most frequent spelling.
    public let text: String
    /// The value with the type of the field, if all its values have one type; otherwise `.text`.
    public let value: AttributeValue
    /// The number of objects.
    public let count: Int
  }

  /// The field's name as the index or the store spells it.
  public let field: String
  /// The values, most frequent first, then by their texts. Empty texts are not counted.
  public let values: [Value]
}

extension FacetCounts {
  init(_ facet: Facet) {
    field = facet.field
    values = facet.values.map { value in
      Value(text: value.text, value: AttributeValue(value.text, as: facet.type), count: value.count)
    }
  }
}

extension AttributeValue {
  /// The value that a text of `ValueText.plain` shows; `.text` if the type is not known.
  fileprivate init(_ text: String, as type: AttributeType?) {
    let value: AttributeValue? =
      switch type {
      case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
      case .integer16, .integer32, .integer64: Int64(text).map(AttributeValue.integer)
      case .double, .float: Double(text).map(AttributeValue.real)
      case .decimal: Decimal(string: text).map(AttributeValue.decimal)
      case .date: DateText.parse(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .uuid: UUID(uuidString: text).map(AttributeValue.uuid)
      default: nil
      }
    self = value ?? .text(text)
  }
}
