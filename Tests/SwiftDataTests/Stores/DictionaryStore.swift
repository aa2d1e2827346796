// SPDX-License-Identifier: MIT

import SwiftData

/// A store of one's own: snapshots in a dictionary. It cannot filter or sort; the context does.
final class DictionaryStore: DataStore, DataStoreBatching {
  typealias Snapshot = DefaultSnapshot

  struct Configuration: DataStoreConfiguration {
    typealias Store = DictionaryStore
    var name: String
    var schema: Schema?

    static func == (left: Configuration, right: Configuration) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  let identifier = "dictionary-" + UUID().uuidString
  let schema: Schema
  let configuration: Configuration
  var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var next = 1

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema!
  }

  func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = snapshots.values.filter { $0.persistentIdentifier.entityName == Schema.entityName(for: Model.self) }
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: found.sorted { $0.persistentIdentifier < $1.persistentIdentifier })
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let temporary = snapshot.persistentIdentifier
      remapped[temporary] = try .identifier(for: identifier, entityName: temporary.entityName, primaryKey: next)
      next += 1
    }
    for snapshot in request.inserted + request.updated {
      let name = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      snapshots[name] = snapshot.copy(persistentIdentifier: name, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
    guard request.predicate == nil else { throw DataStoreError.unsupportedFeature }
    snapshots = snapshots.filter { $0.key.entityName != Schema.entityName(for: Model.self) }
  }

  func erase() throws { snapshots = [:] }
}
