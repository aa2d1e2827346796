internal import PersistentStore

/// The key of a row in SQL: its short identifier, such as `Movie/p12`. Rows of different entities never have equal keys.
enum RowKeyText {
  static func text(_ entity: EntityLayout, _ key: Int64) -> String { "\(entity.entity.name)/p\(key)" }

  /// The row that a key names; nil for other text.
  static func row(_ text: String, _ layout: StoreLayout) -> RowIdentifier? {
    guard let slash = text.lastIndex(of: "/"), let entity = layout.entity(named: String(text[..<slash])) else {
      return nil
    }
    let rest = text[text.index(after: slash)...]
    guard rest.first == "p", let key = Int64(rest.dropFirst()) else { return nil }
    return RowIdentifier(entity: entity.number, key: key)
  }
}
