// SPDX-License-Identifier: MIT

internal import Store

/// Opens the file of a default store, creates a missing file, and migrates older models. A store that Apple's software
/// made is neither migrated nor written.
struct StoreOpening {
  private let configuration: ModelConfiguration
  private let schema: Schema
  private let plan: (any SchemaMigrationPlan.Type)?
  private let model: ModelDescription
  private var path: String { configuration.url.path }

  init(_ configuration: ModelConfiguration, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    self.schema = schema
    self.plan = plan
    model = try ModelDescription(schema)
  }

  /// - Returns: The store's identifier.
  func open() throws -> String {
    do {
      return try exists ? migrate() : create()
    } catch let error as StoreError {
      throw SwiftDataError(error, during: .opening)
    }
  }

  private var exists: Bool { FileManager.default.fileExists(atPath: path) }

  // MARK: A new store

  private func create() throws -> String {
    guard configuration.allowsSave else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "there is no store at \(path), and a read-only configuration does not create one: create it with a "
          + "configuration that allows saving")
    }
    let version = try plan.map { try PlannedVersions($0, to: schema, stored: nil).target.version } ?? schema.version
    try makeDirectory()
    do {
      return try PersistentStore.create(path, model: model, versionIdentifiers: [version.description]).uuid
    } catch let error as StoreError {
      // Another process may have made it meanwhile.
      guard exists else { throw error }
      return try migrate()
    }
  }

  private func makeDirectory() throws {
    let directory = configuration.url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      throw SwiftDataError(
        .loadIssueModelContainer, "the directory \(directory.path) cannot be created: check the one above it",
        underlying: error)
    }
  }

  // MARK: An existing store

  /// Runs one step at a time and reads the store again before each, because another process may do the same.
  private func migrate() throws -> String {
    while true {
      let store = try openExisting()
      guard store.isOwn else {
        try refuseDifferences(store)
        return store.uuid
      }
      guard let step = try next(store) else { return store.uuid }
      guard configuration.allowsSave else {
        if case .mark = step { return store.uuid }
        throw SwiftDataError(
          .loadIssueModelContainer,
          "\(path) holds other models than the schema, and a read-only configuration cannot migrate it: open it once "
            + "with one that allows saving")
      }
      let isDone = try step.run(in: store, configuration)
      if isDone, case .mark = step { return store.uuid }
    }
  }

  private func openExisting() throws -> PersistentStore {
    guard configuration.allowsSave else { return try StoreFile.open(path, for: .objects) }
    do { return try StoreFile.open(path, access: .readWrite, for: .objects) } catch let error as StoreError {
      guard let found = try? StoreFile.open(path, for: .objects), !found.isOwn else { throw error }
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(path) was made by Apple's software and can only be read: open it by "
          + "ModelConfiguration(url:allowsSave:) with allowsSave: false")
    }
  }

  private func refuseDifferences(_ store: PersistentStore) throws {
    var comparison = SchemaComparison(schema.types, store.layout)
    if comparison.differences.isEmpty { try comparison.compareRows(of: store, configuration) }
    guard !comparison.differences.isEmpty else { return }
    // Without the file's own model its relationships are not known, nor are some of its names and types.
    let reasons = store.modelFault.map { [$0] } ?? []
    let lines = ["\(path) cannot be read by the classes of this schema:"] + comparison.differences + reasons
    throw SwiftDataError(.loadIssueModelContainer, lines.joined(separator: "\n- "))
  }

  /// A migration would remove every entity of such a store.
  private func refuseUnrelated(_ store: PersistentStore) throws {
    let (stored, wanted) = (store.model.entities.map(\.name).sorted(), model.entities.map(\.name).sorted())
    guard Set(stored).isDisjoint(with: wanted) else { return }
    throw SwiftDataError(
      .unknownDataStoreSchema,
      "\(path) holds other entities (\(stored.joined(separator: ", "))) than the schema "
        + "(\(wanted.joined(separator: ", "))): give the configuration another URL, or name the store's classes too")
  }

  private func next(_ store: PersistentStore) throws -> MigrationStep? {
    if let plan { return try PlannedVersions(plan, to: schema, stored: store.model).next(store) }
    let wanted = PlannedVersion(schema, model)
    let recorded = Schema.Version(identifiers: store.versionIdentifiers)
    let isSame = model.isEquivalent(to: store.model)
    // A list of classes, without a version of its own, takes any version that holds just these classes.
    if let recorded, recorded > schema.version, !isSame || schema.hasOwnVersion {
      throw SwiftDataError(
        .backwardMigration,
        "\(path) was written by version \(recorded) of its schema, and this one is \(schema.version): use a newer "
          + "version of the program")
    }
    guard isSame else {
      try refuseUnrelated(store)
      return .models(wanted)
    }
    return recorded ?? schema.version < schema.version ? .mark(wanted) : nil
  }
}
