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

/// The textual identifier of a row: `x-coredata://STORE-UUID/Entity/p12`, or `Entity/p12` if the store is known.
package struct RecordURI: Hashable, Sendable {
  package let storeUUID: String?
  package let entityName: String
  package let key: Int64

  package init(storeUUID: String?, entityName: String, key: Int64) {
    self.storeUUID = storeUUID
    self.entityName = entityName
    self.key = key
  }

  /// Parses either form; nil for anything else.
  package init?(_ text: String) {
    var rest = text[...]
    var uuid: String?
    let scheme = "x-coredata://"
    if rest.hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
      guard let slash = rest.firstIndex(of: "/") else { return nil }
      uuid = String(rest[..<slash]).uppercased()
      rest = rest[rest.index(after: slash)...]
    }
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[1].hasPrefix("p"), let key = Int64(parts[1].dropFirst()),
      parts[1].dropFirst() == String(key)
    else { return nil }
    self.init(storeUUID: uuid, entityName: String(parts[0]), key: key)
  }

  package var short: String { "\(entityName)/p\(key)" }
  package var uri: String { "x-coredata://\(storeUUID ?? "")/\(short)" }
}
