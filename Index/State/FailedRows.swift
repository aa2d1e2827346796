// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// The records of failed rows in the metadata of a generation. They are written by the commits of its documents.
package struct FailedRows {
  /// The prefix of the keys of all records.
  private static let prefix = "failed/"
  /// The prefix of the keys of rejected rows, which are few. So they are found without reading all records.
  private static let rejectedPrefix = "failed/!"

  /// The keys of all records, with the uncommitted changes.
  private var keys: Set<String> = []
  /// The digests of rejected documents by identity. The same document is not tried again.
  private(set) var rejected: [[UInt8]: ContentDigest] = [:]
  /// The number of truncated rows.
  var truncatedCount: Int { keys.count - rejected.count }
  /// The metadata that the next commit has to write; an empty value removes a record.
  private(set) var changes: [String: String] = [:]

  init() {}

  init(in content: any IndexContent) throws {
    keys = Set(try content.metadataKeys(prefix: Self.prefix))
    rejected = try Self.rejected(in: content)
  }

  /// Records what was truncated of a row that is indexed; nil if nothing was, or if the row is gone.
  mutating func setTruncated(_ reason: String?, of identity: [UInt8]) {
    guard let (entity, key) = DocumentLayout.parseIdentity(identity) else { return }
    set(reason, Self.prefix, entity, key)
    if rejected.removeValue(forKey: identity) != nil { set(nil, Self.rejectedPrefix, entity, key) }
  }

  /// Records a row whose document was rejected: the digest of the document, then the reason.
  mutating func setRejected(_ digest: ContentDigest, _ reason: String, of identity: [UInt8]) {
    guard let (entity, key) = DocumentLayout.parseIdentity(identity) else { return }
    rejected[identity] = digest
    set(digest.hexadecimal + " " + reason, Self.rejectedPrefix, entity, key)
  }

  private mutating func set(_ record: String?, _ prefix: String, _ entity: String, _ key: Int64) {
    let name = "\(prefix)\(entity)/p\(key)"
    if let record {
      changes[name] = record
      keys.insert(name)
    } else if keys.remove(name) != nil {
      changes[name] = ""
    }
  }

  mutating func markCommitted() { changes = [:] }

  // MARK: Reading

  /// All failed rows, by entity and key.
  package static func all(in content: any IndexContent) throws -> [FailedRow] {
    try content.metadataKeys(prefix: prefix).compactMap { name in
      guard let record = try content.metadata(name) else { return nil }
      let isRejected = name.hasPrefix(rejectedPrefix)
      let row = name.dropFirst((isRejected ? rejectedPrefix : prefix).count)
      guard let identifier = RecordURI(String(row)) else { return nil }
      return FailedRow(
        entity: identifier.entityName, key: identifier.key, kind: isRejected ? .rejected : .truncated,
        reason: isRejected ? String(record.dropFirst(33)) : record)
    }.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }

  /// The digests of the rejected documents, by identity.
  static func rejected(in content: any IndexContent) throws -> [[UInt8]: ContentDigest] {
    var digests: [[UInt8]: ContentDigest] = [:]
    for name in try content.metadataKeys(prefix: rejectedPrefix) {
      let digest = try content.metadata(name).flatMap { ContentDigest(hexadecimal: String($0.prefix(32))) }
      guard let row = RecordURI(String(name.dropFirst(rejectedPrefix.count))) else { continue }
      digests[DocumentLayout.identity(entity: row.entityName, key: row.key)] = digest
    }
    return digests
  }
}
