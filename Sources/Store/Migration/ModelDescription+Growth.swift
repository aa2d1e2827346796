// SPDX-License-Identifier: MIT

extension ModelDescription {
  /// Whether `newer` contains this model unchanged, so that a migration only adds entities and properties.
  func isPart(of newer: ModelDescription) -> Bool {
    entities.allSatisfy { entity in newer.entity(named: entity.name).map(entity.isPart) ?? false }
  }
}

extension EntityDescription {
  fileprivate func isPart(of newer: EntityDescription) -> Bool {
    superentity == newer.superentity && attributes.allSatisfy(newer.attributes.contains)
      && composites.allSatisfy(newer.composites.contains) && relationships.allSatisfy(newer.relationships.contains)
  }
}
