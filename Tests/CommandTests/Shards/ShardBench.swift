import Foundation
import TestSupport
import Testing

/// The stores of a `GroupBench`, two of which are served on the loopback interface.
struct ShardBench {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/xapian-tcpsrv")

  var group: GroupBench
  let ports = [ReplicationBench.freePort(), ReplicationBench.freePort()]
  var shell: Shell { group.shell }

  /// - Parameter isStored: Whether the index stores all fields.
  static func with(
    seed: Int, records: Int = 200, isStored: Bool = true, _ body: (inout ShardBench) throws -> Void
  ) throws {
    let definition = GroupBench.definition.replacingOccurrences(
      of: #""roles": ["#, with: isStored ? #""roles": ["stored", "# : #""roles": ["#)
    try GroupBench.with(seed: seed, records: records, definition: definition) { group in
      var bench = ShardBench(group: group)
      try body(&bench)
      group = bench.group
    }
  }

  func address(_ index: Int) -> String { "127.0.0.1:\(ports[index])" }

  /// The stores and indexes that hold the records of the store `whole`.
  var parts: [String] { ["--store", "one", "--store", address(0), "--store", address(1)] }

  /// Starts the server of the store `two` or `three`, and waits until it is ready.
  func serve(_ index: Int) throws -> Shell.Running {
    let server = try shell.start(["--store", GroupBench.parts[index + 1], "serve", "--listen", address(index)])
    try #require(server.waitForError("serving "), "\(server.errors)")
    return server
  }

  func search(_ words: [String]) throws -> Shell.Outcome { try shell.run(parts + ["search"] + words) }

  /// The titles and scores of a search in the parts, or in one store. Records of equal scores have other keys in other
  /// stores, so their order differs.
  func hits(_ stores: [String], _ query: String, _ options: [String]) throws -> [String] {
    try shell.run(stores + ["search", "--format", "tsv", "--fields", "title,@score"] + options + ["--", query])
      .lines.sorted()
  }

  func expectEqual(_ queries: [String] = queries, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for query in queries {
      for options in [["-n", "0"], ["-n", "0", "--any"]] {
        let (found, whole) = (try hits(parts, query, options), try hits(["--store", "whole"], query, options))
        #expect(found == whole, "\(query) \(options)", sourceLocation: sourceLocation)
      }
    }
  }

  static let queries = [
    "toy story", "running", "\"winter garden\"", "title:moon", "moon OR robot", "island -king", "genres:drama love",
    "year:1980..1990 city", "king of the city", "NEAR/3(moon river)", "gardn", "*", "the toy of a king",
  ]
}
