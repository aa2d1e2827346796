// SPDX-License-Identifier: MIT

/// The identity of a row inside one store: its entity number and primary key.
package struct RowIdentifier: Hashable, Comparable, Sendable {
  package let entity: Int
  package let key: Int64

  package init(entity: Int, key: Int64) {
    self.entity = entity
    self.key = key
  }

  package static func < (left: RowIdentifier, right: RowIdentifier) -> Bool {
    (left.entity, left.key) < (right.entity, right.key)
  }
}

/// The identifier of a record.
///
/// Records of ordinary databases are named by their table and their key, as in `book/22`. The identifier of another record
/// is a URI, as Core Data writes it: `x-coredata://STORE-UUID/Entity/p12`, or `Entity/p12` if the store is known.
package struct RecordURI: Sendable {
  /// Whether all records are named by numbers, as in format 1 of the output. It is set before the first output.
  package nonisolated(unsafe) static var showsNumbers = false
  static let scheme = "x-coredata://"
  /// The number of no row.
  static let noRow = Int64.min

  package let storeUUID: String?
  package let entityName: String
  package let key: Int64
  /// The values of the key of a row of an ordinary database, as `KeyText` writes them; nil for another record, and if
  /// they are not known.
  package let keyText: String?

  package init(storeUUID: String?, entityName: String, key: Int64, keyText: String? = nil) {
    self.storeUUID = storeUUID
    self.entityName = entityName
    self.key = key
    self.keyText = keyText
  }

  /// Parses either form with a number; nil for anything else. `PersistentStore.record(named:)` parses all forms.
  package init?(_ text: String) {
    var rest = text[...]
    var uuid: String?
    if rest.hasPrefix(Self.scheme) {
      rest = rest.dropFirst(Self.scheme.count)
      guard let slash = rest.firstIndex(of: "/") else { return nil }
      uuid = String(rest[..<slash]).uppercased()
      rest = rest[rest.index(after: slash)...]
    }
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let key = Self.number(parts[1]) else { return nil }
    self.init(storeUUID: uuid, entityName: String(parts[0]), key: key)
  }

  /// The number in a text such as `p12`; nil for other text.
  static func number(_ text: Substring) -> Int64? {
    guard text.hasPrefix("p"), let key = Int64(text.dropFirst()), text.dropFirst() == String(key) else { return nil }
    return key
  }

  private var shownKey: String? { Self.showsNumbers ? nil : keyText }

  package var short: String { "\(entityName)/\(shownKey ?? "p\(key)")" }
  package var uri: String { containsStore ? "\(Self.scheme)\(storeUUID ?? "")/\(short)" : short }
  /// Whether the store is a part of `uri`.
  package var containsStore: Bool { shownKey == nil }
}

extension RecordURI: Hashable {
  /// The text of the key follows from its number.
  package static func == (left: RecordURI, right: RecordURI) -> Bool {
    left.key == right.key && left.entityName == right.entityName && left.storeUUID == right.storeUUID
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(entityName)
    hasher.combine(storeUUID)
  }
}
