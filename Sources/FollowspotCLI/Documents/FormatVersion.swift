// SPDX-License-Identifier: MIT

internal import Store

/// The version of the output formats. Format 1 names the records of ordinary databases by numbers.
enum FormatVersion {
  /// The value of `--format-version`. It is set before the first output.
  nonisolated(unsafe) private(set) static var current = 2

  static func use(_ version: String) throws {
    guard let number = Int(version), (1...2).contains(number), version == String(number) else {
      throw CommandError("this version prints formats 1 and 2, not '\(version)'", hint: "--format-version 2")
    }
    current = number
    RecordURI.showsNumbers = number == 1
  }

  /// The JSON Schema of the formats `json` and `ndjson`.
  ///
  /// Later versions can add properties, but do not remove any. Readers must ignore properties that they do not know.
  static let schema = String(decoding: PackageResources.schema_json, as: UTF8.self)
}
