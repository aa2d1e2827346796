// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import ShellInterface

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
}
