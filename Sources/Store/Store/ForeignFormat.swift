// SPDX-License-Identifier: MIT

package import SQLite

/// Reads files that other software made. This module opens only its own stores without one.
package protocol ForeignFormat {
  /// The model of a store in Core Data's layout.
  func model(of connection: Connection, versionIdentifiers: [String]) throws -> StoredModel

  /// Presents the tables of an ordinary database in Core Data's layout, by temporary views: the statements of this module
  /// then read it like any store. Call it inside a transaction, which keeps the views if it is committed.
  func present(
    _ connection: Connection, access: PersistentStore.Access
  ) throws -> (model: StoredModel, tables: any ForeignTables)
}

/// Names records by the values of their keys, instead of by numbers.
package protocol RecordNaming: AnyObject {
  /// The entities whose records are named by an integer key.
  var namedByNumber: Set<String> { get }
  /// Returns the bytes of a key that is not an integer, from an index. They may be missing or wrong.
  var keptKey: ((_ entity: String, _ key: Int64) -> [UInt8]?)? { get set }
  /// The key of a row as text; nil if it is not known.
  func keyText(of key: Int64, _ entity: EntityLayout) throws -> String?
}

/// The tables of an ordinary database behind the views, as far as the views do not show them.
package protocol ForeignTables: RecordNaming {
  /// The identity of the database, an upper-case UUID.
  var uuid: String { get }
  var tracking: ChangeTracking { get }

  // MARK: Rows

  /// FROM and WHERE of a statement that counts the rows of an entity without the numbers of their keys.
  func source(of entity: EntityLayout) -> String
  /// Whether the numbers of an entity's rows are digests of their keys.
  func hasDigestsAsKeys(_ entity: EntityLayout) -> Bool
  /// A column of the view that must be read with each row, because it reports values of the wrong type; nil for none.
  func checkColumn(of entity: EntityLayout) -> String?
  /// The table and the column that hold the key of the related row; nil if an expression computes it.
  func column(of reference: RelationshipLayout, _ entity: EntityLayout) -> (table: String, name: String)?
  /// The key of a row as bytes for `keptKey`; nil for an integer key.
  func keyBytes(of entity: EntityLayout, key: Int64) throws -> [UInt8]?

  // MARK: Names

  /// The numbers of the rows that the text of a key may mean, the most probable first.
  func numbers(ofKey text: Substring, _ entity: EntityLayout) throws -> [Int64]
  /// The numbers of the keys of two values, of which the first is one of a few, that a text for the second may mean.
  func numbers(ofKeyEndingIn text: Substring, _ entity: EntityLayout) throws -> [Int64]
  /// The text of a key in the form in which it is shown; nil if it is not the text of a key.
  func normalizedKey(_ text: Substring, _ entity: EntityLayout) -> String?
  /// The texts of at most `limit` keys that begin with a text.
  func keys(beginning text: Substring, _ entity: EntityLayout, limit: Int) throws -> [String]

  // MARK: The change log

  /// The entities whose rows may differ from those at a token although the log has no change of them, because the schema was
  /// changed; nil if the model is another one, or if there is no log.
  func entitiesChangedUnlogged(since token: StoreToken) throws -> Set<String>?
  /// The tables that hold the log; empty if there is none.
  var historyTables: [String] { get }
  /// The number of columns `ZKEY0`, `ZKEY1` … of the history that hold the key of the changed row.
  var loggedKeyColumns: Int { get }
  /// How many of these columns an entity uses; nil if its rows are named by numbers.
  func keyColumns(of entity: EntityLayout) -> Int?
  /// The text of a key from these columns; nil if the rows of the entity are named by numbers.
  func text(ofKey values: [Value], _ entity: EntityLayout) -> String?
  /// Whether each of some transactions, given by the pages that it wrote, wrote to the log, or to no table whose changes the
  /// log should have. Reads the pages of other tables, up to a limit.
  ///
  /// - Parameter count: The number of other transactions that are explained, such as changes of the schema.
  func logExplains(_ transactions: [Set<UInt32>], besides count: Int) throws -> Bool
  /// Removes at most `limit` of the changes before `number`. Call it inside a write transaction.
  ///
  /// - Returns: The number of removed changes.
  func purgeLog(before number: Int64, limit: Int) throws -> Int
}
