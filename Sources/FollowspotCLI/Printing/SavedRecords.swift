// SPDX-License-Identifier: MIT

internal import Followspot

/// The result of import, set and delete.
enum SavedRecords {
  /// Prints the result. The changes are on the disk when this is called.
  static func print(_ outcome: Importer.Outcome) throws {
    if outcome.inserted + outcome.updated + outcome.deleted > 0 {
      Console.accomplished = "the save is complete, its transaction is \(outcome.token)"
    }
    try JSONObject(outcome).print()
  }
}
