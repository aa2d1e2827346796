internal import Followspot
internal import PersistentStore
internal import SQLite

/// One value of a row as the store keeps it.
typealias FieldStorage = Value

extension Console {
  /// What import, set and delete print last. It is on the disk by then.
  static func write(saved outcome: Importer.Outcome) {
    if outcome.inserted + outcome.updated + outcome.deleted > 0 {
      accomplished = "the save is complete, its transaction is \(outcome.token)"
    }
    write(JSONWriter.outcome(outcome))
  }
}

extension JSONWriter {
  fileprivate static func outcome(_ outcome: Importer.Outcome) -> String {
    var json = JSONWriter()
    json.object { json in
      json.pair("token", outcome.token)
      json.pair("inserted", outcome.inserted)
      json.pair("updated", outcome.updated)
      json.pair("deleted", outcome.deleted)
      json.pair("skipped", outcome.skipped)
    }
    return json.text + "\n"
  }
}
