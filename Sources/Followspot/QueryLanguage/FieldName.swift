// SPDX-License-Identifier: MIT

package import SearchIndex
package import Store

/// The meaning of a typed name in an index. Queries, comparisons and suggestions look names up here.
package enum FieldName {
  /// `kind:Movie`, `is:favorite`, `has:title`.
  case kind, flag, presence
  case history(HistoryField)
  case field(FieldTable.Field)
  /// `@store:films`: the store of a group.
  case store
  /// Keys inside a JSON field, in lower case. The index may not have them.
  case keys(FieldTable.Field, String)

  /// The names that are not fields.
  package static let own = ["kind", "is", "has", storeName] + HistoryField.allCases.map(\.rawValue)

  /// The name of the store in a group, in queries and as a column.
  package static let storeName = "@store"

  /// - Parameter isOrder: Whether only a field, a key or the history can be meant, as in a range. `kind`, `is` and
  ///   `has` are then names of fields.
  /// - Returns: nil if the name has no meaning in the index.
  init?(_ name: String, in fields: FieldTable, isOrder: Bool = false) {
    switch name.lowercased() {
    case "kind" where !isOrder: self = .kind
    case "is" where !isOrder: self = .flag
    case Self.storeName where !isOrder: self = .store
    case "has" where !isOrder && fields["has"] == nil: self = .presence
    default:
      if let field = HistoryField(name, in: fields) {
        self = .history(field)
      } else if let field = fields[name] {
        self = .field(field)
      } else {
        let withKeys = fields.keyedNames.lazy
          .compactMap { known, field in Self.keys(of: name, behind: known).map { (field, $0.lowercased()) } }.first
        guard let (field, keys) = withKeys else { return nil }
        self = .keys(field, keys)
      }
    }
  }

  /// The part of a name after `base` and a dot; nil if the name does not start with them.
  fileprivate static func keys(of name: String, behind base: String) -> String? {
    guard name.lowercased().hasPrefix(base.lowercased() + ".") else { return nil }
    return String(name.dropFirst(base.count + 1))
  }
}

/// The meaning of a typed name in a store: an attribute, or keys inside its JSON value. Columns, orders, facets and
/// sections look names up here.
package struct AttributeName {
  package let attribute: AttributeDescription
  /// Joined by dots; empty for the whole value.
  package let keys: String

  /// - Returns: nil if no attribute has that name. An exact match precedes one without regard to case.
  package init?(_ name: String, of attributes: [AttributeDescription]) {
    let lowered = name.lowercased()
    if let same = attributes.first(where: { $0.name == name })
      ?? attributes.first(where: { $0.name.lowercased() == lowered })
    {
      (attribute, keys) = (same, "")
      return
    }
    for attribute in attributes where attribute.type.isJSON {
      guard let keys = FieldName.keys(of: name, behind: attribute.name) else { continue }
      (self.attribute, self.keys) = (attribute, keys)
      return
    }
    return nil
  }

  /// Whether a path inside the JSON value equals the keys or is below them, without regard to case, as in queries.
  package static func includes(_ path: String, below keys: String) -> Bool {
    JSONStrings.keys(of: path.lowercased(), below: keys.lowercased()) != nil
  }
}
