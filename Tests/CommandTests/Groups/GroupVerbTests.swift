// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Verbs that ask each store of a group, or find the store of a record.
@Suite(.overlapping, .temporaryDirectory)
struct GroupVerbTests {
  private func output(_ bench: GroupFixture, _ arguments: [String], code: Int32 = 0) throws -> [String] {
    let outcome = try bench.shell.run(arguments)
    #expect(outcome.code == code, "\(arguments): \(outcome)")
    return outcome.lines
  }

  private func labelled(_ bench: GroupFixture, _ arguments: [String]) throws -> [String] {
    try GroupFixture.parts.flatMap { name in
      try output(bench, ["--store", name] + arguments).map { "\(name): \($0)" }
    }
  }

  @Test func `a verb about one store prints what it prints for each store`() throws {
    let bench = try GroupFixture(seed: 21, records: 60)
    for verb in [["verify"], ["verify", "--quick"], ["wait"]] {
      #expect(try output(bench, ["--store", "all"] + verb) == labelled(bench, verb), "\(verb)")
    }
    let rebuilt = try output(bench, ["--store", "all", "rebuild"])
    #expect(rebuilt.map { String($0.prefix { $0 != " " }) } == ["one:", "two:", "three:"], "\(rebuilt)")
    let back = try output(bench, ["--store", "all", "rollback"])
    #expect(back.count == 3 && zip(back, GroupFixture.parts).allSatisfy { $0.hasPrefix($1 + ": generation=") })
    let list = try output(bench, ["--store", "all", "failed"], code: 1)
    #expect(list.isEmpty)
    let checks = try output(bench, ["--store", "all", "doctor"])
    for name in GroupFixture.parts { #expect(checks.contains { $0.hasPrefix("ok    \(name): store: ") }, "\(checks)") }
    #expect(!checks.contains { $0.hasPrefix("fail") })
    let unit = try output(bench, ["--store", "all", "service", "print", "--user"])
    let start = try #require(unit.first { $0.hasPrefix("ExecStart=") })
    let options = GroupFixture.parts.map { "--store \"\(bench.path($0))\" --index \"\(bench.path($0)).index\"" }
    #expect(start.hasSuffix(" " + options.joined(separator: " ") + " index --follow"), "\(start)")
  }

  @Test func `the options of a unit name each store and its index`() throws {
    let bench = try GroupFixture(seed: 22, records: 30)
    let options = GroupFixture.parts.flatMap { ["--store", bench.path($0), "--index", bench.path($0) + ".index"] }
    #expect(try output(bench, options + ["count", "*"]) == output(bench, ["--store", "whole", "count", "*"]))
    let two = try bench.shell.run(Array(options.dropLast(2)) + ["count", "*"])
    #expect(two.code == 2 && two.errors.contains("--index names the index of one store, not of several"), "\(two)")
  }

  @Test func `each verb works on the index that is named for each store`() throws {
    let bench = try GroupFixture(seed: 33, records: 30)
    let stores = ["one", "two"].flatMap { ["--store", bench.path($0), "--index", bench.directory.file($0 + "-index")] }
    let indexed = try output(bench, stores + ["index"])
    #expect(indexed.count == 2)
    func sums(_ lines: [String]) -> [String] { lines.compactMap { $0.components(separatedBy: "checksum=").last } }
    let verified = try output(bench, stores + ["verify"])
    #expect(verified.count == 2 && verified.allSatisfy { $0.contains(": equal documents=") })
    #expect(try sums(output(bench, stores + ["rebuild"])) == sums(verified))
    for name in ["one", "two"] {
      let alone = ["--store", bench.path(name), "--index", bench.directory.file(name + "-index")]
      #expect(try output(bench, alone + ["verify"]).count == 1)
      #expect(try output(bench, alone + ["status"]).joined().contains("generation 2"))
    }
    let unit = try output(bench, stores + ["service", "print", "--user"])
    for name in ["one", "two"] { #expect(unit.contains { $0.contains("\(name)-index\"") }, "\(name)") }
    let shown = try output(bench, stores + ["show", "\(bench.path("two")):Film/p1", "--terms"])
    #expect(shown.contains { $0.hasPrefix("term: ") } && !shown.contains("terms: not in the index"))
  }

  @Test func `a directory with the name of a store of the group is not that store`() throws {
    let bench = try GroupFixture(seed: 34, records: 12)
    try FileManager.default.createDirectory(atPath: bench.directory.file("two"), withIntermediateDirectories: false)
    #expect(try output(bench, ["--store", "all", "verify"]).count == 3)
    #expect(try output(bench, ["--store", "all", "history", "--format", "ndjson"]).count >= 3)
  }

  @Test func `a feed from the beginning has a position although its last store has no records`() throws {
    let bench = try GroupFixture(seed: 35, records: 9)
    let file = try bench.directory.write("{\"name\": \"x\"}\n", to: "thing.jsonl")
    let empty = bench.directory.file("empty.store")
    #expect(try bench.shell.run("--store", empty, "import", file, "--kind", "Thing").code == 0)
    #expect(try bench.shell.run("--store", empty, "delete", "Thing/p1", "--yes").code == 0)
    let stores = ["--store", bench.path("one"), "--store", empty]
    for options in [[], ["--kind", "Film"]] {
      let lines = try output(bench, stores + ["feed", "--from", "null"] + options)
      #expect(try lines.count == bench.rows("ZFILM", of: "one"))
      let position = try #require(
        lines.last?.firstMatch(of: /"position":"([^"]*)"/).map { String($0.1) }, "\(lines)")
      #expect(position.contains("empty.store=2"))
      #expect(try output(bench, stores + ["feed", "--from", position] + options, code: 1).isEmpty)
    }
    let unknown = try bench.shell.run(stores + ["feed", "--from", "null", "--kind", "Nothing"])
    #expect(unknown.code == 2 && unknown.errors.contains("no store of the group has the entity Nothing"), "\(unknown)")
  }

  @Test func `a deleted record is found in whichever store had it`() throws {
    let bench = try GroupFixture(seed: 36, records: 24)
    // The last record of the largest store: no other has that key.
    let sizes = try GroupFixture.parts.map { (name: $0, rows: try bench.rows("ZFILM", of: $0)) }
      .sorted { $0.rows > $1.rows }
    try #require(sizes[0].rows > sizes[1].rows, "\(sizes)")
    let (owner, name) = (sizes[0].name, "Film/p\(sizes[0].rows)")
    #expect(try bench.shell.run("--store", owner, "delete", name, "--yes").code == 0)
    let alone = try output(bench, ["--store", owner, "log", name, "--format", "ndjson"])
    #expect(alone.count == 2)
    let all = try transactions(output(bench, ["--store", "all", "log", name, "--format", "ndjson"]), "number")
    #expect(all.filter { $0.hasPrefix(owner + " ") }.count == 2, "\(all)")
    let shown = try bench.shell.run("--store", "all", "show", name)
    #expect(!shown.errors.contains("there is no"), "\(shown)")
  }

  @Test func `the worst result of a store is that of the group, and a missing store is named`() throws {
    let bench = try GroupFixture(seed: 23, records: 30)
    try FileManager.default.removeItem(atPath: bench.path("two") + ".index")
    let verified = try bench.shell.run("--store", "all", "verify")
    #expect(verified.code == 8 && verified.lines.map { String($0.prefix(4)) } == ["one:", "thre"], "\(verified)")
    #expect(verified.errors.contains("followspot: two: no index at"), "\(verified)")
    #expect(verified.errors.contains("followspot --store two index"), "\(verified)")
    let doctor = try bench.shell.run("--store", "all", "doctor")
    #expect(doctor.code == 0 && doctor.lines.contains { $0.hasPrefix("warn  two: index: there is none") }, "\(doctor)")
    try FileManager.default.removeItem(atPath: bench.path("two"))
    for verb in [
      ["history"], ["log", "*"], ["diff", "*", "0.."], ["suggest", "toy"], ["count", "*"], ["sql", "select 1"],
    ] {
      let outcome = try bench.shell.run(["--store", "all"] + verb)
      #expect(outcome.code == 8 && !outcome.output.isEmpty, "\(verb): \(outcome)")
      #expect(outcome.errors.contains("missing from this answer: two"), "\(verb): \(outcome)")
    }
    let gone = try bench.shell.run("--store", "all", "doctor")
    #expect(gone.code == 1 && gone.lines.contains { $0.hasPrefix("fail  two: store: ") }, "\(gone)")
  }

  @Test func `each hit is shown by its identifier, with the name of its store if another store has it, too`() throws {
    let bench = try GroupFixture(seed: 24, records: 40)
    var seen: [String: [String]] = [:]
    for line in try bench.hits("all", "*", "-n", "0", "--fields", "@store,@id,title") {
      let cells = line.split(separator: "\t").map(String.init)
      let identifier = "Film/" + (cells[1].split(separator: "/").last ?? "")
      let shown = try output(bench, ["--store", "all", "show", "\(cells[0]):\(identifier)"])
      #expect(shown.contains("title: \(cells[2])") && shown.last == "store: \(cells[0])", "\(cells): \(shown)")
      // The whole identifier names the store by itself.
      #expect(try output(bench, ["--store", "all", "show", cells[1]]) == shown)
      seen[identifier, default: []].append(cells[2])
    }
    for (identifier, titles) in seen {
      let shown = try output(bench, ["--store", "all", "show", identifier]).filter { $0.hasPrefix("title: ") }
      #expect(shown.sorted() == titles.map { "title: \($0)" }.sorted(), "\(identifier)")
    }
    let unknown = try bench.shell.run("--store", "all", "show", "two:Film/p999")
    #expect(unknown.code == 1 && unknown.errors == "followspot: there is no two:Film/p999\n")
  }

  @Test func `an explanation has the score of the group's search`() throws {
    let bench = try GroupFixture(seed: 25)
    for query in ["toy story", "running", "moon OR robot", "year:1980..1990 city"] {
      let hits = try bench.hits("all", query, "-n", "5", "--fields", "@store,@id,@score")
      #expect(!hits.isEmpty)
      for hit in hits {
        let cells = hit.split(separator: "\t").map(String.init)
        let name = "\(cells[0]):Film/" + (cells[1].split(separator: "/").last ?? "")
        let lines = try output(bench, ["--store", "all", "explain", name, query])
        #expect(lines.dropFirst().first?.hasSuffix("score \(cells[2])") == true, "\(query): \(hit): \(lines)")
      }
    }
    // Stores of other models are ranked beside them.
    for hit in try bench.hits("mixed", "toy", "-n", "4", "--fields", "@store,@id,@score") {
      let cells = hit.split(separator: "\t").map(String.init)
      let parts = cells[1].split(separator: "/").suffix(2).joined(separator: "/")
      let lines = try output(bench, ["--store", "mixed", "explain", "\(cells[0]):\(parts)", "toy"])
      #expect(lines.dropFirst().first?.hasSuffix("score \(cells[2])") == true, "\(hit): \(lines)")
    }
    let ambiguous = try bench.shell.run("--store", "all", "explain", "Film/p1", "toy")
    #expect(ambiguous.code == 2 && ambiguous.errors.contains("one:Film/p1, two:Film/p1, three:Film/p1"), "\(ambiguous)")
  }

  /// A store suggests only the first titles, so a group has more of them.
  @Test func `suggestions are those of one store with the same records, and further titles`() throws {
    let bench = try GroupFixture(seed: 26)
    for prefix in ["toy", "w", "genres:dr", "mo", "robt", "run"] {
      func suggestions(_ store: String) throws -> Set<String> {
        let text = try output(bench, ["--store", store, "suggest", prefix, "-n", "0", "--format", "json"]).joined()
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let list = document?["suggestions"] as? [[String: Any]] ?? []
        return Set(
          list.map { "\(($0["text"] as? String ?? "").lowercased()) \($0["kind"] ?? "") \($0["count"] ?? "")" })
      }
      let (all, whole) = try (suggestions("all"), suggestions("whole"))
      #expect(!whole.isEmpty && whole.isSubset(of: all), "\(prefix): \(whole.subtracting(all).sorted())")
      #expect(all.subtracting(whole).allSatisfy { $0.contains(" title ") }, "\(prefix): \(all.subtracting(whole))")
    }
  }

  @Test func `the store is a condition, a facet and a section`() throws {
    let bench = try GroupFixture(seed: 27)
    var facet: [String] = []
    for name in GroupFixture.parts {
      let count = try bench.rows("ZFILM", of: name)
      #expect(try output(bench, ["--store", "all", "count", "@store:\(name)"]) == ["\(count)"])
      facet.append("\(count)\t\(name)")
      let hits = try bench.hits("all", "toy @store:\(name.uppercased())", "-n", "0", "--fields", "@store")
      #expect(Set(hits) == [name])
      let own = try bench.hits(name, "toy", "--all", "-n", "0")
      #expect(try bench.hits("all", "toy @store:\(name)", "--all", "-n", "0").count == own.count)
    }
    #expect(try Set(output(bench, ["--store", "all", "count", "*", "--by", "@store"])) == Set(facet))
    let others = try output(bench, ["--store", "all", "count", "-@store:one -@store:two"])
    #expect(try others == ["\(bench.rows("ZFILM", of: "three"))"])
    let unknown = try bench.shell.run("--store", "all", "count", "@store:on")
    #expect(unknown.code == 2 && unknown.errors.contains("did you mean one?"), "\(unknown)")
    let single = try bench.shell.run("--store", "one", "count", "@store:one")
    #expect(single.code == 2 && single.errors.contains("one store is searched"), "\(single)")
  }

  /// The numbers of transactions by store, in the order of a list of JSON lines.
  private func transactions(_ lines: [String], _ key: String) throws -> [String] {
    try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return "\(object?["store"] ?? "-") \(object?[key] ?? "-")"
    }
  }

  @Test func `history, log, diff and feed have the transactions of all stores in the order of their times`() throws {
    var bench = try GroupFixture(seed: 28, records: 20)
    for _ in 0..<4 { try bench.add(3) }
    for name in GroupFixture.parts { _ = try bench.shell.run("--store", name, "delete", "Film/p2") }
    var all: [(time: String, line: String)] = []
    for name in GroupFixture.parts {
      for line in try output(bench, ["--store", name, "history", "--format", "ndjson"]) {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        all.append((object?["timestamp"] as? String ?? "", "\(name) \(object?["number"] ?? "")"))
      }
    }
    #expect(all.count > 12)
    let merged = try transactions(output(bench, ["--store", "all", "history", "--format", "ndjson"]), "number")
    #expect(merged == all.sorted { $0.time < $1.time }.map(\.line))
    let text = try output(bench, ["--store", "all", "history"]).filter { $0.hasPrefix("transaction") }
    #expect(text.count == all.count && text.allSatisfy { $0.contains(" in ") })
    let logged = try transactions(output(bench, ["--store", "all", "log", "*", "--format", "ndjson"]), "number")
    #expect(!logged.isEmpty && logged == merged.filter(logged.contains))
    // Of several pages of a store, too.
    for limit in [1, 3, 7] {
      let first = try output(bench, ["--store", "all", "log", "*", "--format", "ndjson", "-n", "\(limit)"])
      #expect(try transactions(first, "number") == Array(logged.prefix(limit)))
    }
    let difference = try output(bench, ["--store", "all", "diff", "*", "0..", "--format", "tsv"], code: 1)
    let parts = try GroupFixture.parts.flatMap { name in
      try output(bench, ["--store", name, "diff", "*", "0..", "--format", "tsv"], code: 1).map { "\(name)\t\($0)" }
    }
    #expect(difference.sorted() == parts.sorted())
    let refused = try bench.shell.run("--store", "all", "diff", "*", "2..")
    #expect(refused.code == 2 && refused.errors.contains("transaction 2 belongs to one store"), "\(refused)")
    let since = try output(bench, ["--store", "all", "diff", "*", "one=1,two=1.."], code: 1)
    #expect(since.contains { $0.contains("three:Film/") } && since.contains { $0.contains("one:Film/") })
  }

  @Test func `a store without history is named, and the others answer`() throws {
    let bench = try GroupFixture(seed: 32, records: 12)
    let plain = bench.directory.file("plain.db")
    try Connection(path: plain, access: .create).execute("CREATE TABLE toy(name TEXT); INSERT INTO toy VALUES ('x')")
    #expect(try bench.shell.run("--store", plain, "index").code == 0)
    for verb in [["history"], ["log", "*"], ["feed", "--from", "null"], ["diff", "*", "0.."]] {
      let both = try bench.shell.run(["--store", "one", "--store", plain] + verb + ["--format", "ndjson"])
      let alone = try bench.shell.run(["--store", "one"] + verb + ["--format", "ndjson"])
      #expect(both.lines.count == alone.lines.count && both.code == alone.code, "\(verb): \(both)")
      #expect(both.errors.contains("\(plain) keeps no history of its changes, and is left out"), "\(verb): \(both)")
    }
  }

  @Test func `a feed continues at each position of its lines`() throws {
    var bench = try GroupFixture(seed: 29, records: 8)
    try bench.add(3)
    let snapshot = try output(bench, ["--store", "all", "feed", "--from", "null"])
    #expect(try snapshot.count == GroupFixture.parts.reduce(0) { try $0 + bench.rows("ZFILM", of: $1) })
    func position(_ line: String) throws -> String? {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["position"] as? String
    }
    let start = try #require(try position(snapshot.last ?? ""))
    #expect(try snapshot.dropLast().allSatisfy { try position($0) == nil })
    for _ in 0..<3 { try bench.add(3) }
    let changes = try output(bench, ["--store", "all", "feed", "--from", start])
    #expect(changes.count == 9)
    for (index, line) in changes.enumerated() {
      let rest = Array(changes.dropFirst(index + 1))
      let next = try #require(try position(line))
      #expect(try output(bench, ["--store", "all", "feed", "--from", next], code: rest.isEmpty ? 1 : 0) == rest)
    }
    // A consumer reads in steps. Its position is that of each store.
    #expect(
      try output(bench, ["--store", "all", "feed", "--consumer", "reader"]).count == snapshot.count + changes.count)
    try bench.add(2)
    #expect(try output(bench, ["--store", "all", "feed", "--consumer", "reader"]).count == 2)
    #expect(try output(bench, ["--store", "all", "feed", "--consumer", "reader"], code: 1).isEmpty)
  }

  @Test func `a saved search is kept in all stores, and its events name theirs`() throws {
    var bench = try GroupFixture(seed: 30, records: 40)
    let added = try output(bench, ["--store", "all", "saved", "add", "dramas", "genres:drama"])
    #expect(added.count == 3 && added[0].hasPrefix("one: dramas: "))
    #expect(try output(bench, ["--store", "all", "saved", "list"]).count == 3)
    func count() throws -> Int {
      try output(bench, ["--store", "all", "saved", "run", "dramas", "-n", "0", "--format", "tsv"]).count
    }
    #expect(try String(count()) == output(bench, ["--store", "whole", "count", "genres:drama"])[0])
    let watched = try output(bench, ["--store", "all", "saved", "watch", "dramas", "--once", "--initial"])
    #expect(try watched.count == count())
    let before = try count()
    for _ in 0..<3 { try bench.add(4) }
    let events = try bench.shell.run("--store", "all", "saved", "watch", "dramas", "--once", "--format", "ndjson")
    #expect(try events.lines.count == count() - before, "\(events)")
    for line in events.lines { #expect(line.contains("\"store\":\""), "\(line)") }
    _ = try output(bench, ["--store", "two", "saved", "add", "dramas", "genres:horror", "--replace"])
    let other = try bench.shell.run("--store", "all", "saved", "run", "dramas")
    #expect(other.code == 2 && other.errors.contains("the saved search 'dramas' of two is not that of one"), "\(other)")
    #expect(try output(bench, ["--store", "all", "saved", "remove", "dramas"]).isEmpty)
    #expect(try output(bench, ["--store", "all", "saved", "list"], code: 1).isEmpty)
  }

  @Test func `a live search of a group has the changes of each store`() throws {
    let bench = try GroupFixture(seed: 31, records: 30)
    let running = try bench.shell.start(
      ["--store", "all", "search", "title:zebra", "--live", "--format", "ndjson"])
    for (index, name) in GroupFixture.parts.enumerated() {
      let file = try bench.directory.write(
        "{\"title\": \"Zebra \(name)\", \"year\": 2000, \"genres\": [], \"plot\": \"\"}\n", to: "new.jsonl")
      #expect(try bench.shell.run("--store", name, "import", file, "--kind", "Film").code == 0)
      #expect(eventually { running.output.split(separator: "\n").count > index }, "\(name)")
    }
    let lines = running.end().lines
    for (line, name) in zip(lines, GroupFixture.parts) {
      #expect(line.contains("\"title\":\"Zebra \(name)\"") && line.contains("\"store\":\"\(name)\""), "\(line)")
    }
    #expect(lines.count == 3)
  }
}
