// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SQLite

/// The statements that create and restore the tables of the log. They use no AUTOINCREMENT, which would leave
/// `sqlite_sequence` behind.
extension LogTables {
  var dropTriggers: [String] { triggers.map { "DROP TRIGGER main.\(quoted($0.name))" } }

  /// Drops the triggers, gives the tables their names back, and creates those that are gone.
  var restoration: [String] {
    var statements = dropTriggers
    for table in Table.allCases {
      guard let name = names[table] else {
        statements += Self.creation(of: table)
        continue
      }
      if name.sqlName != table.name.sqlName {
        statements.append("ALTER TABLE main.\(quoted(name)) RENAME TO \(table.name)")
      }
    }
    statements.append(
      """
      CREATE TRIGGER main.\(LogTrigger.authors) AFTER UPDATE ON followspot_writer WHEN NEW.author IS NOT NULL BEGIN \
      INSERT INTO followspot_author (name) SELECT NEW.author \
      WHERE NOT EXISTS (SELECT 1 FROM followspot_author WHERE name = NEW.author); END
      """)
    return statements
  }

  private static func creation(of table: Table) -> [String] {
    let name = "main.\(table.name)"
    switch table {
    case .store:
      return [
        "CREATE TABLE \(name) (uuid TEXT NOT NULL, format INTEGER NOT NULL, \(Attachment.choiceColumn) INTEGER)",
        "INSERT INTO \(name) (uuid, format) VALUES ('\(UUID().uuidString)', 1)",
      ]
    case .table:
      return [
        """
        CREATE TABLE \(name) (number INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, \
        preserved TEXT NOT NULL, \(Attachment.successorColumn) INTEGER)
        """
      ]
    case .author: return ["CREATE TABLE \(name) (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"]
    case .writer: return ["CREATE TABLE \(name) (author TEXT)", "INSERT INTO \(name) (author) VALUES (NULL)"]
    case .change:
      return [
        """
        CREATE TABLE \(name) (number INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, \
        rowKey INTEGER NOT NULL, kind INTEGER NOT NULL, time REAL NOT NULL, author INTEGER)
        """
      ]
    }
  }
}
