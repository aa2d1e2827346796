// SPDX-License-Identifier: MIT

package import PersistentStore

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
      if mayDiffer { changed.insert(source.entityName) }
    }
    return changed
  }
}
