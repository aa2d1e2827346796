// SPDX-License-Identifier: MIT

package import Store

/// Resolves a value to the objects of a relationship. The value is one identifier or an array of identifiers.
package struct RelatedObjects {
  private let store: PersistentStore
  private let shapes: ValueShapes

  package init(_ store: PersistentStore, _ shapes: ValueShapes) {
    self.store = store
    self.shapes = shapes
  }

  /// - Throws: `StoreError.invalidValue` with the reason.
  package func rows(_ value: FieldValue, _ relationship: RelationshipLayout) throws -> [RowIdentifier] {
    let texts: [String]
    switch value {
    case .null: texts = []
    case .text(let text): texts = text.isEmpty ? [] : [text]
    case .cell(let text):
      if text.hasPrefix("["), let field = try shapes.field(json: text) { return try rows(field, relationship) }
      texts = text.isEmpty ? [] : [text]
    case .json(let json):
      guard try shapes.isArrayOfStrings(json) else { throw misfit(relationship) }
      texts = try shapes.strings(json)
    case .bool, .integer, .real: throw misfit(relationship)
    }
    return try texts.map { try row($0, relationship) }
  }

  private func row(_ text: String, _ relationship: RelationshipLayout) throws -> RowIdentifier {
    guard let identifier = RecordURI(text) else { throw misfit(relationship) }
    if let uuid = identifier.storeUUID, uuid != store.uuid {
      throw StoreError(.invalidValue, "\(relationship.name): \(text) belongs to another store")
    }
    guard let named = store.layout.entity(matching: identifier.entityName),
      let entity = try store.concreteEntity(of: named, key: identifier.key)
    else { throw StoreError(.invalidValue, "\(relationship.name): there is no \(identifier.short)") }
    return RowIdentifier(entity: entity.number, key: identifier.key)
  }

  private func misfit(_ relationship: RelationshipLayout) -> StoreError {
    let entity = store.layout.entity(number: relationship.destination)?.entity.name ?? ""
    return StoreError(
      .invalidValue,
      relationship.description.isToMany
        ? "\(relationship.name) takes identifiers such as [\"\(entity)/p1\"]"
        : "\(relationship.name) takes an identifier such as \(entity)/p1")
  }
}
