// SPDX-License-Identifier: MIT

internal import Store

/// The versions of a migration plan up to that of a container's schema, reduced to the entities of one store.
struct PlannedVersions {
  private let plan: any SchemaMigrationPlan.Type
  private let versions: [PlannedVersion]

  /// - Parameters:
  ///   - schema: Of the store from now on.
  ///   - stored: The model of the store; nil for a new store.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for a plan that contradicts itself, `.unknownSchema` where the
  ///   schema is none of its versions.
  init(_ plan: any SchemaMigrationPlan.Type, to schema: Schema, stored: ModelDescription?) throws {
    self.plan = plan
    let names = plan.schemas
    for (name, next) in zip(names, names.dropFirst()) where name.versionIdentifier >= next.versionIdentifier {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(plan) lists \(next) \(next.versionIdentifier) after \(name) \(name.versionIdentifier): list the versions "
          + "oldest first, and give each a higher versionIdentifier than the one before")
    }
    let wanted = Set(schema.types.map(ObjectIdentifier.init))
    func types(_ name: any VersionedSchema.Type) -> Set<ObjectIdentifier> {
      Set(Schema(versionedSchema: name).types.map(ObjectIdentifier.init))
    }
    if let target = names.lastIndex(where: { types($0) == wanted }) {
      versions = try names[...target].map { try PlannedVersion($0) }
    } else if !wanted.isEmpty, let target = names.lastIndex(where: { types($0).isSuperset(of: wanted) }) {
      // One store of several: what it holds goes by the entities' names in older versions.
      let held = Set(schema.types.map(\.name) + (stored?.entities.map(\.name) ?? []))
      versions =
        try names[..<target].map { try PlannedVersion($0) { held.contains($0.name) } }
        + [try PlannedVersion(names[target]) { wanted.contains(ObjectIdentifier($0)) }]
    } else {
      throw SwiftDataError(
        .unknownSchema,
        "the container's schema (\(schema.types.map(\.name).sorted().joined(separator: ", "))) is none of the versions "
          + "of \(plan): open it with the models of the newest one\(names.last.map { ", \($0)" } ?? "")")
    }
  }

  /// The version to which the store is migrated.
  var target: PlannedVersion { versions[versions.count - 1] }

  /// The next step for a store; nil where it is up to date.
  ///
  /// The store's models determine its version. Where several versions have the same models, or none has, the version
  /// that the store was marked with counts.
  ///
  /// - Throws: `SwiftDataError.backwardMigration`, `.unknownDataStoreSchema`, and `.loadIssueModelContainer` for a plan
  ///   without a stage.
  func next(_ store: PersistentStore) throws -> MigrationStep? {
    let recorded = Schema.Version(identifiers: store.versionIdentifiers)
    if let recorded, recorded > target.version {
      throw SwiftDataError(
        .backwardMigration,
        "\(store.path) was written by version \(recorded) of its schema, and the container's schema is that of "
          + "\(target.title): "
          + (plan.schemas.last.map { $0.versionIdentifier < recorded } ?? true
            ? "use a newer version of the program" : "open it with the models of version \(recorded) or a newer one"))
    }
    let same = versions.indices.filter { versions[$0].model.isEquivalent(to: store.model) }
    let marked = versions.firstIndex { $0.version == recorded }
    if let marked, same.contains(marked) { return try stage(from: marked) }
    if let found = same.first { return try stage(from: found) ?? .mark(target) }
    guard let marked else { throw unknown(store, recorded) }
    try refuseLosses(store, versions[marked])
    return .models(versions[marked])
  }

  private func stage(from index: Int) throws -> MigrationStep? {
    guard index < versions.count - 1 else { return nil }
    for stage in plan.stages {
      let (from, to) = stage.ends
      guard versions[index].isNamed(from), let next = versions.firstIndex(where: { $0.isNamed(to) }), next > index
      else {
        continue
      }
      return .stage(stage, from: versions[index], to: versions[next])
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "\(plan) has no stage that leads from \(versions[index].title) towards \(target.title): add .lightweight or "
        + ".custom from that to \(versions[index + 1].title)")
  }

  // MARK: Unknown models

  /// A version whose models were edited without a new version may add to the store, but must not remove anything.
  private func refuseLosses(_ store: PersistentStore, _ version: PlannedVersion) throws {
    let preview = try store.previewMigration(to: version.model)
    let lost = preview.removedEntities + preview.removedProperties
    guard lost.isEmpty else {
      throw SwiftDataError(
        .unknownDataStoreSchema,
        "\(store.path) is marked as that of \(version.title), which lacks what is in it: "
          + "\(lost.joined(separator: ", ")); put the models that made it into \(plan) as a version of their own")
    }
  }

  private func unknown(_ store: PersistentStore, _ recorded: Schema.Version?) -> SwiftDataError {
    let entities = store.model.entities.map(\.name).sorted().joined(separator: ", ")
    let mark = recorded.map { "marked as version \($0)" } ?? "of no marked version"
    return SwiftDataError(
      .unknownDataStoreSchema,
      "\(store.path) (\(mark); its entities: \(entities)) holds the models of none of the versions of \(plan), which are "
        + versions.map(\.title).joined(separator: ", ") + ": add the version that made it" + nearest(store))
  }

  /// What distinguishes the store from the version that is most like it.
  private func nearest(_ store: PersistentStore) -> String {
    let all = versions.map { (version: $0, differences: ModelDifferences(store.model, $0.model)) }
    guard let found = all.min(by: { $0.differences.count < $1.differences.count }) else { return "" }
    return "; \(found.version.title) is most like it: " + found.differences.text
  }
}
