// SPDX-License-Identifier: MIT

extension ModelContext: ObjectContext {}

extension PersistentModel {
  /// The context the object was inserted into or fetched by; nil before the insert, and once a delete was saved.
  public var modelContext: ModelContext? { _currentState()?.context as? ModelContext }
}
