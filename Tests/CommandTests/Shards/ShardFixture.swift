// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The stores of a `GroupFixture`, two of which are served on the loopback interface.
struct ShardFixture {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/xapian-tcpsrv")

  var group: GroupFixture
  let ports = [ReplicationFixture.freePort(), ReplicationFixture.freePort()]
  var shell: Shell { group.shell }

  /// - Parameter isStored: Whether the index stores all fields.
  init(seed: Int, records: Int = 200, isStored: Bool = true) throws {
    let definition = GroupFixture.definition.replacingOccurrences(
      of: #""roles": ["#, with: isStored ? #""roles": ["stored", "# : #""roles": ["#)
    group = try GroupFixture(seed: seed, records: records, definition: definition)
  }

  func address(_ index: Int) -> String { "127.0.0.1:\(ports[index])" }

  /// The stores and indexes that hold the records of the store `whole`.
  var parts: [String] { ["--store", "one", "--store", address(0), "--store", address(1)] }

  /// Starts the server of the store `two` or `three`, and waits until it is ready.
  func serve(_ index: Int) throws -> Shell.Running {
    let server = try shell.start(["--store", GroupFixture.parts[index + 1], "serve", "--listen", address(index)])
    try #require(server.waitForError("serving "), "\(server.errors)")
    return server
  }

  func search(_ words: [String]) throws -> Shell.Outcome { try shell.run(parts + ["search"] + words) }

  struct Hit: Equatable {
    let title: String
    let score: Double
  }

  /// The hits of a search in the parts, or in one store, by title. Records of equal scores have other keys in other
  /// stores, so their order differs.
  func hits(_ stores: [String], _ query: String, _ options: [String]) throws -> [Hit] {
    try shell.run(stores + ["search", "--format", "tsv", "--fields", "title,@score"] + options + ["--", query])
      .lines.map { line in
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        return Hit(title: String(columns[0]), score: try #require(Double(columns[1])))
      }
  }

  /// Expects the hits of one store with the same records. Other machines estimate how many records have a word, so the
  /// scores may differ by a tenth.
  func expectEqual(
    _ queries: [String] = queries, options: [[String]] = [["-n", "0"], ["-n", "0", "--any"]],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for query in queries {
      for options in options {
        let (found, whole) = (try hits(parts, query, options), try hits(["--store", "whole"], query, options))
        let comment = Comment(rawValue: "\(query) \(options)")
        #expect(found.map(\.score) == found.map(\.score).sorted(by: >), comment, sourceLocation: sourceLocation)
        let pairs = zip(
          found.sorted { ($0.title, $0.score) < ($1.title, $1.score) },
          whole.sorted { ($0.title, $0.score) < ($1.title, $1.score) })
        #expect(pairs.map(\.0.title) == pairs.map(\.1.title), comment, sourceLocation: sourceLocation)
        #expect(found.count == whole.count, comment, sourceLocation: sourceLocation)
        for (one, other) in pairs {
          #expect(
            abs(one.score - other.score) <= 0.1 * other.score, "\(one) \(other) \(comment)",
            sourceLocation: sourceLocation)
        }
      }
    }
  }

  static let queries = [
    "toy story", "running", "\"winter garden\"", "title:moon", "moon OR robot", "island -king", "genres:drama love",
    "year:1980..1990 city", "king of the city", "NEAR/3(moon river)", "gardn", "*", "the toy of a king",
  ]
}
