// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `failed` on truncated rows. Rejected rows need a document that Xapian refuses; other tests create such a document.
@Suite(.overlapping, .temporaryDirectory)
struct FailedTests {
  private static let long = String(repeating: "x", count: 80)
  private static let lines = """
    {"title": "whole"}
    {"title": "\(long) and \(long)y"}
    {"title": "behind \(long)"}

    """

  @Test func `without truncated rows failed prints nothing and exits 1`() throws {
    let bench = try ShellFixture()
    let none = try bench.shell.run("failed")
    #expect(none.code == 1)
    #expect(none.output == "")
    #expect(none.errors == "")
    #expect(try bench.shell.run("failed", "--format", "json").output == "{\"format\":2,\"failed\":[]}\n")
    let retried = try bench.shell.succeed("failed", "--retry")
    #expect(retried.output == "{\"retried\":0,\"fixed\":0,\"failed\":0}\n")
  }

  @Test func `truncated rows are listed with their reasons in every format`() throws {
    let bench = try ShellFixture(Self.lines, kind: "T")
    let text = try bench.shell.succeed("failed")
    #expect(
      text.output == """
        T/p2\ttruncated\twords truncated to 64 bytes: 2
        T/p3\ttruncated\twords truncated to 64 bytes: 1

        """)
    func shape(_ format: String) throws -> String {
      let outcome = try bench.shell.succeed("failed", "--format", format)
      return neutral(outcome.output)
    }
    #expect(
      try shape("tsv") == """
        x-coredata://UUID/T/p2\ttruncated\twords truncated to 64 bytes: 2
        x-coredata://UUID/T/p3\ttruncated\twords truncated to 64 bytes: 1

        """)
    func object(_ key: Int, _ count: Int) -> String {
      #"{"id":"x-coredata://UUID/T/p\#(key)","entity":"T","kind":"truncated","reason":"words truncated to 64 bytes: \#(count)"}"#
    }
    #expect(try shape("ndjson") == object(2, 2) + "\n" + object(3, 1) + "\n")
    #expect(try shape("json") == "{\"format\":2,\"failed\":[" + object(2, 2) + "," + object(3, 1) + "]}\n")
    #expect(try bench.number("failed") == 2)
  }

  @Test func `a retry reads the current rows`() throws {
    let bench = try ShellFixture(Self.lines, kind: "T")
    let again = try bench.shell.run("failed", "--retry")
    #expect(again.code == 1)
    #expect(again.output == "{\"retried\":2,\"fixed\":0,\"failed\":2}\n")
    // One row was changed without a history entry, the other deleted. Neither is truncated now.
    try bench.sql("UPDATE ZT SET ZTITLE = 'short' WHERE Z_PK = 2; DELETE FROM ZT WHERE Z_PK = 3")
    let mended = try bench.shell.succeed("failed", "--retry")
    #expect(mended.output == "{\"retried\":2,\"fixed\":2,\"failed\":0}\n")
    #expect(try bench.shell.run("failed").code == 1)
    #expect(try bench.titles("short") == ["short"])
    try bench.expectEqual(documents: 2)
  }

  @Test func `a retry is refused while a follower runs, with a format, and for another store`() throws {
    let bench = try ShellFixture(Self.lines, kind: "T")
    #expect(try bench.shell.run("failed", "--retry", "--format", "json").code == 2)
    let follower = try bench.follow()
    let locked = try bench.shell.run("failed", "--retry")
    #expect(locked.code == 5)
    #expect(locked.errors.contains("process \(follower.pid)"))
    #expect(try bench.shell.run("failed").code == 0)
    bench.stop(follower)
    try bench.sql("UPDATE Z_METADATA SET Z_UUID = '00000000-0000-4000-8000-000000000000'")
    let other = try bench.shell.run("failed", "--retry")
    #expect(other.code == 2)
    #expect(other.errors.contains("the store is another one"))
    #expect(other.errors.contains("\nhint: followspot index"))
  }
}
