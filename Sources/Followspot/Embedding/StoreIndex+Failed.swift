// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// An object that the index lacks, or has only in part.
public struct FailedObject: Hashable, Sendable {
  /// What the index has of the object.
  public enum Kind: String, Sendable {
    /// Not all words, because there are too many, or one is too long.
    case truncated
    /// Nothing, because Xapian rejected its document.
    case rejected
  }

  /// What the index has of the object.
  public let kind: Kind
  /// The object's identifier, as `SearchHit.id`.
  public let id: String
  /// The name of the object's entity.
  public let entityName: String
  /// What was left out, and why.
  public let reason: String
}

extension StoreIndex {
  /// The objects that the index truncated or rejected, by entity and identifier. `SearchAnswer.coverage` counts them.
  ///
  /// - Throws: `FollowspotError`: `.indexMissing` before the first `update`.
  public func failedObjects() async throws -> [FailedObject] {
    try await work {
      let rows = try UnindexedRows(directory: self.indexDirectory).list().rows
      guard !rows.isEmpty else { return [] }
      let store = try StoreFile.open(self.store.path, readings: self.indexDirectory.readings)
      return try rows.map { row in
        FailedObject(
          kind: row.kind == .truncated ? .truncated : .rejected, id: try row.identifier(in: store).uri,
          entityName: row.entity, reason: row.reason)
      }
    }
  }
}
