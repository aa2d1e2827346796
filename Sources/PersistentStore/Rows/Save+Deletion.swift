/// What becomes of related objects when an object is deleted.
extension Save {
  /// Does to related objects what the delete rules say, before the row goes.
  ///
  /// - Returns: The objects to delete with it.
  func loosen(_ row: RowIdentifier, _ entity: EntityLayout) throws -> [RowIdentifier] {
    var cascade: [RowIdentifier] = []
    for (index, layout) in entity.relationships.enumerated() {
      if layout.description.deleteRule == .noAction, isKeptByTargets(layout) { continue }
      let targets = try store.targets(of: layout, from: row.key).filter { $0 != row }
      switch layout.description.deleteRule {
      case .cascade: cascade += targets
      case .deny: constraints.noteDenial(row, layout, targets)
      case .nullify, .noAction: break
      }
      for target in targets { try unlink(row, entity, index, target) }
      if case .pairs(let table, let own, let other, _, _) = layout.storage {
        try unpair(table, own, other, row.key, row.key)
      }
    }
    for (index, layout) in store.layout.oneWay {
      guard store.layout.entity(number: layout.destination)?.includes(entity) ?? false,
        let owner = try hiddenOwner(of: row, layout)
      else { continue }
      try lose(owner, layout, index)
    }
    return cascade
  }

  /// Whether the objects that a relationship leads to hold the key of this end, and may keep it when this end goes.
  private func isKeptByTargets(_ layout: RelationshipLayout) -> Bool {
    switch layout.storage {
    case .back: return true
    case .pairs: return false
    case .reference:
      guard let destination = store.layout.entity(number: layout.destination),
        let back = store.layout.inverse(of: layout, in: destination)
      else { return false }
      return !destination.relationships[back].description.isToMany
    }
  }
}
