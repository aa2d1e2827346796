// SPDX-License-Identifier: MIT

package import Store

/// The changes of one record between two transactions, folded into one: the last state wins.
package struct CoalescedChange {
  /// A transaction and its author.
  package struct Origin {
    package let transaction: Int64
    package let author: String?
  }

  /// The kind of the first change; nil if no change was added.
  package private(set) var first: ChangeKind?
  package private(set) var newest: StoredChange?
  /// Whether the record was deleted, and possibly inserted again.
  package private(set) var wasDeleted = false
  /// The properties that are known to have been written.
  package private(set) var knownProperties: Set<EntityLayout.Property> = []
  private var areAllKnown = true

  /// The counted transactions: the number of them, the first one and the last one; nil if there are none.
  package private(set) var count = 0
  package private(set) var firstOrigin: Origin?
  package private(set) var lastOrigin: Origin?
  package private(set) var isFirstCounted = false
  package private(set) var isLastCounted = false

  init() {}

  /// Whether the record did not exist before.
  var isNew: Bool { first == .insert }
  var isDeleted: Bool { newest?.kind == .delete }
  /// The properties that were written; nil if they are not known, or if the record was inserted or deleted.
  package var properties: Set<EntityLayout.Property>? { areAllKnown ? knownProperties : nil }

  /// The change of a row because another one changed.
  static let ofOwner: CoalescedChange = {
    var change = CoalescedChange()
    change.addUnknown()
    return change
  }()

  /// Adds a change whose properties are not known.
  mutating func addUnknown() { areAllKnown = false }

  /// - Parameter isCounted: Whether the transaction is counted. The others, too, decide whether the record exists.
  mutating func add(
    _ change: StoredChange, of transaction: StoredTransaction, in entity: EntityLayout?, isCounted: Bool
  ) {
    if first == nil { (first, isFirstCounted) = (change.kind, isCounted) }
    (newest, isLastCounted) = (change, isCounted)
    if change.kind == .delete { wasDeleted = true }
    let written = change.kind == .update ? change.bitmap.flatMap { entity?.properties(of: $0) } ?? [] : []
    if written.isEmpty { addUnknown() }
    guard isCounted else { return }
    knownProperties.formUnion(written)
    guard lastOrigin?.transaction != transaction.number else { return }
    count += 1
    lastOrigin = Origin(transaction: transaction.number, author: transaction.author)
    firstOrigin = firstOrigin ?? lastOrigin
  }
}
