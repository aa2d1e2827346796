// SPDX-License-Identifier: MIT

package import Base
internal import SQLite

/// A store in Core Data's layout with transaction history, in a file or in memory, opened by one owner at a time.
///
/// `Rows/` and `History/` read it, `save(author:_:)` writes it. It does not depend on the index. A file of other software
/// is presented in the same layout by a `ForeignFormat`, and can only be read.
package final class PersistentStore {
  package enum Access: Sendable { case readOnly, readWrite }
  /// What a caller of `open` reads.
  package enum Purpose: Sendable {
    /// Texts: ordinary databases are opened too, and archived or JSON-coded values of Apple's stores are JSON.
    case texts
    /// Objects: only stores in Core Data's layout are opened, and columns give what the file holds.
    case objects
  }

  /// The path as given; `:memory:` for a store in memory.
  package let path: String
  /// The path without links, which determines the names of the `-wal` and the journal.
  let file: String
  /// The store's identity, an upper-case UUID: part of every identifier and token.
  package let uuid: String
  /// The identity of the opened file, to detect that the store was replaced; nil for a store in memory.
  package let fileIdentity: FileIdentity?
  let connection: Connection
  let opening = DataVersion.newOpening()
  let access: Access
  /// SQLite's own counter of changes to tables, as it was when the model was read.
  var schemaVersion: Int64
  /// The states of the files if the store is read without locks, or from a copy: SQLite does not notice changes then. nil
  /// otherwise.
  let statesAtOpening: FileStates?
  /// The private copy that is read instead of the file; nil if the file is read.
  var copy: CopyInUse?
  /// nil for a store in memory, whose rows contain everything.
  let externalFiles: ExternalFiles?

  private let found: StoredModel
  package var model: ModelDescription { found.model }
  package let layout: StoreLayout
  package var versionIdentifiers: [String] { found.versionIdentifiers }
  /// The digest of the model, kept beside tokens so that a changed model is noticed.
  package let modelDigest: String
  package var remarks: [String] { found.remarks }
  package var modelFault: String? { found.modelFault }
  /// Whether this package created the store. Other stores are only read.
  package var isOwn: Bool { found.isOwn }

  /// How changes are found.
  package let tracking: ChangeTracking
  /// The file's marks from before the current snapshot began; nil of a store that keeps its own history.
  var marks: FileMarks?
  /// Whether readers of its history are registered beside it, and a purge waits for them.
  package var hasConsumers: Bool { (isOwn && tracking.hasHistory) || tracking == .attached }

  /// How files of other software are read; nil if only this package's stores are.
  let foreign: (any ForeignFormat)?
  /// The tables of an ordinary database; nil for a store.
  package let tables: (any ForeignTables)?
  /// Names records by their keys: those of an ordinary database, or of a replica of one; nil if numbers name them.
  package var naming: (any RecordNaming)?

  /// Of the present snapshot; nil if there is none, or if the layout of the store has the indexes.
  var referenceIndexes: ReferenceIndexes?

  /// The text of the statement that read a row last.
  var rowText: (entity: EntityLayout, attributes: [Int], text: String)?

  init(
    _ connection: Connection, access: Access, uuid: String, _ found: StoredModel, tracking: ChangeTracking,
    schemaVersion: Int64, _ opening: Opening, tables: (any ForeignTables)? = nil
  ) throws {
    path = connection.path
    file = FileIdentity.realPath(path)
    self.connection = connection
    self.access = access
    self.uuid = uuid
    self.found = found
    layout = found.layout
    modelDigest = try found.digest ?? found.model.digest()
    self.tracking = tracking
    self.schemaVersion = schemaVersion
    fileIdentity = opening.identity
    statesAtOpening = opening.statesAtOpening
    foreign = opening.foreign
    self.tables = tables
    naming = tables
    externalFiles =
      opening.identity == nil ? nil : ExternalFiles(storeFile: file, isWritable: access == .readWrite)
  }

  /// Whether it is an ordinary database. Everything that a document is made of is then a row, also the links of many-to-many
  /// relationships, and columns may come to be read otherwise as rows arrive.
  package var isOrdinaryDatabase: Bool { tables != nil }

  /// Why a private copy is read instead of the file; nil if the file is read.
  package var copyReason: CopyReason? { copy?.reason }

  /// Why rows of an ordinary database are not changed.
  static func notWritten(_ path: String) -> StoreError {
    StoreError(
      .notAStore, "\(path) is an ordinary SQLite database: followspot searches it, but does not change its rows",
      recovery: .changeWithOwner)
  }

  static func schemaVersion(_ connection: Connection) throws -> Int64 {
    try connection.integer("PRAGMA schema_version") ?? 0
  }

  /// The highest key ever assigned to an entity.
  func maximum(ofEntity number: Int) throws -> Int64 {
    let maximum = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") ?? 0
    guard (0..<(1 << 62)).contains(maximum) else {
      throw StoreError(.corrupt, "\(path) is damaged: Z_MAX of entity \(number) is \(maximum)")
    }
    return maximum
  }

  /// Runs `body`, and turns errors of SQLite into errors of the store.
  package static func translating<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw StoreError(error, path: path) }
  }
}
