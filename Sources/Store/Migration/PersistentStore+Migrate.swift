// SPDX-License-Identifier: MIT

internal import SQLite

/// What a migration did, for display.
package struct MigrationOutcome: Equatable, Sendable {
  /// The transaction that records the migration; nil if the model was the same already.
  package var transaction: Int64?
  package var addedEntities: [String] = []
  package var removedEntities: [String] = []
  /// Entities as `Old → New`.
  package var renamedEntities: [String] = []
  /// Properties as `Entity.name`. Renamed ones are `Entity.old → new`.
  package var addedProperties: [String] = []
  package var removedProperties: [String] = []
  package var renamedProperties: [String] = []
  /// Properties whose type, default, option or rule changed, as `Entity.name`. An entity's own name means that its
  /// unique constraints or indexes changed.
  package var changedProperties: [String] = []

  package init() {}
}

extension PersistentStore {
  /// Migrates the store to another model: rows, relationships and history, in one SQLite transaction.
  ///
  /// Entities and properties may be added, removed and renamed (`originalName`), and types may widen. Transactions keep
  /// their numbers and times, so tokens stay valid. Changes of removed entities are deleted. The migration itself is a
  /// transaction without changes. This object still describes the old model afterwards: open the store again.
  ///
  /// - Parameters:
  ///   - versionIdentifiers: The caller's names for the new version of the model.
  ///   - isDryRun: Whether everything is rolled back. The outcome is returned all the same.
  /// - Throws: `StoreError.invalidModel`, `.invalidValue`, `.duplicate` or `.busy`. Nothing has changed then.
  package func migrate(
    to model: ModelDescription, versionIdentifiers: [String] = [], isDryRun: Bool = false
  ) throws -> MigrationOutcome {
    precondition(access == .readWrite, "a store that was opened for reading cannot be migrated")
    guard !isInMemory else {
      throw StoreError(
        .invalidModel, "a store in memory keeps the model it was made with", recovery: .createStore)
    }
    try model.validate()
    guard model != self.model else { return MigrationOutcome() }
    let plan = try MigrationPlan(from: layout, to: StoreLayout(model: model))
    var outcome = plan.outcome
    try Self.translating(path) {
      try connection.beginWrite()
      let save = Save(store: self)
      do {
        try refuseReplaced()
        let rows = RowMigration(plan: plan, save: save)
        if plan.keepsRows {
          try rows.replaceIndexes()
          // Other processes detect the new model by SQLite's schema version, which this raises.
          try connection.execute("CREATE TABLE FOLLOWSPOT_MIGRATED (x); DROP TABLE FOLLOWSPOT_MIGRATED")
        } else {
          try rows.run()
          try HistoryMigration(plan: plan, connection: connection).run()
        }
        try writeMetadata(StoreMetadata(model: model, versionIdentifiers))
        let digest = try model.digest()
        outcome.transaction = try writeHistory(
          of: save, author: Self.migrator + " lightweight migration from model with digest { \(digest) }",
          context: self.model.isPart(of: model) ? Self.growth : nil
        ).transaction
        if isDryRun {
          connection.rollback()
          save.external?.rolledBack()
        } else {
          try commit(save.external)
        }
      } catch {
        connection.rollback()
        save.external?.rolledBack()
        throw error
      }
    }
    return outcome
  }

  /// Returns what a migration to `model` would do. Rows are neither read nor written.
  ///
  /// - Throws: `StoreError.invalidModel`.
  package func previewMigration(to model: ModelDescription) throws -> MigrationOutcome {
    try model.validate()
    return try MigrationPlan(from: layout, to: StoreLayout(model: model)).outcome
  }

  /// Changes the names of the model's version. The history does not record it.
  ///
  /// - Throws: `StoreError.busy` if another writer holds the store for ten seconds; `.full`, `.notWritable`.
  package func rename(versionIdentifiers: [String]) throws {
    precondition(access == .readWrite, "a store that was opened for reading cannot be renamed")
    try Self.translating(path) {
      try connection.write {
        try refuseReplaced()
        try writeMetadata(StoreMetadata(model: model, versionIdentifiers))
      }
    }
  }

  /// The author of transactions that record a migration; Core Data uses the same name.
  package static let migrator = "com.apple.coredata.schemamigrator:"
  /// The context name of migrations that only added entities and properties: no row lost or changed a value.
  static let growth = "the model has grown"

  private func writeMetadata(_ metadata: StoreMetadata) throws {
    try connection.run(
      "UPDATE Z_METADATA SET Z_PLIST = ?1 WHERE Z_VERSION = 1", [.blob(try metadata.encoded())])
  }
}

extension MigrationPlan {
  var outcome: MigrationOutcome {
    var outcome = MigrationOutcome()
    outcome.removedEntities = removed.map(\.entity.name)
    for entity in new.entities {
      guard let step = step(ofNew: entity.number) else {
        outcome.addedEntities.append(entity.entity.name)
        continue
      }
      let (before, after) = (step.old.entity, step.new.entity)
      if before.name != after.name { outcome.renamedEntities.append("\(before.name) → \(after.name)") }
      outcome.add(
        step.attributes, before.attributes.map(\.name), after.attributes.map(\.name), of: after.name)
      outcome.add(
        step.relationships, before.relationships.map(\.name), after.relationships.map(\.name), of: after.name)
      outcome.changedProperties += step.changes
    }
    return outcome
  }
}

extension MigrationPlan.EntityStep {
  /// Properties and entities that were kept or renamed, but have another meaning now.
  fileprivate var changes: [String] {
    let (before, after) = (old.entity, new.entity)
    var names: [String: String] = [:]
    for (index, source) in attributes { names[before.attributes[source].name] = after.attributes[index].name }
    for (index, source) in relationships { names[before.relationships[source].name] = after.relationships[index].name }
    func renamed(_ lists: [[String]]) -> [[String]] { lists.map { $0.map { names[$0] ?? $0 } } }
    let isSame = renamed(before.uniqueness) == after.uniqueness && renamed(before.indexes) == after.indexes
    let changedAttributes = after.attributes.enumerated().filter { index, attribute in
      attributes[index].map { !before.attributes[$0].means(attribute) } ?? false
    }.map(\.element.name)
    let changedRelationships = after.relationships.enumerated().filter { index, relationship in
      relationships[index].map { !before.relationships[$0].means(relationship) } ?? false
    }.map(\.element.name)
    return (isSame ? [] : [after.name]) + (changedAttributes + changedRelationships).map { "\(after.name).\($0)" }
  }
}

extension AttributeDescription {
  /// Whether the other attribute differs at most in its names.
  fileprivate func means(_ other: AttributeDescription) -> Bool {
    var renamed = other
    (renamed.name, renamed.originalName) = (name, originalName)
    return renamed == self
  }
}

extension RelationshipDescription {
  /// Whether the other relationship differs at most in names, including those of its destination and inverse.
  fileprivate func means(_ other: RelationshipDescription) -> Bool {
    var renamed = other
    (renamed.name, renamed.originalName) = (name, originalName)
    (renamed.destination, renamed.inverse) = (destination, inverse)
    return renamed == self
  }
}

extension MigrationOutcome {
  fileprivate mutating func add(_ sources: [Int: Int], _ before: [String], _ after: [String], of entity: String) {
    for (index, name) in after.enumerated() {
      guard let source = sources[index] else {
        addedProperties.append("\(entity).\(name)")
        continue
      }
      if before[source] != name { renamedProperties.append("\(entity).\(before[source]) → \(name)") }
    }
    for (index, name) in before.enumerated() where !sources.values.contains(index) {
      removedProperties.append("\(entity).\(name)")
    }
  }
}
