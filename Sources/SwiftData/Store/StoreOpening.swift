internal import PersistentStore

/// Opens the file of a default store: makes it where there is none, and migrates it where its models are older.
struct StoreOpening {
  private let configuration: ModelConfiguration
  private let schema: Schema
  private let plan: (any SchemaMigrationPlan.Type)?
  private var path: String { configuration.url.path }

  init(_ configuration: ModelConfiguration, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
    self.schema = schema
    self.plan = plan
  }

  /// - Returns: The store's identifier.
  func open() throws -> String {
    try SwiftDataError.translating {
      let model = try ModelDescription(schema)
      if !FileManager.default.fileExists(atPath: path) {
        guard configuration.allowsSave else {
          throw SwiftDataError(
            .loadIssueModelContainer, "there is no store at \(path), and a read-only configuration makes none")
        }
        try makeDirectory()
        do {
          return try PersistentStore.create(path, model: model).uuid
        } catch let error as StoreError {
          // Another process may have made it meanwhile.
          guard FileManager.default.fileExists(atPath: path) else { throw error }
        }
      }
      let store = try PersistentStore.open(path, access: configuration.allowsSave ? .readWrite : .readOnly)
      guard store.model != model else { return store.uuid }
      guard configuration.allowsSave else {
        throw SwiftDataError(
          .loadIssueModelContainer,
          "\(path) holds other models than the schema, and a read-only configuration cannot migrate it")
      }
      _ = try store.migrate(to: model)
      return store.uuid
    }
  }

  private func makeDirectory() throws {
    let directory = configuration.url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      throw SwiftDataError(
        .loadIssueModelContainer, "\(directory.path) cannot be made: check the directory above it", underlying: error)
    }
  }
}
