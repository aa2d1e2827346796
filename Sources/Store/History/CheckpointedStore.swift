// SPDX-License-Identifier: MIT

package import Base
internal import SQLite

/// What a store's newest transaction is, read without locks and without the files beside the store.
///
/// A search of many stores reads most of them only to know that their indexes are current. For that, an ordinary connection
/// opens three files and takes about 20 locks. Here only the rows that answer the question are read, and only from a store
/// whose schema and model are those of a store that was opened in this process.
package enum CheckpointedStore {
  /// Digests of models by the schema and the property list of a store.
  private static let known = RecentValues<Description, String>()

  /// The schema and the model of a store, as they are stored.
  private struct Description: Hashable, Sendable {
    /// The columns of `sqlite_master`, row by row.
    private(set) var schema: [String] = []
    private let model: [UInt8]

    /// nil if the store has no model.
    init?(_ connection: Connection) throws {
      let rows = try connection.cursor("SELECT type, name, tbl_name, sql FROM main.sqlite_master ORDER BY rowid")
      while try rows.step() { for column in 0..<Int32(4) { schema.append(rows.text(at: column)) } }
      let metadata = try connection.cursor("SELECT Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
      guard try metadata.step(), case .blob(let model) = metadata.value(at: 0) else { return nil }
      self.model = model
    }
  }

  /// The token of the newest transaction of a store, with a stamp; nil if an ordinary connection has to find it.
  ///
  /// - Parameters:
  ///   - opened: All files to which this process has connections: reading one of them would drop its locks.
  ///   - recent: As for `CheckpointedFile`.
  package static func token(
    ofStoreAt path: String, opened: Set<FileIdentity> = [], recent: Int = 3
  ) -> StoreToken? {
    guard let identity = FileIdentity(path: path), identity.otherKind == nil, !opened.contains(identity) else {
      return nil
    }
    let path = FileIdentity.realPath(path)
    guard let file = CheckpointedFile(path: path, recent: recent), let token = try? token(path), file.isUnchanged else {
      return nil
    }
    return token
  }

  /// A store whose rows can be read without locks while it is checkpointed.
  package struct Reader {
    private let path: String
    private let file: CheckpointedFile

    /// nil if the store is not checkpointed. This process must not have a connection to it that takes locks.
    package init?(ofStoreAt path: String) {
      guard let file = CheckpointedFile(path: FileIdentity.realPath(path)) else { return nil }
      (self.path, self.file) = (path, file)
    }

    /// Opens the store without locks. What is read of it, and errors, count only if `isUnchanged` afterwards.
    package func open() throws -> PersistentStore { try .openCheckpointed(path) }

    /// Whether the store was checkpointed since this was made.
    package var isUnchanged: Bool { file.isUnchanged }
  }

  private static func token(_ path: String) throws -> StoreToken? {
    let connection = try Connection(path: path, access: .immutable)
    guard let digest = try Description(connection).flatMap({ known[$0] }) else { return nil }
    // The newest transaction is there, and there is no later one.
    let newest = try connection.cursor(
      """
      SELECT Z_UUID, Z_PK, ZTIMESTAMP FROM Z_METADATA, ATRANSACTION
      WHERE Z_VERSION = 1 AND Z_PK = (SELECT max(Z_PK) FROM ATRANSACTION)
      AND Z_PK = (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(StoreLayout.HistoryEntity.transaction))
      """)
    guard try newest.step(), case .text(let uuid) = newest.value(at: 0),
      case .integer(let number) = newest.value(at: 1), let stamp = double(newest.value(at: 2))
    else { return nil }
    return StoreToken(storeUUID: uuid, number: number, stamp: stamp.bitPattern, modelDigest: digest)
  }

  private static func double(_ value: Value) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  /// Recognizes stores with the schema and the model of `store` from now on.
  package static func learn(_ store: PersistentStore) throws {
    guard store.isOwn, store.tracking == .history, store.fileIdentity != nil, store.copyReason == nil else { return }
    try PersistentStore.translating(store.path) {
      let connection = store.connection
      try connection.beginRead()
      defer { connection.rollback() }
      let needed = [store.layout.dataTables[0], store.layout.dataTables[1], store.layout.historyTables[1]]
      guard let description = try Description(connection), Set(description.schema).isSuperset(of: needed),
        try PersistentStore.schemaVersion(connection) == store.schemaVersion
      else { return }
      known.keep(store.modelDigest, for: description)
    }
  }
}
