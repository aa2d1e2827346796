// SPDX-License-Identifier: MIT

internal import Synchronization

/// A large to-many relationship whose array is being changed in place.
protocol EditedRelationship: AnyObject {
  /// Whether the array still shares its storage with the relationship, so both hold the same.
  func isUnchanged(_ objects: [AnyObject]) -> Bool
  /// Replaces a range of the relationship's objects. The caller holds the array no longer.
  ///
  /// - Returns: The new array, which shares its storage with the relationship.
  func replace(_ range: Range<Int>, with objects: [AnyObject]) -> [AnyObject]
}

/// The changes in place that are under way, by the addresses of their arrays.
///
/// An address, because an access to a property may begin on one thread and end on another, and because a copy of the
/// array must not change the relationship.
enum OpenEdits {
  private struct Edit: @unchecked Sendable {
    // Unchecked: only the code that changes the array at its address uses it.
    let relationship: any EditedRelationship
  }

  private static let edits = Locked<[UInt: Edit]>([:])
  /// Spares most changes of arrays the lock.
  private static let count = Atomic<Int>(0)

  static func insert(_ relationship: any EditedRelationship, at address: UnsafeRawPointer) {
    let edit = Edit(relationship: relationship)
    edits.withLock { $0[UInt(bitPattern: address)] = edit }
    count.add(1, ordering: .relaxed)
  }

  static func remove(at address: UnsafeRawPointer) {
    count.subtract(1, ordering: .relaxed)
    let edit = edits.withLock { $0.removeValue(forKey: UInt(bitPattern: address)) }
    withExtendedLifetime(edit) {}
  }

  static func relationship(at address: UnsafeRawPointer) -> (any EditedRelationship)? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    return edits.withLock { $0[UInt(bitPattern: address)] }?.relationship
  }
}
