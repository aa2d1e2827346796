internal import SQLite

/// What a migration did, for people.
package struct MigrationOutcome: Equatable, Sendable {
  /// The transaction that marks it; nil where the model was the same already.
  package var transaction: Int64?
  package var addedEntities: [String] = []
  package var removedEntities: [String] = []
  /// Old names and new ones.
  package var renamedEntities: [String] = []
  /// Properties as `Entity.name`, renamed ones with an arrow.
  package var addedProperties: [String] = []
  package var removedProperties: [String] = []
  package var renamedProperties: [String] = []
  /// Properties that stay, as `Entity.name`, but not as they were: another type, default, option or rule. An entity
  /// by itself where what is unique in it, or indexed, has changed.
  package var changedProperties: [String] = []

  package init() {}
}

extension PersistentStore {
  /// Brings the store to another model: rows, relationships and history, in one SQLite transaction.
  ///
  /// Entities and properties may be added, removed and renamed (`originalName`), values may widen. Transactions keep
  /// their numbers and times, so tokens stay good; changes of removed entities are dropped. The migration itself is a
  /// transaction without changes. This object still describes the old model afterwards: open the store anew.
  ///
  /// - Parameters:
  ///   - versionIdentifiers: What the caller calls the new version of the model.
  ///   - isDryRun: Rolls everything back; what it would have done is told all the same.
  /// - Throws: `StoreError.invalidModel`, `.invalidValue`, `.duplicate`, `.busy`; then nothing has changed.
  package func migrate(
    to model: ModelDescription, versionIdentifiers: [String] = [], isDryRun: Bool = false
  ) throws -> MigrationOutcome {
    precondition(access == .readWrite, "a store that was opened for reading cannot be migrated")
    guard !isInMemory else {
      throw StoreError(
        .invalidModel, "a store in memory keeps the model it was made with", hint: "make another one of the new model")
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
          // Other processes learn of a new model by SQLite's counter of changes to tables.
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

  /// What a migration to `model` would do; nothing is read or written.
  ///
  /// - Throws: `StoreError.invalidModel`.
  package func outlook(to model: ModelDescription) throws -> MigrationOutcome {
    try model.validate()
    return try MigrationPlan(from: layout, to: StoreLayout(model: model)).outcome
  }

  /// Gives the version of the model another name. The history does not tell.
  ///
  /// - Throws: `StoreError.busy` after ten seconds of another writer, `.full`, `.notWritable`.
  package func rename(versionIdentifiers: [String]) throws {
    precondition(access == .readWrite, "a store that was opened for reading cannot be renamed")
    try Self.translating(path) {
      try connection.beginWrite()
      do {
        try refuseReplaced()
        try writeMetadata(StoreMetadata(model: model, versionIdentifiers))
        try connection.commit()
      } catch {
        connection.rollback()
        throw error
      }
    }
  }

  /// The author of transactions that mark a migration, as Core Data names it.
  package static let migrator = "com.apple.coredata.schemamigrator:"
  /// The context name of those that only added entities and properties: no row lost or changed a value.
  static let growth = "the model has grown"

  private func writeMetadata(_ metadata: StoreMetadata) throws {
    let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?1 WHERE Z_VERSION = 1")
    try statement.bind(.blob(try metadata.encoded()), at: 1)
    try statement.run()
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
  /// What stays under its name, or a new one, with another meaning.
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
  /// Whether the other one differs by its names at most.
  fileprivate func means(_ other: AttributeDescription) -> Bool {
    var renamed = other
    (renamed.name, renamed.originalName) = (name, originalName)
    return renamed == self
  }
}

extension RelationshipDescription {
  /// Whether the other one differs by names at most; its destination and inverse may be renamed too.
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
