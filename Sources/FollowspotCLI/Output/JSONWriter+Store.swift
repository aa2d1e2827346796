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
      json.key("token")
      json.integer(outcome.token)
      json.key("inserted")
      json.integer(outcome.inserted)
      json.key("updated")
      json.integer(outcome.updated)
      json.key("deleted")
      json.integer(outcome.deleted)
      json.key("skipped")
      json.integer(outcome.skipped)
    }
    return json.text + "\n"
  }
}
