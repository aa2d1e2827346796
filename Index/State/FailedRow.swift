// SPDX-License-Identifier: MIT

package import Store

/// A row that is not indexed, or only in part, and the reason.
package struct FailedRow: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The document lacks some words of the row.
    case truncated
    /// Xapian rejected the document, so there is none.
    case rejected
  }

  package let entity: String
  package let key: Int64
  package let kind: Kind
  package let reason: String

  var identifier: RecordURI {
    RecordURI(storeUUID: nil, entityName: entity, key: key)
  }

  /// The identifier of the row in its store.
  package func identifier(in store: PersistentStore) throws -> RecordURI {
    guard let found = store.layout.entity(named: entity) else { return identifier }
    return try store.identifier(of: RowIdentifier(entity: found.number, key: key))
  }

  /// The message when it happens.
  func sentence(in store: PersistentStore) throws -> String {
    "\(try identifier(in: store).short) is left out of the index: \(reason)"
  }
}
