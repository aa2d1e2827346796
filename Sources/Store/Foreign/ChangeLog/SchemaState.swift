// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// The schema of an attached database at one time, as the digest of the model in a token.
///
/// A change of the schema may change rows without a trigger: `VACUUM` renumbers rows that have no key of their own, and
/// `ALTER TABLE` drops and adds columns.
struct SchemaState: Equatable {
  /// A digest of the attached tables and of how their columns are read.
  let model: String
  /// A digest of the statements of the whole schema.
  let statements: String
  /// A digest of where the tables are stored: a dump that was restored in another file may have renumbered rows, too.
  let place: String
  /// SQLite's counter of changes of the schema. Each statement that changes it raises it by one at least.
  let version: Int64

  var text: String { "\(model)-\(statements)-\(place)-\(version)" }

  /// Reads the schema. Call it inside a snapshot.
  ///
  /// - Parameter readings: How the columns are read, as a text.
  init(_ connection: Connection, readings: String, _ attachment: Attachment, version: Int64) throws {
    let file = FileStates(FileIdentity.realPath(connection.path)).main
    var (model, statements, places) = (readings, "", "\(file?.inode ?? 0)")
    try connection.eachRow(
      "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_master ORDER BY type, name"
    ) { row in
      let sql = "\(row.text(at: 0)) \(row.text(at: 1)) \(row.text(at: 2)) \(row.text(at: 4))\n"
      statements += sql
      guard row.text(at: 0) == "table", let table = attachment.table(named: row.text(at: 1)) else { return }
      model += "\n\(table.number) \(sql)"
      places += " \(row.integer(at: 3))"
    }
    func digest(_ text: String) -> String { Digest.hexadecimal(of: Array(text.utf8)) }
    (self.model, self.statements, place) = (digest(model), digest(statements), digest(places))
    self.version = version
  }

  /// nil for the text of something else.
  init?(_ text: String) {
    let parts = text.split(separator: "-")
    guard parts.count == 4, let version = Int64(parts[3]) else { return nil }
    (model, statements, place) = (String(parts[0]), String(parts[1]), String(parts[2]))
    self.version = version
  }

  /// Whether `VACUUM` may have run since an earlier state. The statement between two neighbours is known if it changed the
  /// statements of the schema.
  func mayBeRenumbered(since earlier: SchemaState) -> Bool {
    place != earlier.place || version > earlier.version + (statements == earlier.statements ? 0 : 1)
  }

  /// Whether a column may have been dropped and added again since an earlier state with the same statements of tables.
  func mayHaveOtherColumns(since earlier: SchemaState) -> Bool { version > earlier.version + 1 }
}

extension DatabaseTable {
  /// Whether rows are identified by numbers that `VACUUM` and a restored dump may change.
  var isRenumbered: Bool {
    guard case .integer? = rowKey else { return false }
    return hasRowid && rowidAlias == nil
  }

  /// Whether the last column may have been added since a change of the log. It would have its default in all rows that the
  /// log does not mention.
  ///
  /// - Parameter table: The table in the log.
  func mayHaveNewColumn(since number: Int64, _ table: Attachment.Table, _ connection: Connection) throws -> Bool {
    guard let last = columns.last(where: { !$0.isGenerated }), last.primaryKeyIndex == 0,
      !last.isNotNull || last.defaultValue != nil
    else { return false }
    let names: [String]
    let logged: String
    switch rowKey {
    case .columns(let columns)?:
      names = columns.map { quoted($0.name) }
      logged = columns.indices.map { "key\($0)" }.joined(separator: ", ")
    case .integer(let name)?: (names, logged) = ([name], "rowKey")
    case nil: return true
    }
    let keys = names.enumerated().map { "k\($0.offset)" }.joined(separator: ", ")
    let value = last.defaultValue.map(ChangeTriggers.expression(ofDefault:)) ?? "NULL"
    return try !connection.hasRow(
      """
      WITH t (\(keys), v) AS (SELECT \(names.joined(separator: ", ")), \(quoted(last.name)) FROM \(quotedName) LIMIT 1000)
      SELECT 1 FROM t WHERE v IS NOT (\(value)) COLLATE BINARY AND (\(keys)) NOT IN
      (SELECT \(logged) FROM main.followspot_change WHERE tableNumber = \(table.number) AND number > ?1) LIMIT 1
      """, [.integer(number)])
  }
}
