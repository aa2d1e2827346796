internal import Followspot
internal import PersistentStore
internal import SQLite

/// One value of a row as the store keeps it.
typealias FieldStorage = Value

extension Console {
  /// What import, set and delete print last. It is on the disk by then.
  static func write(saved outcome: Importer.Outcome) throws {
    if outcome.inserted + outcome.updated + outcome.deleted > 0 {
      accomplished = "the save is complete, its transaction is \(outcome.token)"
    }
    try write(json: SaveDocument(outcome))
  }
}
