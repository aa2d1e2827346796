// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Answers that do not know whether their database has changed.
@Suite(.overlapping, .temporaryDirectory)
struct UnknownLagTests {
  /// A database of which more rows have changed than an answer includes.
  private func fixture() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    let rows = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)"
    try Connection(path: bench.store, access: .create).execute(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); \(rows) INSERT INTO t SELECT i, 'row ' || i FROM n")
    #expect(try bench.shell.run("index").code == 0)
    try bench.sql("UPDATE t SET a = 'zebra ' || id")
    return bench
  }

  private static let note =
    "followspot: the database has changed since it was indexed; the index has to be updated"

  @Test func `a search says first that it does not know, and no lag`() throws {
    let bench = try fixture()
    let other = bench.directory.file("other.sqlite")
    try Connection(path: other, access: .create).execute(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'row')")
    #expect(try bench.shell.run("--store", other, "index").code == 0)
    for verb in ["search", "count"] {
      let outcome = try bench.shell.run(verb, "zebra", "--json")
      #expect(outcome.code <= 1)
      let errors = outcome.errors.split(separator: "\n").map(String.init)
      #expect(errors.first == Self.note, "\(outcome)")
      #expect(!outcome.errors.contains("no record has"), "\(outcome)")
      let document = try object(outcome.output)
      let index = try #require(document["index"] as? [String: Any])
      #expect(index["lagKnown"] as? Bool == false, "\(outcome)")
      #expect(index["lagTransactions"] == nil && index["lagSeconds"] == nil, "\(outcome)")
      let grouped = try bench.shell.run("--store", bench.store, "--store", other, verb, "zebra", "--json")
      #expect(grouped.output.contains(#""lagTransactions":null,"lagSeconds":null,"lagKnown":false"#), "\(grouped)")
      #expect(grouped.output.contains(#""lagTransactions":0"#), "\(grouped)")
      #expect(try bench.shell.run(verb, "zebra", "--max-lag", "1h").code == 4)
    }
    #expect(try bench.shell.run("index").code == 0)
    let known = try bench.shell.run("search", "zebra", "--json", "-n", "1").output
    #expect(known.contains(#""lagTransactions":0"#) && !known.contains("lagKnown"), "\(known)")
  }

  @Test func `status and doctor say that it is not known`() throws {
    let bench = try fixture()
    let status = try bench.shell.run("status", "--json").output
    #expect(status.contains(#""lagKnown":false"#) && !status.contains("lagTransactions"), "\(status)")
    let text = try bench.shell.run("status").output
    #expect(!text.contains(/lag +(0|none)/), "\(text)")
    #expect(try bench.shell.run("doctor").output.contains("the database has changed since it was indexed"))
  }
}
