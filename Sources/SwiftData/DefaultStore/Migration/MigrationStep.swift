// SPDX-License-Identifier: MIT

internal import Store

/// One step of a migration, as one SQLite transaction. A step that fails, or whose process ends, leaves the store as it
/// was before, and the next opening repeats it.
///
/// Other connections cannot write during the step. They read the store as it was before.
enum MigrationStep {
  /// One stage of a plan.
  case stage(MigrationStage, from: PlannedVersion, to: PlannedVersion)
  /// The models of a version that the store is marked with already.
  case models(PlannedVersion)
  /// Another version identifier alone: the store has the version's models.
  case mark(PlannedVersion)

  /// - Parameter configuration: Of the store.
  /// - Returns: false where another process migrated the store first: read it again.
  /// - Throws: What the plan's own code throws, `SwiftDataError.loadIssueModelContainer` for a change that needs a
  ///   program or would delete objects of a subclass, `.saveFailure` for a store that is busy or a full disk.
  func run(in store: PersistentStore, _ configuration: ModelConfiguration) throws -> Bool {
    do {
      try store.inOneTransaction {
        let now = try store.reread()
        guard now.uuid == store.uuid, now.model == store.model, now.versionIdentifiers == store.versionIdentifiers
        else { throw Overtaken() }
        try perform(in: now, configuration)
      }
      return true
    } catch is Overtaken {
      return false
    } catch let error as StoreError {
      throw SwiftDataError(error, during: .opening, title: title(store.path))
    }
  }

  private struct Overtaken: Error {}

  private func perform(in store: PersistentStore, _ configuration: ModelConfiguration) throws {
    switch self {
    case .models(let version):
      try LostSubclasses(store, version.model).refuse()
      try Self.migrate(store, to: version)
    case .mark(let version), .stage(.lightweight, from: _, to: let version):
      try Self.migrate(store, to: version)
    case .stage(.custom(_, _, let willMigrate, let didMigrate), let from, let to):
      try Self.run(willMigrate, with: from, store, configuration)
      try Self.migrate(store, to: to)
      try Self.run(didMigrate, with: to, try store.reread(), configuration)
    }
  }

  private static func migrate(_ store: PersistentStore, to version: PlannedVersion) throws {
    if version.model.isEquivalent(to: store.model) {
      try store.rename(versionIdentifiers: version.identifiers)
    } else {
      _ = try store.migrate(to: version.model, versionIdentifiers: version.identifiers)
    }
  }

  /// Runs a plan's code with a context of one version's models. What it does not save is saved at its end.
  private static func run(
    _ body: ((ModelContext) throws -> Void)?, with version: PlannedVersion, _ store: PersistentStore,
    _ configuration: ModelConfiguration
  ) throws {
    guard let body else { return }
    let context = ModelContext(
      ModelContainer(over: DefaultStore(store, version.schema, configuration), isQuiet: true))
    try body(context)
    if context.hasChanges { try context.save() }
  }

  private func title(_ path: String) -> String {
    switch self {
    case .stage(_, let from, let to): "migrating \(path) from \(from.title) to \(to.title)"
    case .models(let version): "giving \(path) the models of \(version.title)"
    case .mark(let version): "marking \(path) as \(version.title)"
    }
  }
}
