/// The schema of what `--format json` and `ndjson` print, from `schema-1.json`.
///
/// Readers may meet properties that it does not name: later versions add some, and take none away.
enum JSONSchema {
  static let text = String(decoding: PackageResources.schema_1_json, as: UTF8.self)
}
