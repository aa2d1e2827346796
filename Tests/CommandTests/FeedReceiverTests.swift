// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `feed` into PostgreSQL and Redis by the commands of the guide, with kill -9 of the whole pipeline.
@Suite(
  .overlapping, .serialized, .temporaryDirectory,
  .enabled(if: Rounds.isLong, "receivers are tried with FOLLOWSPOT_LONG=1"))
struct FeedReceiverTests {
  private static let postgres = "/usr/lib/postgresql/15/bin"
  static func has(_ program: String) -> Bool { FileManager.default.isExecutableFile(atPath: program) }

  private func blocks(_ reason: String) -> [String] {
    Guide(path: "Sources/Followspot/Documentation.docc/Live.md").skipped.filter { $0.reason == reason }.map(\.command)
  }

  /// Changes a store at random while the pipeline runs and is killed, and lets it catch up at the end.
  private func feed(_ bench: ShellFixture, _ pipeline: String, seed: Int, isDone: () throws -> Bool) throws {
    var generator = SeededGenerator(seed: seed)
    let script = try bench.directory.write(pipeline, to: "pipeline")
    for round in 0..<12 {
      let seconds = String(Double.random(in: 0.1...1.5, using: &generator))
      let running = try bench.shell.start(["-s", "KILL", seconds, "/bin/bash", script], program: "/usr/bin/timeout")
      for number in 0..<Int.random(in: 1...4, using: &generator) {
        let key = Int.random(in: 1...12, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0:
          let new = Films.additions(["It's \(round) \\\\ \(number) \\\" é\\n$$", "Other \(round)"])
          #expect(try bench.importRecords(new, options: ["--kind", "Film", "--again"]).code == 0)
        case 1: try bench.shell.run("set", "Film/p\(key)", "title=Title \(round)")
        default: try bench.shell.run("delete", "Film/p\(key)")
        }
      }
      _ = running.wait()
    }
    let last = try bench.shell.start(["-s", "KILL", "60", "/bin/bash", script], program: "/usr/bin/timeout")
    #expect(try eventually(within: 50, isDone), "seed \(seed)")
    last.signal(SIGTERM)
    _ = last.wait()
  }

  private func text(_ json: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys]), as: UTF8.self)
  }

  @Test(
    .enabled(if: has(postgres + "/initdb") && getuid() == 0, "PostgreSQL 15 is missing"),
    arguments: Rounds.seeds(1, long: 3))
  func `a table of PostgreSQL holds the records of the store after 12 kills`(seed: Int) throws {
    let blocks = blocks("needs PostgreSQL")
    try #require(blocks.count == 2)
    var bench = try ShellFixture(isIndexed: false)
    let place = bench.directory.file("postgres")
    let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
    let prepared = try bench.shell.run(
      [
        "-c",
        "mkdir '\(place)' && chown postgres '\(place)' && chmod a+rx '\(bench.directory.path)' && cd / && setpriv "
          + user.joined(separator: " ") + " \(Self.postgres)/initdb -A trust -D '\(place)/data'",
      ], program: "/bin/bash")
    try #require(prepared.code == 0, "\(prepared)")
    let server = try bench.shell.start(
      user + [Self.postgres + "/postgres", "-D", place + "/data", "-k", place, "-c", "listen_addresses="],
      program: "/usr/bin/setpriv")
    defer { _ = server.end(SIGINT) }
    bench.shell.environment.merge(
      [
        "PGHOST": place, "PGUSER": "postgres", "PGDATABASE": "postgres",
        "PATH": Shell.programDirectory + ":/usr/bin:/bin",
      ]
    ) { $1 }
    let client = bench.shell
    func psql(_ statement: String) throws -> Shell.Outcome {
      try client.run(["-Atc", statement], program: "/usr/bin/psql")
    }
    try #require(try eventually(within: 30) { try psql("SELECT 1").code == 0 }, "\(server.errors)")
    #expect(try bench.shell.run(["-c", blocks[0]], program: "/bin/bash").code == 0)
    func table() throws -> [String] {
      try bench.shell.run(["-Atc", "SELECT json_build_array(id, document) FROM movie"], program: "/usr/bin/psql")
        .lines
        .map { try text(try JSONSerialization.jsonObject(with: Data($0.utf8))) }.sorted()
    }
    func store() throws -> [String] {
      try bench.shell.run("feed", "--from", "null").lines
        .map { line in
          let line = try object(line)
          return try text([try #require(line["id"]), try #require(line["fields"])])
        }.sorted()
    }
    try feed(bench, blocks[1], seed: seed) { try table() == store() }
    #expect(try table() == store(), "seed \(seed)")
  }

  @Test(.enabled(if: has("/usr/bin/redis-server"), "Redis is missing"), arguments: Rounds.seeds(1, long: 3))
  func `a stream of Redis holds each change once after 12 kills`(seed: Int) throws {
    let blocks = blocks("needs Redis")
    try #require(blocks.count == 1)
    var bench = try ShellFixture(isIndexed: false)
    let port = "\(40_000 + Int(getpid()) % 20_000)"
    let server = try bench.shell.start(
      ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", bench.directory.path],
      program: "/usr/bin/redis-server")
    defer { _ = server.end() }
    bench.shell.environment.merge(
      ["REDISCLI_PORT": port, "PATH": Shell.programDirectory + ":/usr/bin:/bin"]) { $1 }
    let client = bench.shell
    func redis(_ words: String...) throws -> Shell.Outcome {
      try client.run(["-p", port] + words, program: "/usr/bin/redis-cli")
    }
    #expect(try eventually(within: 30) { try redis("PING").output == "PONG\n" })
    func store() throws -> [String] { try client.run("feed", "--from", "0").lines }
    func positions() throws -> [String] {
      try store().map { line in
        let position = try #require(try object(line)["position"] as? String)
        return position.split(separator: ":").prefix(2).joined(separator: "-")
      }
    }
    func stream() throws -> [[String]] {
      let lines = try redis("XRANGE", "movies", "-", "+").lines
      return stride(from: 0, to: lines.count - 2, by: 3).map { Array(lines[$0..<($0 + 3)]) }
    }
    let script = blocks[0].replacing("redis-cli", with: "redis-cli -p \(port)")
    try feed(bench, script, seed: seed) { try stream().map { $0[0] } == positions() }
    #expect(try stream().map { $0[0] } == positions(), "seed \(seed)")
    // A line has the row as of when it was read. The last change of each record has the row of now.
    var last: [String: String] = [:]
    for entry in try stream() {
      let line = try object(entry[2])
      last[try #require(line["id"] as? String)] = try text([line["fields"] ?? NSNull()])
    }
    var wanted: [String: String] = [:]
    for line in try store().map({ try object($0) }) {
      wanted[try #require(line["id"] as? String)] = try text([line["fields"] ?? NSNull()])
    }
    #expect(last == wanted, "seed \(seed)")
  }
}
