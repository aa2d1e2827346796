// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A writer, two replicas and a searcher on four machines, which are network namespaces.
@Suite(
  .overlapping, .serialized, .temporaryDirectory,
  .enabled(if: ReplicationFixture.isInstalled, "xapian-tools is not installed"),
  .enabled(if: Network.isPossible, "network namespaces need root and iproute2"))
struct ReplicationNetworkTests {
  private static let films = 50
  private static let saves = Rounds.count(3_000, full: 10_000, long: 10_000)

  /// The year of each film after `number` saves: each save changes the next film.
  private static func years(after number: Int) -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: (0..<films).map { film in
        let last = number - (number - film - 1 + films) % films
        return (title(film), last > 0 && number > 0 ? last : 0)
      })
  }

  private static func title(_ film: Int) -> String { "Film \(film)" }

  private static func line(_ film: Int, _ year: Int) -> String {
    #"{"title": "\#(title(film))", "year": \#(year), "plot": "toy"}"#
  }

  /// The machines and the processes on them.
  private final class Scene {
    let replication: ReplicationFixture
    let network: Network
    let source = "10.77.0.1:7730"
    /// The replica `one` for searches over the network.
    let served = "10.77.0.2:7740"
    var processes: [String: Shell.Running] = [:]

    init(_ replication: ReplicationFixture) throws {
      self.replication = replication
      network = try Network(["writer", "one", "two", "searcher"], in: replication.reader)
    }

    func start(_ name: String) throws {
      processes[name] = try {
        let writer = network.shell(on: 0, replication.bench.shell)
        switch name {
        case "indexer": return try writer.start(["index", "--follow"])
        case "server": return try writer.start(["replicate", "serve", "--listen", source])
        case "served":
          return try network.shell(on: 1, replication.reader).start(
            ["serve", "--index", "one", "--listen", served])
        default:
          let shell = network.shell(on: name == "one" ? 1 : 2, replication.reader)
          return try shell.start(
            ["replicate", "from", source, name, "--follow", "--interval", "200ms", "--patience", "5s"])
        }
      }()
    }

    func kill(_ name: String) {
      processes[name]?.signal(SIGKILL)
      _ = processes[name]?.wait()
    }

    /// The state of a replica as `status` prints it.
    func status(_ name: String) throws -> [String: Any] {
      let shell = network.shell(on: 3, replication.reader)
      return try object(try shell.run("status", "--index", name, "--json").output)
    }

    var searches = 0
    var tokens: Set<Int> = []

    /// How many searches over the network had an answer, and how many said that the index cannot be reached.
    private(set) var remote = (answered: 0, unreachable: 0)

    /// Searches the replica `one` over the network.
    func searchRemotely() throws {
      let found = try run(["--store", served])
      guard found.code != 8 else {
        #expect(found.errors.contains(served), "\(found)")
        remote.unreachable += 1
        return
      }
      try compare(found, "served")
      remote.answered += 1
    }

    /// Searches the directory of a replica on the machine of the searcher.
    func search(_ name: String) throws { try compare(run(["--index", name]), name) }

    private func run(_ place: [String]) throws -> Shell.Outcome {
      try network.shell(on: 3, replication.reader).run(
        ["search"] + place + ["plot:toy", "-n", "0", "--json", "--fields", "title,year"])
    }

    /// Compares an answer with what the store held at its token.
    private func compare(_ found: Shell.Outcome, _ name: String) throws {
      #expect(found.code == 0, "\(name) \(found)")
      let answer = try object(found.output)
      let stores = answer["stores"] as? [[String: Any]]
      let index = (stores?.first?["index"] ?? answer["index"]) as? [String: Any]
      let token = try #require(index?["token"] as? Int)
      let hits = try #require(answer["hits"] as? [[String: Any]]).compactMap { $0["fields"] as? [String: Any] }
      let years = Dictionary(
        hits.compactMap { hit in (hit["title"] as? String).map { ($0, hit["year"] as? Int ?? -1) } },
        uniquingKeysWith: { one, _ in one })
      #expect(hits.count == films && years == ReplicationNetworkTests.years(after: token - 1), "\(name) at \(token)")
      searches += 1
      tokens.insert(token)
    }
  }

  @Test func `replicas equal the writer after partitions, losses, kills and a new generation`() throws {
    let start = (0..<Self.films).map { Self.line($0, 0) }.joined(separator: "\n")
    let replication = try ReplicationFixture(start)
    let scene = try Scene(replication)
    for name in ["indexer", "server", "one", "two"] { try scene.start(name) }

    for name in ["one", "two"] {
      try #require(scene.processes[name]?.waitForError("following ") == true, "\(scene.processes[name]?.errors ?? "")")
    }
    try scene.start("served")
    try #require(scene.processes["served"]?.waitForError("serving ") == true)
    let lines = (1...Self.saves).map { Self.line(($0 - 1) % Self.films, $0) }.joined(separator: "\n")
    let file = try replication.bench.directory.write(lines, to: "saves.jsonl")
    let importer = try replication.bench.shell.start([
      "import", file, "--kind", "Film", "--key", "title", "--batch", "1",
    ])
    // What happens when the store has reached a share of the saves.
    var events: [(share: Int, body: () throws -> Void)] = [
      (10, { try scene.network.connect(2, false) }),
      (20, { scene.kill("one") }), (25, { try scene.start("one") }),
      (30, { scene.kill("indexer") }), (35, { try scene.start("indexer") }),
      (45, { try replication.bench.shell.run("rebuild") }),
      (50, { scene.kill("server") }), (55, { try scene.start("server") }),
      (60, { try scene.network.connect(2, true) }),
      (65, { try scene.network.degrade(1, percent: 10, rate: "4mbit") }),
      (75, { scene.kill("two") }), (80, { try scene.start("two") }), (82, { scene.kill("served") }),
      (83, { try scene.start("served") }),
      (85, { try scene.network.connect(1, false) }), (90, { try scene.network.connect(1, true) }),
    ]
    while !events.isEmpty || importer.isRunning {
      let newest = importer.isRunning ? try replication.bench.newest() - 1 : Self.saves
      while let event = events.first, newest * 100 >= event.share * Self.saves {
        events.removeFirst()
        try event.body()
      }
      for name in ["one", "two"] { try scene.search(name) }
      try scene.searchRemotely()
    }
    let imported = importer.wait()
    #expect(imported.code == 0, "\(imported)")
    #expect(try replication.bench.shell.run("wait", "--timeout", "60s").code == 0)
    let own = try replication.checksumOfWriter()
    for name in ["one", "two"] {
      let isEqual = try eventually(within: 60) { try replication.checksum(name) == own }
      #expect(isEqual, "\(name)")
      try scene.search(name)
      try replication.expectEqual(
        name,
        queries: [
          ["plot:toy", "-n", "0"], ["film", "7"], ["*", "--sort", "year:desc,title"],
          ["year:9990..", "--facet", "title"],
        ])
      let status = try scene.status(name)
      #expect(status["token"] as? Int == Self.saves + 1 && status["lagTransactions"] as? Int == 0, "\(status)")
    }
    try scene.searchRemotely()
    print("searches: \(scene.searches), at \(scene.tokens.count) tokens; over the network: \(scene.remote)")
    // How often the replicas were searched depends on the machine; they were at all.
    #expect(scene.remote.answered > 1)
    #expect(scene.tokens.count > 2)
    for (name, process) in scene.processes {
      let outcome = process.end()
      #expect(outcome.code == 0, "\(name) \(outcome)")
    }
    try replication.bench.expectEqual(documents: Self.films)
  }
}
