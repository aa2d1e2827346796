// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// An index that is served, and replicas of it, on the loopback interface.
struct ReplicationFixture {
  let bench: ShellFixture
  let port = Self.freePort()
  var source: String { "127.0.0.1:\(port)" }
  /// A shell that knows no store.
  var reader: Shell

  static let isInstalled = ["xapian-replicate", "xapian-replicate-server"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
  }

  init(_ bench: ShellFixture) {
    self.bench = bench
    reader = bench.shell
    reader.environment["FOLLOWSPOT_STORE"] = nil
    reader.environment["HOME"] = bench.directory.path
  }

  /// An index of films that stores all fields but some.
  init(_ records: String = Films.lines, unstored: Set<String> = ["plot"]) throws {
    let bench = try ShellFixture(records, key: "title")
    let definition = try bench.directory.write(try Self.storedDefinition(bench, unstored), to: "stored.json")
    try bench.shell.succeed("rebuild", "--definition", definition)
    self.init(bench)
  }

  /// The definition of the index, with the role `stored` for every field but some.
  private static func storedDefinition(_ bench: ShellFixture, _ unstored: Set<String>) throws -> String {
    var schema = try object(try bench.shell.run("schema").output)
    var definition = try #require(schema["definition"] as? [String: Any])
    var entities = try #require(definition["entities"] as? [String: [String: Any]])
    for (name, entity) in entities {
      let fields = try #require(entity["fields"] as? [[String: Any]])
      entities[name]?["fields"] = fields.map { field in
        var field = field
        let roles = field["roles"] as? [String] ?? []
        if let name = field["name"] as? String, !unstored.contains(name) { field["roles"] = roles + ["stored"] }
        return field
      }
    }
    definition["entities"] = entities
    schema["definition"] = definition
    return String(decoding: try JSONSerialization.data(withJSONObject: schema), as: UTF8.self)
  }

  /// A port that nobody uses now.
  static func freePort() -> Int {
    let (descriptor, port) = loopbackSocket()
    close(descriptor)
    return port
  }

  /// A socket that is bound to a free port of the loopback interface.
  static func loopbackSocket() -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, length)
        _ = getsockname(descriptor, $0, &length)
      }
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  // MARK: Processes

  /// Starts the server and waits until it is ready.
  func serve(_ options: String...) throws -> Shell.Running {
    let server = try bench.shell.start(["replicate", "serve", "--listen", source] + options)
    try #require(server.waitForError("serving "), "\(server.errors)")
    return server
  }

  /// Updates a replica once, and returns what it says it did.
  @discardableResult
  func replicate(_ name: String = "films.replica", _ options: String...) throws -> Shell.Outcome {
    try reader.run(["replicate", "from", source, name] + options)
  }

  func follow(_ name: String = "films.replica") throws -> Shell.Running {
    let follower = try reader.start(["replicate", "from", source, name, "--follow", "--interval", "100ms"])
    try #require(follower.waitForError("following "), "\(follower.errors)")
    return follower
  }

  // MARK: Comparisons

  func checksum(_ name: String = "films.replica") throws -> String? {
    let printed = try reader.run("status", "--index", name, "--json")
    #expect(printed.code == 0, "\(printed)")
    let status = try object(printed.output)
    return (status["index"] as? [String: Any])?["checksum"] as? String
  }

  func checksumOfWriter() throws -> String? { (try bench.status()["index"] as? [String: Any])?["checksum"] as? String }

  static let queries = [
    ["toy"], ["story", "cowboy"], ["*", "--sort", "year:desc,title"], ["toy", "story", "--any"], ["year:1990..2005"],
    ["cars OR up", "--facet", "genres", "--facet", "year"], ["toyy"], ["genres:comedy", "--section-by", "year"],
  ]

  /// Expects that a replica gives the same whole answers as the writer's machine.
  func expectEqual(
    _ name: String = "films.replica", queries: [[String]] = queries, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let own = try checksumOfWriter()
    #expect(try checksum(name) == own, sourceLocation: sourceLocation)
    for query in queries {
      let options = ["--format", "json", "--fields", "@id,@score,title,year"]
      let there = try reader.run(["search", "--index", name] + query + options)
      let here = try bench.shell.run(["search"] + query + options)
      #expect(there.code == here.code && here.code < 2, "\(query) \(there)", sourceLocation: sourceLocation)
      #expect(try Self.answer(there.output) == Self.answer(here.output), "\(query)", sourceLocation: sourceLocation)
    }
  }

  /// An answer without the state of the index.
  private static func answer(_ json: String) throws -> String {
    var document = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    document["index"] = nil
    return String(decoding: try JSONSerialization.data(withJSONObject: document, options: [.sortedKeys]), as: UTF8.self)
  }
}
