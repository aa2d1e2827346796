// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// An index of real data as the program makes it when it is told nothing more, and searches in it.
struct MeasuredIndex {
  struct Hit: Decodable {
    let id: String
    let title: String?
  }

  private struct Answer: Decodable { let hits: [Hit] }

  private let shell: Shell

  /// Records of a file, imported into a new store.
  init(records file: String, kind: String) throws {
    let directory = TemporaryDirectory()
    shell = Self.shell(directory, store: "records.store")
    try shell.succeed("import", file, "--kind", kind)
    try shell.succeed("index")
  }

  /// A database in a new directory.
  ///
  /// - Parameter make: Puts the database at the path that it is given.
  init(database name: String, _ make: (String) throws -> Void) throws {
    let directory = TemporaryDirectory()
    try make(directory.file(name))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: directory.file(name))
    shell = Self.shell(directory, store: name)
    try shell.succeed("index")
  }

  /// Weights that are tried reach the program, which has no other variable of this process.
  private static func shell(_ directory: TemporaryDirectory, store: String) -> Shell {
    var shell = Shell(in: directory, store: store)
    shell.environment["TZ"] = "UTC"
    shell.environment["FOLLOWSPOT_WEIGHTS"] = ProcessInfo.processInfo.environment["FOLLOWSPOT_WEIGHTS"]
    return shell
  }

  /// A field of each of the best ten hits.
  func values(_ field: String, of query: String, isLiteral: Bool = false) throws -> [String] {
    let options = ["-n", "10", "--format", "tsv", "--fields", field] + (isLiteral ? ["--literal"] : [])
    let outcome = try shell.run(["search", query] + options)
    // Nothing found is an answer.
    #expect(outcome.code <= 1 && outcome.signal == 0, "\(query): \(outcome)")
    return outcome.lines
  }

  /// The best hits; none if the program refuses the search.
  ///
  /// - Parameter count: 0 for all.
  func hits(_ arguments: [String], count: Int) throws -> [Hit] {
    let outcome = try shell.run(["search"] + arguments + ["-n", "\(count)", "--format", "json"])
    return (try? JSONDecoder().decode(Answer.self, from: Data(outcome.output.utf8)))?.hits ?? []
  }
}
