internal import Followspot
internal import PersistentStore
internal import SQLite

/// One value of a row as the store keeps it.
typealias FieldStorage = Value

extension JSONWriter {
  /// What import, set and delete print last.
  static func outcome(_ outcome: Importer.Outcome) -> String {
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
