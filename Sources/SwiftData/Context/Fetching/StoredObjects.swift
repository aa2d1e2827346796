// SPDX-License-Identifier: MIT

/// What a store answers to one fetch descriptor, in one context.
protocol StoredObjects<Model> {
  associatedtype Model: PersistentModel

  var descriptor: FetchDescriptor<Model> { get }
  /// Whether unsaved changes of related objects could alter which objects match.
  var isSelectionTouchedByRelated: Bool { get }
  /// Whether unsaved changes of related objects could alter the order.
  var isOrderTouchedByRelated: Bool { get }

  func run() throws -> [Model]
  /// All that match, without the descriptor's order, limit and offset.
  func runUnlimited() throws -> [Model]
  /// Every object of the class.
  func runWithoutPredicate() throws -> [Model]
  func identifiers() throws -> [PersistentIdentifier]
  func count() throws -> Int
}

extension StoredObjects {
  /// Whether unsaved changes are included and could alter which objects match.
  func isSelectionTouched(byPendingOf context: ModelContext) -> Bool {
    guard descriptor.includePendingChanges else { return false }
    let type = ModelType.of(Model.self)
    return context.pending.contains { $0.hasChanges && type.includes($0.type) } || isSelectionTouchedByRelated
  }

  /// Whether unsaved changes are included and could alter which objects match, or their order.
  func isTouched(byPendingOf context: ModelContext) -> Bool {
    isSelectionTouched(byPendingOf: context) || (descriptor.includePendingChanges && isOrderTouchedByRelated)
  }
}
