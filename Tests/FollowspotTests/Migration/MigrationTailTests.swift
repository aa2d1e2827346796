// SPDX-License-Identifier: MIT

import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Indexes of stores that are migrated between passes.
@Suite(.overlapping, .temporaryDirectory)
struct MigrationTailTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: Rounds.seeds(3, full: 10, long: 500))
  func `an index that passes update across random migrations equals a rebuilt one`(seed: Int) throws {
    var source = RandomModel(seed: seed)
    let path = directory.file("random.store")
    var store = try PersistentStore.create(path, model: source.model)
    let index = IndexDirectory(path: path + ".index")
    var options = Indexer.Options(storePath: path, directory: index)
    if seed % 4 > 0 { options.definition = definition(of: store.layout) }
    let indexer = Indexer(options)
    try catchUp(indexer)
    for _ in 0..<4 {
      for _ in 0..<source.number(1...4) { try source.saveRandomly(store) }
      // Transactions from before the migration can still be unread after it.
      if source.chance(2) { try catchUp(indexer) }
      source.edit()
      _ = try store.migrate(to: source.model)
      store = try PersistentStore.open(path, access: .readWrite)
      for _ in 0..<source.number(0...3) { try source.saveRandomly(store) }
      try catchUp(indexer)
      let tailed = try CanonicalDump(of: index)
      let checksum = try #require(indexer.state).checksumText
      #expect(try Verify(storePath: path, directory: index).run(isQuick: false).isEqual)
      let rebuilt = try Rebuild(storePath: path, directory: index, keep: 0).run()
      #expect(try tailed == CanonicalDump(of: index))
      #expect(rebuilt.checksum == checksum)
      #expect(rebuilt.token.number == (try store.newest()))
    }
  }

  /// Runs passes as a follower does: a pass ends if the store changes meanwhile, and the next one continues.
  private func catchUp(_ indexer: Indexer) throws {
    try indexer.catchUp()
    while try indexer.isOutdated() { try indexer.catchUp() }
  }

  /// The default definition, and the texts that one relationship or two lead to.
  private func definition(of layout: StoreLayout) -> IndexDefinition {
    let shape = layout.shape
    var definition = IndexDefinition.standard(for: shape)
    for (name, entity) in shape {
      for relationship in entity.relationships {
        let direct = paths(behind: relationship, in: shape)
        let further = (shape[relationship.destination]?.relationships ?? []).flatMap { next in
          paths(behind: next, in: shape).map { "\(relationship.name).\($0)" }
        }
        definition.entities[name]?.fields += (direct + further).map { FieldDefinition(name: $0, roles: [.text]) }
      }
    }
    return definition
  }

  private func paths(behind relationship: RelationshipShape, in shape: ModelShape) -> [String] {
    (shape[relationship.destination]?.attributes ?? []).filter { [.text, .strings, .json].contains($0.kind) }
      .map { "\(relationship.name).\($0.name)" }
  }
}
