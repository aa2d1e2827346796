// SPDX-License-Identifier: MIT

/// The context of an object, as far as the object's state needs it.
protocol ObjectContext: AnyObject {
  /// An object is about to be inserted, changed or deleted.
  func noteUnsaved()
  /// A property of the object has its first unsaved change, or the object was inserted or deleted.
  func noteChange(_ state: _ModelState)
  /// A property is about to change from `slot`.
  func registerUndo(of state: _ModelState, _ index: Int, _ slot: Slot)
  /// Reads the row of an object that was not read yet.
  func fill(_ state: _ModelState)
  /// The object is deallocated.
  func forget(_ identifier: PersistentIdentifier, _ state: _ModelState)
  /// The object of that identifier; nil where no store of the context has its entity.
  func object(_ identifier: PersistentIdentifier) -> (any PersistentModel)?
  /// The objects of a to-many relationship.
  func targets(of state: _ModelState, at index: Int) -> RelatedObjects
  /// Inserts an object that an object of the context refers to.
  func adopt(_ model: any PersistentModel)
}

/// Reads for the objects of a context that has gone, by a new context of the same container.
///
/// These objects share one successor and keep it; it does not keep them. What it reads are other objects, which lead to
/// objects of the new context alone. So no cycle keeps the container alive, and the new context ends with the last of
/// the objects that were left. As those of any context, the objects belong to one thread, actor or task at a time.
final class ContextSuccessor {
  private let make: () -> any ObjectContext
  /// Made when something is read.
  private(set) lazy var context = make()

  init(_ make: @escaping () -> any ObjectContext) { self.make = make }
}
