// SPDX-License-Identifier: MIT

internal import Base
package import Store

extension PersistentStore {
  /// The concrete entity of the row that an identifier names; nil if there is no such row.
  ///
  /// - Throws: `OperationError.usage` for an identifier of another store, or of an entity that this one does not have.
  package func entity(of identifier: RecordURI) throws -> EntityLayout? {
    try concreteEntity(of: entity(namedIn: identifier), key: identifier.key)
  }

  /// The entity that an identifier names, of which the row may have a subentity.
  ///
  /// - Throws: As `entity(of:)`.
  package func entity(namedIn identifier: RecordURI) throws -> EntityLayout {
    if let named = identifier.storeUUID, named != uuid {
      throw OperationError(.usage, "\(identifier.uri) belongs to another store; this one is \(uuid)")
    }
    guard let named = layout.entity(matching: identifier.entityName) else {
      let known = layout.entities.map(\.entity.name).joined(separator: ", ")
      throw OperationError(.usage, "the store has no entity \(identifier.entityName); it has \(known)")
    }
    return named
  }
}
