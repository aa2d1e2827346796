// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// The kind that the finder shows, in a file that outlives the processes of one list.
struct PickState {
  let path: String

  /// The name of the entity; empty for all.
  var kind: String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  func write(_ kind: String) throws { try Data(kind.utf8).write(to: URL(filePath: path)) }

  static func prompt(_ kind: String) -> String { kind.isEmpty ? "> " : "\(kind)> " }
}
