// SPDX-License-Identifier: MIT

/// Applies delete rules to related objects.
extension Save {
  /// Applies the delete rules to related objects before the row is deleted.
  ///
  /// - Returns: The objects that a cascade rule deletes too.
  func applyDeleteRules(to row: RowIdentifier, _ entity: EntityLayout) throws -> [RowIdentifier] {
    var cascade: [RowIdentifier] = []
    for (index, layout) in entity.relationships.enumerated() {
      if layout.description.deleteRule == .noAction, isKeptByTargets(layout) { continue }
      let targets = try store.targets(of: layout, from: row.key).filter { $0 != row }
      switch layout.description.deleteRule {
      case .cascade: cascade += targets
      case .deny: constraints.addDenial(row, layout, targets)
      case .nullify, .noAction: break
      }
      for target in targets { try unlink(row, entity, index, target) }
      if case .joinTable(let table, let own, let other, _, _) = layout.storage {
        try unpair(table, own, other, row.key, row.key)
      }
    }
    for (index, layout) in store.layout.withoutInverse {
      guard store.layout.entity(number: layout.destination)?.includes(entity) ?? false,
        let owner = try hiddenOwner(of: row, layout)
      else { continue }
      try recordLoss(by: owner, layout, index)
    }
    return cascade
  }

  /// Whether the related objects store the key of this end, and may keep it when this end is deleted.
  private func isKeptByTargets(_ layout: RelationshipLayout) -> Bool {
    switch layout.storage {
    case .inverseReference: return true
    case .joinTable: return false
    case .reference:
      guard let destination = store.layout.entity(number: layout.destination),
        let inverse = store.layout.inverse(of: layout, in: destination)
      else { return false }
      return !destination.relationships[inverse].description.isToMany
    }
  }
}
