// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex
internal import Store

/// The hint to an error: what the user of the command line can do. Libraries only name a recovery; this module words
/// it.
enum Hint {
  static func of(_ error: any Error) -> String? {
    switch error {
    case let error as CommandError: error.hint
    case let error as StoreError: error.recovery?.hint
    case let error as IndexError: error.recovery?.hint
    case let error as OperationError: error.action?.hint
    case let error as QueryError: error.recovery?.hint
    case let error as MissingPart: error.hint
    case is DefinitionError: "followspot schema prints a definition that fits"
    case let error as BadLine: error.hint
    default: nil
    }
  }

  static let hardLinks = "remove all names but one; find DIRECTORY -samefile STORE lists them"

  // MARK: Phrases of several modules

  static let retry = "try again"
  static let freeSpace = "make room, then try again; nothing was lost"
  static let restoreBackup = "restore the store from a backup"
  static let rebuild = "followspot rebuild"
  static let listFields = "followspot schema lists the fields"

  static func raiseLimits(_ limits: [(name: String, option: String)]) -> String {
    let names = limits.map(\.name).joined(separator: " and ")
    let options = limits.map { "ulimit \($0.option)" }.joined(separator: ", ")
    return "allow the process more \(names) (\(options)), then try again"
  }

  /// The question whether the user meant one of these names; nil if there are none.
  static func nearest(_ names: [String]) -> String? {
    names.isEmpty ? nil : "did you mean \(names.joined(separator: ", "))?"
  }

  static func known(_ names: [String]) -> String { "known names: \(names.joined(separator: ", "))" }
}

extension MissingPart {
  fileprivate var hint: String? {
    guard let error else { return "start serve on that machine; --require all waits for it" }
    return Hint.of(error).map { CommandHints.complete($0, with: "--store \(name.quotedForShell) ") }
  }
}
