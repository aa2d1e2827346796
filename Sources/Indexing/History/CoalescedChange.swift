// SPDX-License-Identifier: MIT

package import PersistentStore
package import SQLite

/// The changes of one record since a transaction, folded into one: the last state wins.
package struct CoalescedChange {
  package private(set) var isDeleted = false
  /// Whether the record did not exist before.
  package private(set) var isNew = false
  /// The properties that were written; nil if they are not known, or if the record was inserted or deleted.
  package var properties: Set<EntityLayout.Property>? = []
  package private(set) var tombstone: [Value] = []
  /// The last transaction that changed the record; nil if no change was added.
  package private(set) var transaction: Int64?

  package init(properties: Set<EntityLayout.Property>? = []) { self.properties = properties }

  package mutating func add(_ change: StoredChange, ofTransaction number: Int64, in entity: EntityLayout?) {
    if transaction == nil { isNew = change.kind == .insert }
    transaction = number
    isDeleted = change.kind == .delete
    tombstone = change.tombstone
    if change.kind == .update, let known = change.bitmap.flatMap({ entity?.properties(of: $0) }), !known.isEmpty {
      properties?.formUnion(known)
    } else {
      properties = nil
    }
  }
}
