// SPDX-License-Identifier: MIT

import SwiftData

/// A store of one's own: one JSON file, with snapshots of its own kind, and a history of who saved.
final class FileStore: DataStore, HistoryProviding {
  struct Configuration: DataStoreConfiguration {
    typealias Store = FileStore
    var name: String
    var schema: Schema?
    var url: URL
    /// Whether the snapshots of values that the store corrected can be encoded.
    var tellsCorrections = true

    static func == (left: Configuration, right: Configuration) -> Bool { left.url == right.url }
    func hash(into hasher: inout Hasher) { hasher.combine(url) }
  }

  /// The values of a note, told one by one.
  struct Snapshot: DataStoreSnapshot {
    var persistentIdentifier: PersistentIdentifier
    var text: String
    var stars: Int
    /// Not part of the file.
    var isEncodable = true

    private enum CodingKeys: String, CodingKey { case persistentIdentifier, text, stars }

    func encode(to encoder: any Encoder) throws {
      guard isEncodable else {
        throw EncodingError.invalidValue(text, .init(codingPath: [], debugDescription: "not encodable"))
      }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
      try container.encode(text, forKey: .text)
      try container.encode(stars, forKey: .stars)
    }

    init(
      from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
      let backing = backingData as! any BackingData<Note>
      persistentIdentifier = backing.persistentModelID!
      text = backing.getValue(forKey: \.text)
      stars = backing.getValue(forKey: \.stars)
    }

    func copy(
      persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Snapshot {
      var copy = self
      copy.persistentIdentifier = persistentIdentifier
      return copy
    }
  }

  struct Token: Comparable, Hashable, Identifiable, Sendable {
    let id: Int
    static func < (left: Token, right: Token) -> Bool { left.id < right.id }
  }

  struct Transaction: HistoryTransaction {
    let timestamp: Date
    let changes: [HistoryChange]
    let token: Token
    let transactionIdentifier: Int
    let storeIdentifier: String
    let author: String?
    var id: Int { transactionIdentifier }

    static func == (left: Transaction, right: Transaction) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  typealias HistoryType = Transaction
  static var historyType: Transaction.Type { Transaction.self }

  let identifier = "file"
  let schema: Schema
  let configuration: Configuration
  private var history: [Transaction] = []

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema!
  }

  private func read() throws -> [Snapshot] {
    guard FileManager.default.fileExists(atPath: configuration.url.path) else { return [] }
    return try JSONDecoder().decode([Snapshot].self, from: Data(contentsOf: configuration.url))
  }

  func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, Snapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: try read())
  }

  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot> {
    var all = Dictionary(uniqueKeysWithValues: try read().map { ($0.persistentIdentifier, $0) })
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let name = try PersistentIdentifier.identifier(
        for: identifier, entityName: "Note", primaryKey: UUID().uuidString)
      remapped[snapshot.persistentIdentifier] = name
      all[name] = snapshot.copy(persistentIdentifier: name, remappedIdentifiers: nil)
    }
    // It keeps five stars at most, and tells.
    var corrected: [PersistentIdentifier: Snapshot] = [:]
    for snapshot in request.updated { all[snapshot.persistentIdentifier] = snapshot }
    for (name, snapshot) in all where snapshot.stars > 5 {
      all[name]?.stars = 5
      corrected[name] = all[name]
      corrected[name]?.isEncodable = configuration.tellsCorrections
    }
    for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
    try JSONEncoder().encode(Array(all.values)).write(to: configuration.url, options: .atomic)
    history.append(
      Transaction(
        timestamp: Date(), changes: [], token: Token(id: history.count + 1), transactionIdentifier: history.count + 1,
        storeIdentifier: identifier, author: request.editingState.author))
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: corrected)
  }

  func fetchHistory(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction] {
    try history.filter { try descriptor.predicate?.evaluate($0) ?? true }
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<Transaction>) throws {
    try history.removeAll { try descriptor.predicate?.evaluate($0) ?? true }
  }
}

@Model final class Note {
  var text: String
  var stars: Int

  init(_ text: String, stars: Int) {
    self.text = text
    self.stars = stars
  }
}
