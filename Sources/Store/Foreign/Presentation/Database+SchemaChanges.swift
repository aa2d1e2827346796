// SPDX-License-Identifier: MIT

extension Database {
  package func entitiesChangedUnlogged(since token: StoreToken) throws -> Set<String>? {
    guard let attachment, let schemaState, let known = SchemaState(token.modelDigest),
      known.model == schemaState.model, known.version <= schemaState.version
    else { return nil }
    let isRenumbered = schemaState.mayBeRenumbered(since: known)
    let hasOtherColumns = schemaState.mayHaveOtherColumns(since: known)
    var changed: Set<String> = []
    for source in schema.sources.values {
      guard let logged = attachment.table(named: source.table.name) else { continue }
      let mayDiffer =
        try isRenumbered && source.table.isRenumbered
        || hasOtherColumns && source.table.mayHaveNewColumn(since: token.number, logged, connection)
      guard mayDiffer else { continue }
      // Documents of related rows contain the keys of its rows.
      let isRelated = schema.model.entity(named: source.entityName)?.relationships.isEmpty == false
      if isRelated { return Set(schema.entityNames) }
      changed.insert(source.entityName)
    }
    return changed
  }
}
