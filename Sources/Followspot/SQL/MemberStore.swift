// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// A store whose rows a statement reads: the only one, or a member of a group.
struct MemberStore {
  /// The name in the group; nil if there is none.
  let name: String?
  let store: PersistentStore
  /// What keys begin with in a group, where rows of several stores have equal keys: `h1:`.
  private let prefix: String

  init(name: String?, store: PersistentStore) {
    (self.name, self.store) = (name, store)
    prefix = name.map { $0 + ":" } ?? ""
  }

  /// The key of a row in SQL, such as `Movie/p12`, or `h1:Movie/p12` in a group.
  func key(of row: RowIdentifier) throws -> String { prefix + (try store.identifier(of: row).short) }

  /// The row that a key names, which may not exist; nil if the key is not of this store.
  func row(named key: String) throws -> RowIdentifier? {
    guard name != nil else { return try store.row(named: key) }
    guard key.utf8.starts(with: prefix.utf8) else { return nil }
    return try store.row(named: String(Substring(key.utf8.dropFirst(prefix.utf8.count))))
  }

  /// Remarks for people about what cannot be read, with the name of the store in a group.
  var notes: [String] {
    [store.misfitSentence, store.unreadSentence].compactMap(\.self)
      .map { note in name.map { "\($0): \(note)" } ?? note }
  }
}

/// Runs `body` inside one call of `enter` for each element.
func nestedCalls<Element>(
  _ elements: ArraySlice<Element>, in enter: @escaping (Element, () throws -> Void) throws -> Void,
  _ body: () throws -> Void
) throws {
  guard let first = elements.first else { return try body() }
  try enter(first) { try nestedCalls(elements.dropFirst(), in: enter, body) }
}
