// SPDX-License-Identifier: MIT

package import SQLite
internal import SearchIndex
package import Store

/// The rows that an answer describes: those of the store; the values that the history preserves, if a query is about
/// deleted records; or the values that the index has, if a replica without the store answers.
package struct RowSource {
  let store: PersistentStore
  /// The deleted records; nil if the rows are those of the store.
  let deletions: [RowIdentifier: StoredDeletion]?
  /// The values in the index; nil if the store is read.
  let stored: StoredRows?

  package init(
    _ store: PersistentStore, deletions: [RowIdentifier: StoredDeletion]? = nil, stored: StoredRows? = nil
  ) {
    (self.store, self.deletions, self.stored) = (store, deletions, stored)
  }

  /// The concrete entity of the row that an identifier names; nil if there is no such row.
  ///
  /// - Throws: `OperationError.usage` for an identifier of another store or an unknown entity.
  func entity(of identifier: RecordURI) throws -> EntityLayout? {
    guard stored != nil else { return try store.entity(of: identifier) }
    let named = try store.entity(namedIn: identifier)
    return try store.layout.entities.first {
      try named.includes($0) && withRow(of: $0, key: identifier.key, attributes: []) { $0 != nil }
    }
  }

  /// Whether the value of an attribute can be read, of a related record if there is a path. Only an answer without the
  /// store may lack it.
  func has(_ attribute: Int, of entity: EntityLayout, along path: RelationshipPath? = nil, key: Int64) throws -> Bool {
    try stored?.has(attribute, of: entity, along: path, key: key) ?? true
  }

  /// Calls `body` with a row; nil if there is none.
  func withRow<Result>(
    of entity: EntityLayout, key: Int64, attributes: [Int], _ body: (Row?) throws -> Result
  ) throws -> Result {
    if let stored { return try stored.withRow(of: entity, key: key, attributes: attributes, body) }
    guard let deletions else { return try store.withRow(of: entity, key: key, attributes: attributes, body) }
    guard let deletion = deletions[RowIdentifier(entity: entity.number, key: key)] else { return try body(nil) }
    return try store.withTombstone(deletion, of: entity, attributes: attributes, body)
  }

  /// All attributes of one row by attribute index; nil if there is no such row.
  package func values(of entity: EntityLayout, key: Int64) throws -> [Value]? {
    guard deletions != nil || stored != nil else { return try store.values(of: entity, key: key) }
    let attributes = Array(entity.entity.attributes.indices)
    return try withRow(of: entity, key: key, attributes: attributes) { row in row.map { attributes.map($0.value) } }
  }

  /// Calls `body` with the related rows along a path. A deleted record has none.
  ///
  /// - Parameter limit: The maximum number of rows; nil for all.
  func eachRelated(
    along path: RelationshipPath, from key: Int64, attributes: [Int], limit: Int? = nil,
    _ body: (RelatedRow) throws -> Void
  ) throws {
    if let stored { return try stored.eachRelated(along: path, from: key, attributes: attributes, limit: limit, body) }
    if deletions == nil { try store.eachRelated(along: path, from: key, attributes: attributes, limit: limit, body) }
  }
}
