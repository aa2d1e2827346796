// SPDX-License-Identifier: MIT

/// The JSON Schema of the formats `json` and `ndjson`, from `schema.json`.
///
/// Later versions can add properties, but do not remove any. Readers must ignore properties that they do not know.
enum JSONSchema {
  static let text = String(decoding: PackageResources.schema_json, as: UTF8.self)
}
