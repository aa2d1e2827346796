// SPDX-License-Identifier: MIT

/// What a store answers to one fetch descriptor, in one context.
protocol StoredObjects<Model> {
  associatedtype Model: PersistentModel

  var descriptor: FetchDescriptor<Model> { get }
  /// Whether unsaved changes of related objects could alter the answer.
  var isTouchedBeyondOwn: Bool { get }

  func run() throws -> [Model]
  /// Without the descriptor's limit and offset.
  func runUnlimited() throws -> [Model]
  /// Every object of the class.
  func runWithoutPredicate() throws -> [Model]
  func identifiers() throws -> [PersistentIdentifier]
  func count() throws -> Int
}

extension StoredObjects {
  /// Whether unsaved changes are included and could alter the answer.
  func isTouched(byPendingOf context: ModelContext) -> Bool {
    guard descriptor.includePendingChanges else { return false }
    let type = ModelType.of(Model.self)
    return context.pending.contains { $0.hasChanges && type.includes($0.type) } || isTouchedBeyondOwn
  }
}
