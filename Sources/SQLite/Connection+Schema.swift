// SPDX-License-Identifier: MIT

/// Schemas with definitions that this version of SQLite cannot read. A newer version, or another engine, wrote them.
extension Connection {
  /// A table, view, index or trigger whose definition SQLite cannot read.
  package struct UnreadDefinition: Sendable {
    /// `table`, `view`, `index` or `trigger`.
    package let kind: String
    package let name: String
    /// SQLite's message.
    package let reason: String
  }

  /// Has SQLite leave out the definitions that it cannot read, instead of refusing the whole file. A table of which it does
  /// not know only the last words, such as `RANDOM ROWID`, is read.
  ///
  /// - Parameter refusal: The error of the first statement.
  /// - Throws: `refusal` if the schema is damaged: a definition can be read, and is not in use all the same.
  package func leaveOutUnreadDefinitions(after refusal: SQLiteError) throws(SQLiteError) {
    // On a connection that reads, this has no other effect.
    try execute("PRAGMA writable_schema = ON")
    let rows = try cursor(
      """
      SELECT type, name, sql FROM main.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY rowid
      """)
    while try rows.step() {
      // The statement is prepared, not run. SQLite reads the definition before it looks for an object of that name.
      guard let reason = try message(ofPreparing: "EXPLAIN " + rows.text(at: 2)) else { throw refusal }
      // What belongs to a table that is left out is missing with it.
      guard !reason.hasSuffix("already exists"), !reason.hasPrefix("no such table") else { continue }
      unreadDefinitions.append(UnreadDefinition(kind: rows.text(at: 0), name: rows.text(at: 1), reason: reason))
    }
  }

  /// Why SQLite does not accept a statement; nil if it does.
  private func message(ofPreparing sql: String) throws(SQLiteError) -> String? {
    do { _ = try cursor(sql) } catch {
      guard error.isStatementError else { throw error }
      return error.message
    }
    return nil
  }

  /// The version of SQLite that wrote the file last; nil if another engine left it out.
  package func writerVersion() throws -> String? {
    var header = [UInt8](repeating: 0, count: 100)
    _ = try header.withUnsafeMutableBytes { buffer throws in try readFile(into: buffer, at: 0) }
    return Self.writerVersion(inHeader: header)
  }

  /// The same of the first bytes of a file.
  package static func writerVersion(inHeader bytes: [UInt8]) -> String? {
    guard bytes.count >= 100 else { return nil }
    let number = bytes[96..<100].reduce(0) { $0 << 8 | Int($1) }
    return number == 0 ? nil : "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
  }
}
