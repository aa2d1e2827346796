package import PersistentStore
package import SearchIndex

/// A row that is not in the index, or not whole, and why. Records lie in the metadata of a generation, in the commits
/// of its documents, by entity and key.
package struct FailedRow: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The document is there, without some of the row's words.
    case truncated
    /// Xapian refused the document; there is none.
    case rejected
  }

  package let entity: String
  package let key: Int64
  package let kind: Kind
  package let reason: String

  package var identifier: PersistentIdentifier {
    PersistentIdentifier(storeUUID: nil, entityName: entity, key: key)
  }

  /// For people, when it happens.
  package var sentence: String { "\(identifier.short) is left out of the index: \(reason)" }

  /// What every record's key begins with.
  static let prefix = "failed/"
  /// A row that was left out has its record under another key, so that those few are found without reading all.
  private static let rejectedPrefix = "failed/!"

  /// The key of the record of a cut row.
  static func cutKey(_ entity: String, _ key: Int64) -> String { "\(prefix)\(entity)/p\(key)" }

  /// The key of the record of a row that was left out.
  static func rejectedKey(_ entity: String, _ key: Int64) -> String { "\(rejectedPrefix)\(entity)/p\(key)" }

  /// What is recorded of a row that was left out: the digest of the refused document stands before the reason.
  static func rejectedRecord(_ digest: ContentDigest, reason: String) -> String { digest.hexadecimal + " " + reason }

  /// All records, by entity and key.
  package static func all(in content: any IndexContent) throws -> [FailedRow] {
    try content.metadataKeys(prefix: prefix).compactMap { name in
      guard let record = try content.metadata(name) else { return nil }
      let isRejected = name.hasPrefix(rejectedPrefix)
      let row = name.dropFirst((isRejected ? rejectedPrefix : prefix).count)
      guard let identifier = PersistentIdentifier(String(row)) else { return nil }
      return FailedRow(
        entity: identifier.entityName, key: identifier.key, kind: isRejected ? .rejected : .truncated,
        reason: isRejected ? String(record.dropFirst(33)) : record)
    }.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }

  /// The digests of the documents that were refused, by identity.
  static func rejected(in content: any IndexContent) throws -> [[UInt8]: ContentDigest] {
    var digests: [[UInt8]: ContentDigest] = [:]
    for name in try content.metadataKeys(prefix: rejectedPrefix) {
      let digest = try content.metadata(name).flatMap { ContentDigest(hexadecimal: String($0.prefix(32))) }
      guard let row = PersistentIdentifier(String(name.dropFirst(rejectedPrefix.count))) else { continue }
      digests[DocumentLayout.identity(entity: row.entityName, key: row.key)] = digest
    }
    return digests
  }
}
