// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Rows that the index does not contain are counted by every verb. SQL counts the same rows.
@Suite(.overlapping, .temporaryDirectory)
struct CompletenessTests {
  private func integer(_ sql: String, _ bench: ShellFixture) throws -> Int {
    Int(try Connection(path: bench.store, access: .readOnly).integer(sql) ?? 0)
  }

  /// The object `complete` in the output of a command.
  private func complete(_ bench: ShellFixture, _ command: String...) throws -> [String: Any] {
    let printed = try object(try bench.shell.run(command + ["--format", "json"]).output)
    return try #require(printed["complete"] as? [String: Any])
  }

  private func leftOut(_ complete: [String: Any]) throws -> [String: Int] {
    try #require(complete["leftOut"] as? [String: Int]).filter { $0.value != 0 }
  }

  // MARK: Rows that lose their key

  @Test func `rows that lose their key are counted by index, status, failed, verify and every answer`() throws {
    let bench = try ShellFixture.database(Books.table + "CREATE TABLE note (text TEXT)")
    #expect(try bench.shell.run("attach", "--key", "isbn").code == 0)
    let first = try bench.report(try bench.shell.run("index"))
    #expect(first["leftOut"] as? Int == 0 && first["inserted"] as? Int == 1)
    #expect(try bench.shell.run("search", "otter").errors == "")
    #expect(try bench.shell.run("failed").code == 1)
    // The log has no change of a row that never had a key.
    try bench.sql("INSERT INTO book VALUES ('two otters', NULL), ('three otters', NULL)")
    let second = try bench.shell.run("index")
    #expect(try bench.report(second)["leftOut"] as? Int == 2)
    let sentence =
      "2 rows of book are left out of the index: such rows have no usable key (SELECT * FROM \"book\" WHERE \"isbn\" IS NULL)"
    #expect(second.errors == "followspot: \(sentence)\n")
    try bench.sql("UPDATE book SET isbn = NULL")
    let third = try bench.report(try bench.shell.run("index"))
    #expect(third["deleted"] as? Int == 1 && third["leftOut"] as? Int == 3)
    try bench.sql("UPDATE book SET isbn = '2' WHERE title = 'two otters'")
    let fourth = try bench.report(try bench.shell.run("index"))
    #expect(fourth["inserted"] as? Int == 1 && fourth["leftOut"] as? Int == 2)

    let gap = "followspot: the index does not contain 2 rows: followspot failed says why\n"
    for command in [["search", "otters"], ["search", "otters", "--format", "tsv"], ["count", "*"]] {
      #expect(try bench.shell.run(command).errors == gap, "\(command)")
    }
    for command in ["search", "count"] {
      #expect(try bench.shell.run(command, "otters", "--format", "json").errors == "")
      let counted = try complete(bench, command, "otters")
      #expect(counted["rows"] as? Int == 3 && counted["documents"] as? Int == 1)
      #expect(try leftOut(counted) == ["noKey": 2])
    }
    let status = try bench.shell.run("status")
    #expect(status.lines.contains { $0.contains("left out") && $0.hasSuffix(sentence) }, "\(status)")
    #expect(try leftOut(complete(bench, "status")) == ["noKey": 2])
    let failed = try bench.shell.run("failed")
    #expect(failed.code == 0 && failed.output == "" && failed.errors == "followspot: \(sentence)\n", "\(failed)")
    for option in [["--quick"], []] {
      let verified = try bench.shell.run(["verify"] + option)
      #expect(verified.code == 0 && verified.errors == "followspot: \(sentence)\n", "\(verified)")
      #expect(verified.output.hasPrefix("equal documents=1 ") && verified.output.hasSuffix(" leftOut=2\n"))
    }
    #expect(try bench.shell.run("doctor").output.contains(sentence))

    let follower = try bench.follow()
    try bench.sql("INSERT INTO book VALUES ('four otters', NULL)")
    #expect(eventually { (try? leftOut(complete(bench, "status"))) == ["noKey": 3] })
    follower.signal(SIGTERM)
    #expect(try bench.report(follower.wait())["leftOut"] as? Int == 3)
  }

  // MARK: Against SQL

  /// Counts the rows of a database with all causes.
  private func expectComplete(_ bench: ShellFixture, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let counted = try complete(bench, "status")
    let rows = try ["book", "narrow", "note", "shelf", "place", "other"].reduce(0) {
      try $0 + integer("SELECT count(*) FROM \($1)", bench)
    }
    let expected = [
      "noKey": try integer("SELECT count(*) FROM book WHERE isbn IS NULL", bench)
        + integer("SELECT count(*) FROM narrow WHERE typeof(k) <> 'integer'", bench),
      "noDefinition": try integer("SELECT count(*) FROM note", bench),
      "joins": try integer("SELECT count(*) FROM place", bench),
      "notAttached": try integer("SELECT count(*) FROM other", bench),
    ].filter { $0.value != 0 }
    #expect(try leftOut(counted) == expected, sourceLocation: sourceLocation)
    #expect(counted["rows"] as? Int == rows, sourceLocation: sourceLocation)
    #expect(
      counted["documents"] as? Int == rows - expected.values.reduce(0, +), "\(counted)", sourceLocation: sourceLocation)
    let found = try bench.shell.run("count", "*").output
    #expect(found == "\(counted["documents"] as? Int ?? -1)\n", sourceLocation: sourceLocation)
    let all = expected.values.reduce(0, +)
    let verified = try bench.shell.run("verify")
    #expect(verified.code == 0, "\(verified)", sourceLocation: sourceLocation)
    #expect(verified.output.hasSuffix(all > 0 ? " leftOut=\(all)\n" : "\n"), sourceLocation: sourceLocation)
  }

  @Test(arguments: Rounds.seeds(1, full: 2, long: 20))
  func `the counts of random changes equal those of SQL`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let bench = try ShellFixture.database(
      """
      CREATE TABLE book (title TEXT, isbn TEXT UNIQUE);
      CREATE TABLE narrow (k INTEGER PRIMARY KEY, v TEXT) WITHOUT ROWID;
      CREATE TABLE note (text TEXT);
      CREATE TABLE other (text TEXT);
      INSERT INTO other VALUES ('a'), ('b'), ('c');
      CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE place (
        shelf_id INTEGER REFERENCES shelf, next_id INTEGER REFERENCES shelf, PRIMARY KEY (shelf_id, next_id));
      INSERT INTO shelf VALUES (1, 'left'), (2, 'right');
      INSERT INTO place VALUES (1, 2);
      """)
    #expect(
      try bench.shell.run(
        "attach", "--key", "isbn", "--table", "book", "--table", "narrow", "--table", "note", "--table", "shelf",
        "--table", "place"
      ).code == 0)
    let definition = try bench.directory.write(
      #"""
      {"format": 1, "entities": {
        "book": {"title": "title", "fields": [{"name": "title", "roles": ["text"]}]},
        "narrow": {"title": "v", "fields": [{"name": "v", "roles": ["text"]}]},
        "shelf": {"title": "name", "fields": [{"name": "name", "roles": ["text"]}]}}}
      """#, to: "definition.json")
    try bench.shell.succeed("index", "--definition", definition)
    try expectComplete(bench)
    var next = 0
    for _ in 0..<6 {
      var statements: [String] = []
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        next += 1
        statements.append(
          [
            "INSERT INTO book VALUES ('word \(next)', \(next))", "INSERT INTO book VALUES ('word \(next)', NULL)",
            "UPDATE book SET isbn = NULL WHERE rowid = \(next / 2)", "UPDATE OR REPLACE book SET isbn = \(next / 3)",
            "INSERT INTO narrow VALUES (\(next), 'x')", "INSERT INTO narrow VALUES ('t\(next)', 'y')",
            "INSERT INTO narrow VALUES (\(next).5, 'z')", "DELETE FROM narrow WHERE k > \(next - 3)",
            "INSERT INTO note VALUES ('note \(next)')", "DELETE FROM note WHERE rowid % 3 = 0",
            "DELETE FROM book WHERE rowid % 5 = 0", "INSERT INTO other VALUES ('o')",
            "INSERT INTO place VALUES (1, \(next + 2))", "DELETE FROM place WHERE next_id % 3 = 0",
          ].randomElement(using: &random) ?? "")
      }
      try bench.sql(statements.joined(separator: ";"))
      #expect(try bench.shell.run("index").code == 0)
      try expectComplete(bench)
    }
    // What the user left out is not said with each answer.
    try bench.sql("DELETE FROM book WHERE isbn IS NULL; DELETE FROM narrow WHERE typeof(k) <> 'integer'")
    let last = try bench.shell.run("index")
    #expect(last.code == 0 && !last.errors.contains("left out"), "\(last)")
    #expect(try bench.shell.run("count", "*").errors == "")
    try expectComplete(bench)
  }

  @Test func `kinds without a definition in a store are counted`() throws {
    let bench = try ShellFixture(isIndexed: false)
    try bench.importRecords("{\"name\": \"Pixar\"}\n{\"name\": \"A24\"}", options: ["--kind", "Studio"])
    let definition = try bench.directory.write(
      #"{"format": 1, "entities": {"Film": {"title": "title", "fields": [{"name": "title", "roles": ["text"]}]}}}"#,
      to: "definition.json")
    let built = try bench.shell.run("index", "--definition", definition)
    #expect(try bench.report(built)["leftOut"] as? Int == 2 && built.errors == "", "\(built)")
    #expect(try leftOut(complete(bench, "search", "toy")) == ["noDefinition": 2])
    #expect(try bench.shell.run("search", "toy").errors == "")
    #expect(try bench.shell.run("delete", "Studio/p1").code == 0)
    #expect(try leftOut(complete(bench, "search", "toy")) == ["noDefinition": 2])
    #expect(try complete(bench, "search", "toy")["pending"] as? Int == 1)
    #expect(try bench.report(try bench.shell.run("index"))["leftOut"] as? Int == 1)
    let now = try complete(bench, "count", "*")
    #expect(now["rows"] as? Int == 9 && now["documents"] as? Int == 8 && now["pending"] as? Int == 0)
    let follower = try bench.follow()
    for count in 2...3 {
      try bench.importRecords("{\"name\": \"New\"}", options: ["--kind", "Studio"])
      #expect(try bench.shell.run("wait").code == 0)
      #expect(try leftOut(complete(bench, "status")) == ["noDefinition": count])
      #expect(try bench.shell.run("set", "Film/p1", "title=Toys \(count)").code == 0)
    }
    bench.stop(follower)
  }

  @Test func `rows of tables that cannot be searched, and truncated rows, are counted`() throws {
    let columns = (0..<1_000).map { "c\($0)" }.joined(separator: ", ")
    let bench = try ShellFixture.database(
      """
      CREATE TABLE t (title TEXT); INSERT INTO t VALUES ('otter'), ('\(String(repeating: "x", count: 80))');
      CREATE TABLE wide (\(columns)); INSERT INTO wide (c0) VALUES ('otter'), ('otter');
      CREATE TABLE schema_migrations (version TEXT); INSERT INTO schema_migrations VALUES ('1');
      """)
    #expect(try bench.report(try bench.shell.run("index"))["leftOut"] as? Int == 2)
    let found = try bench.shell.run("search", "otter", "--format", "ids")
    #expect(
      found.errors
        == "followspot: the index does not contain 2 rows: followspot failed says why\n"
    )
    let counted = try complete(bench, "search", "otter")
    #expect(counted["rows"] as? Int == 4 && counted["documents"] as? Int == 2)
    #expect(counted["truncated"] as? Int == 1 && counted["failed"] as? Int == 1)
    #expect(try leftOut(counted) == ["notSearchable": 2])
    try bench.sql("DELETE FROM wide; UPDATE t SET title = 'short' WHERE rowid = 2")
    #expect(try complete(bench, "search", "otter")["pending"] as? Int == 1)
    #expect(try bench.report(try bench.shell.run("index"))["leftOut"] as? Int == 0)
    #expect(try bench.shell.run("search", "otter").errors == "")
  }
}
