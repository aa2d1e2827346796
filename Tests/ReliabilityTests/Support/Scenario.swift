// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A verb and the state on which it is run, again and again.
struct Scenario: Sendable, CustomTestStringConvertible {
  let name: String
  /// Verbs that make the state before.
  let before: [[String]]
  /// The verb in which things go wrong.
  let verb: [String]
  /// Verbs whose result a cut of this one may leave as well.
  var parts: [[String]] = []
  /// What the verb may end with when it is run once more.
  var codesOfRepeat: Set<Int32> = [0]
  /// Whether the pass afterwards has nothing to say.
  var isFollowedQuietly = true
  /// So many calls that change files the verb makes at least: a test that cuts fewer has lost its way.
  var leastCalls = 40

  var testDescription: String { name }

  private static let size = Rounds.isLong ? 120 : 12

  /// Files for `import`, by the names that stand in the verbs; `model.json` is made of the store.
  static var files: [String: String] {
    var catalogue = Catalogue(seed: 1)
    func lines(_ range: Range<Int>, _ word: String) -> String {
      range.map {
        "{\"code\": \"c\($0)\", \"title\": \"\(word) \(catalogue.words(2))\", \"year\": \(1900 + $0 % 120), "
          + "\"plot\": \"\(catalogue.words(30))\", \"genres\": [\"Drama\"]}\n"
      }.joined()
    }
    return [
      "first.jsonl": lines(0..<size, "first"),
      "second.jsonl": lines(size / 2..<size * 3 / 2, "second"),
    ]
  }

  private static let create = ["import", "first.jsonl", "--kind", "Film", "--key", "code", "--author", "ann"]
  private static let update = ["import", "second.jsonl", "--key", "code", "--author", "bob"]
  private static let edits = [update, ["set", "Film/p2", "title=changed"], ["delete", "Film/p3"]]

  static let all: [Scenario] = [
    Scenario(name: "import into a new store", before: [], verb: create),
    Scenario(name: "import", before: [create], verb: update),
    Scenario(name: "set", before: [create], verb: ["set", "Film/p1", "title=another"]),
    Scenario(name: "delete", before: [create], verb: ["delete", "Film/p1"], codesOfRepeat: [0, 1]),
    Scenario(
      name: "migrate", before: [create, ["index"]], verb: ["migrate", "model.json"], isFollowedQuietly: false),
    Scenario(
      name: "history purge", before: [create, ["index"]] + edits + [["index"]],
      verb: ["history", "purge", "--before", "4"], leastCalls: 5),
    Scenario(name: "first pass", before: [create], verb: ["index"]),
    Scenario(name: "pass", before: [create, ["index"]] + edits, verb: ["index"]),
    Scenario(name: "rebuild", before: [create, ["index"]] + edits, verb: ["rebuild"]),
    Scenario(
      name: "rollback", before: [create, ["index"], ["rebuild"]], verb: ["rollback"], codesOfRepeat: [0, 1],
      leastCalls: 5),
  ]

  static func named(_ names: String...) -> [Scenario] { all.filter { names.contains($0.name) } }
}
