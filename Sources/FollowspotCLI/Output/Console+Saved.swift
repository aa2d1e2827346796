// SPDX-License-Identifier: MIT

internal import Importing
internal import PersistentStore
internal import SQLite
internal import ShellInterface

/// One value of a row as the store keeps it.
typealias FieldStorage = Value

extension Console {
  /// Prints the result of import, set and delete. The changes are on the disk when this is called.
  static func write(saved outcome: Importer.Outcome) throws {
    if outcome.inserted + outcome.updated + outcome.deleted > 0 {
      accomplished = "the save is complete, its transaction is \(outcome.token)"
    }
    try write(json: SaveDocument(outcome))
  }
}
