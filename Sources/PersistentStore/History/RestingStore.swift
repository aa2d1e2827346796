internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// What a store's newest transaction is, read without SQLite.
///
/// A search of many stores reads most of them only to know that their indexes are current. SQLite opens five files for
/// that, and parses the schema of each store. Here only the tables that answer the question are read, and only from a
/// store whose schema and model are byte for byte those of a store that SQLite has opened in this process.
package enum RestingStore {
  /// Digests of models by the schema and the property list of a store.
  private static let known = RecentValues<Description, String>()

  private struct Description: Hashable, Sendable {
    /// The rows of `sqlite_master`, also with the root pages: a damaged number is then noticed by SQLite.
    private(set) var schema: [UInt8] = []
    /// The model, as it is stored.
    var propertyList = Value.null

    mutating func append(_ row: [Value]) {
      for value in row {
        switch value {
        case .text(let text): schema += text.utf8
        case .integer(let number): schema += String(number).utf8
        default: break
        }
        schema.append(0)
      }
    }
  }

  /// The token of the newest transaction of a store, with a stamp; nil if SQLite has to open the store to find it.
  ///
  /// - Parameters:
  ///   - opened: The files to which this process has connections.
  ///   - recent: As for `RestingFile`.
  package static func token(
    ofStoreAt path: String, opened: Set<FileIdentity> = [], recent: Int = 3
  ) -> StoreToken? {
    guard let identity = FileIdentity(path: path), identity.otherKind == nil, !opened.contains(identity),
      let file = RestingFile(path: FileIdentity.realPath(path), recent: recent), let schema = file.rows(of: 1)
    else { return nil }
    var roots: [String: Int] = [:]
    var description = Description()
    for values in schema.map(\.values) {
      guard values.count == 5, case .text(let name) = values[1], case .integer(let root) = values[3] else { return nil }
      roots[name] = Int(truncatingIfNeeded: root)
      description.append(values)
    }
    guard let metadata = roots["Z_METADATA"].flatMap({ file.row(of: $0, key: 1) }),
      metadata.values.count == 3, case .text(let uuid) = metadata.values[1]
    else { return nil }
    description.propertyList = metadata.values[2]
    guard let digest = known[description],
      let maximum = roots["Z_PRIMARYKEY"].flatMap({
        file.row(of: $0, key: Int64(StoreLayout.HistoryEntity.transaction))
      }),
      maximum.values.count == 4, case .integer(let newest) = maximum.values[3],
      let transactions = roots["ATRANSACTION"],
      // The newest transaction is there, and there is no later one.
      file.lastKey(of: transactions) == newest, let last = file.row(of: transactions, key: newest),
      last.values.count > 7, let stamp = Self.double(last.values[7]), file.isUnchanged
    else { return nil }
    return StoreToken(storeUUID: uuid, number: newest, stamp: stamp.bitPattern, modelDigest: digest)
  }

  /// SQLite stores whole numbers of FLOAT columns as integers.
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
      let rows = try connection.cursor(
        "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_master ORDER BY rowid")
      var description = Description()
      var tables: Set<String> = []
      while try rows.step() {
        description.append((0..<5).map { rows.value(at: $0) })
        tables.insert(rows.text(at: 4))
      }
      // The columns are where this version puts them.
      let needed = [store.layout.dataTables[0], store.layout.dataTables[1], store.layout.historyTables[1]]
      guard tables.isSuperset(of: needed) else { return }
      let metadata = try connection.cursor("SELECT Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
      guard try metadata.step(), try PersistentStore.schemaVersion(connection) == store.schemaVersion else { return }
      description.propertyList = metadata.value(at: 0)
      known.keep(store.modelDigest, for: description)
    }
  }
}
