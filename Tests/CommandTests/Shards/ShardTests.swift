// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Groups with the indexes of other machines.
@Suite(.overlapping, .temporaryDirectory, .enabled(if: ShardFixture.isInstalled, "xapian-tools is not installed"))
struct ShardTests {
  @Test func `hits, scores, orders and counts equal those of one store with the same records`() throws {
    let bench = try ShardFixture(seed: 21)
    let servers = [try bench.serve(0), try bench.serve(1)]
    try bench.expectEqual()
    for sort in ["title", "year:desc,title", "genres,title:desc"] {
      for query in ["*", "toy story moon"] {
        let options = ["--sort", sort, "-n", "30", "--offset", "5", "--fields", "title,year,genres", query]
        let whole = try bench.shell.run(["--store", "whole", "search", "--format", "tsv"] + options)
        #expect(try bench.search(["--format", "tsv"] + options).lines == whole.lines, "\(query) by \(sort)")
      }
    }
    for words in [["toy"], ["toy", "--by", "year"], ["genres:drama"], ["*"]] {
      let whole = try bench.shell.run(["--store", "whole", "count"] + words)
      #expect(try bench.shell.run(bench.parts + ["count"] + words).output == whole.output, "\(words)")
    }
    // An overlay of the local store replaces none of the remote documents.
    let all = try bench.search(["*", "-n", "0", "--fields", "@id"]).lines.count
    #expect(try bench.shell.run("--store", "one", "set", "Film/p1", "title=Zebra").code == 0)
    let zebra = try bench.search(["zebra", "--fields", "title,@store,@freshness"])
    #expect(zebra.lines == ["Zebra\tone\toverlay"])
    #expect(try bench.search(["*", "-n", "0", "--fields", "@id"]).lines.count == all)
    for server in servers { #expect(server.end().code == 0) }
  }

  @Test func `boosts rank the records of all parts`() throws {
    let bench = try ShardFixture(seed: 22)
    let servers = [try bench.serve(0), try bench.serve(1)]
    for options in [["--recent", "year:10"], ["--boost", "year"], ["--recent", "year", "--boost", "year"]] {
      try bench.expectEqual(["toy", "river night"], options: [options + ["-n", "0"]])
    }
    withExtendedLifetime(servers) { for server in $0 { _ = server.end() } }
  }

  @Test func `the answer of the others is printed if a part is gone`() throws {
    let bench = try ShardFixture(seed: 23, records: 60)
    let servers = [try bench.serve(0), try bench.serve(1)]
    let complete = try bench.search(["toy", "-n", "0"])
    #expect(complete.code == 0)
    servers[1].signal(SIGKILL)
    _ = servers[1].wait()
    let rest = ["--store", "one", "--store", bench.address(0)]
    // The program of the server ends together with it.
    try #require(eventually(within: 10) { (try? bench.search(["toy"]).code) == 8 })
    let options = ["search", "toy", "-n", "0", "--fields", "@id,title,@score,@store", "--format", "tsv"]
    let found = try bench.shell.run(bench.parts + options)
    let others = try bench.shell.run(rest + options)
    #expect(found.code == 8 && found.output == others.output, "\(found)")
    #expect(found.errors.contains("missing from this answer: \(bench.address(1)) does not answer"), "\(found)")
    let json = try bench.search(["toy", "--json"])
    #expect(json.code == 8)
    let missing = try object(json.output)["missing"] as? [[String: String]]
    #expect(missing?.map { $0["name"] } == [bench.address(1)], "\(json)")
    let schema = SchemaValidator(schema: try JSONValue(try bench.shell.run("help", "formats").output))
    #expect(schema.faults(of: try JSONValue(json.output), as: "groupSearch") == [])
    let count = try bench.shell.run(bench.parts + ["count", "toy", "--json"])
    let counted = try JSONValue(count.output)
    #expect(count.code == 8 && schema.faults(of: counted, as: "groupCount") == [], "\(count)")
    let alone = try bench.shell.run("--store", bench.address(1), "search", "toy")
    #expect(alone.code == 8 && alone.output.isEmpty, "\(alone)")

    let refused = try bench.search(["toy", "--require", "all"])
    #expect(refused.code == 8 && refused.output.isEmpty && refused.errors.contains(bench.address(1)), "\(refused)")
    let waiting = try bench.shell.start(bench.parts + ["search", "toy", "-n", "0", "--require", "all"])
    usleep(1_500_000)
    #expect(waiting.isRunning)
    let again = try bench.serve(1)
    let answered = waiting.wait()
    #expect(answered.code == 0 && answered.output == complete.output, "\(answered)")
    for server in [servers[0], again] { _ = server.end() }
  }

  @Test func `new commits and new generations are served without a restart`() throws {
    var bench = try ShardFixture(seed: 24, records: 60)
    let servers = [try bench.serve(0), try bench.serve(1)]
    try bench.group.add(20)
    for name in ["whole"] + GroupFixture.parts { _ = try bench.shell.run("--store", name, "index") }
    try bench.expectEqual(["toy story", "*"])
    for name in ["two", "three"] { #expect(try bench.shell.run("--store", name, "rebuild").code == 0) }
    try bench.group.add(20)
    for name in ["whole"] + GroupFixture.parts { _ = try bench.shell.run("--store", name, "index") }
    try bench.expectEqual(["toy story", "*"])
    for server in servers { #expect(server.end().errors.contains("starting it again") == false) }
  }

  @Test func `what an index does not store or does not know is said`() throws {
    let bench = try ShardFixture(seed: 25, records: 60, isStored: false)
    let servers = [try bench.serve(0), try bench.serve(1)]
    let whole = try bench.shell.run("--store", "whole", "count", "toy").output
    let found = try bench.search(["toy", "--all", "-n", "0", "--format", "ids"])
    #expect("\(found.lines.count)\n" == whole, "\(found)")
    #expect(found.errors.contains("\(bench.address(0)): answered by a remote index at token 1\n"), "\(found)")
    let columns = try bench.search(["toy", "--fields", "title,plot"])
    #expect(columns.errors.contains("\(bench.address(0)) does not store 'plot'"), "\(columns)")
    #expect(!columns.errors.contains("'title'") && columns.lines.allSatisfy { !$0.hasPrefix("\t") }, "\(columns)")
    let author = try bench.search(["author:me"])
    #expect(author.errors.contains("\(bench.address(0)): author needs the history of the store"), "\(author)")
    #expect(try bench.search(["toy", "--max-lag", "1h"]).code == 4)
    for server in servers { _ = server.end() }
  }

  @Test func `the status of a group shows remote indexes`() throws {
    let bench = try ShardFixture(seed: 26, records: 30)
    let server = try bench.serve(0)
    let rows = try bench.group.rows("ZFILM", of: "two")
    let status = try bench.shell.run(bench.parts + ["status"])
    #expect(status.code == 8, "\(status)")
    #expect(
      status.lines.dropFirst() == [
        "\(bench.address(0))\t\(rows)\t1\tunknown\tremote", "\(bench.address(1))\t-\t-\terror\t-",
      ])
    let json = try bench.shell.run(bench.parts + ["status", "--json"])
    let schema = SchemaValidator(schema: try JSONValue(try bench.shell.run("help", "formats").output))
    #expect(schema.faults(of: try JSONValue(json.output), as: "groupStatus") == [], "\(json)")
    let stores = try #require(try object(json.output)["stores"] as? [[String: Any]])
    let own = try object(try bench.shell.run("--store", "two", "status", "--json").output)["index"] as? [String: Any]
    #expect((stores[1]["remote"] as? [String: Any])?["checksum"] as? String == own?["checksum"] as? String)
    _ = server.end()
  }
}
