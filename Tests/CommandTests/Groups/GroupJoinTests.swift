// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Groups of so many stores that `index` joins their indexes.
@Suite(.overlapping, .temporaryDirectory)
struct GroupJoinTests {
  private let directory = TemporaryDirectory()

  @Test func `index joins the indexes of a group, and searches see every save`() throws {
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_STORE"] = nil
    shell.environment["XDG_CONFIG_HOME"] = directory.file("settings")
    shell.environment["XDG_CACHE_HOME"] = directory.file("cache")
    let names = (0..<34).map { "s\($0)" }
    var configuration = ""
    for (number, name) in names.enumerated() {
      let file = try directory.write(
        "{\"title\": \"Toy number \(number)\"}\n{\"title\": \"Winter \(name)\"}\n", to: "records.jsonl")
      let path = directory.file("\(name).store")
      try #require(try shell.run("--store", path, "import", file, "--kind", "Note").code == 0)
      configuration += "[store \"\(name)\"]\npath = \(path)\n"
    }
    configuration += "[group \"all\"]\nstores = \(names.joined(separator: ", "))\n"
    try FileManager.default.createDirectory(
      atPath: directory.file("settings/followspot"), withIntermediateDirectories: true)
    _ = try directory.write(configuration, to: "settings/followspot/config")
    func search(_ words: String..., cache: String = "cache") throws -> Shell.Outcome {
      var shell = shell
      shell.environment["XDG_CACHE_HOME"] = directory.file(cache)
      return try shell.run(
        ["--store", "all", "search", "--format", "tsv", "-n", "0", "--fields", "title,@store,@score,@freshness"]
          + words)
    }
    let first = try shell.run("--store", "all", "index")
    #expect(first.code == 0 && first.errors.contains("joined the indexes of 34 stores"), "\(first)")
    let again = try shell.run("--store", "all", "index")
    #expect(again.code == 0 && !again.errors.contains("joined"), "\(again)")
    for query in ["toy", "number 7", "winter", "*", "\"toy number\""] {
      let found = try search(query)
      #expect(found.code == 0 && found.lines.count >= 1)
      #expect(try found.output == search(query, cache: "none").output, "\(query)")
    }
    #expect(try search("toy").lines.count == 34)
    // A save, and a deletion, before they are indexed and after.
    #expect(try shell.run("--store", "s7", "set", "Note/p1", "title=Zebra").code == 0)
    #expect(try shell.run("--store", "s8", "delete", "Note/p1").code == 0)
    for state in ["saved", "indexed"] {
      #expect(try search("toy").lines.count == 32, "\(state)")
      #expect(try search("zebra").lines.map { $0.split(separator: "\t").prefix(2) } == [["Zebra", "s7"]], "\(state)")
      for name in ["s7", "s8"] { #expect(try shell.run("--store", name, "index").code == 0) }
    }
    // Without a place for the joined index, the stores are searched one by one.
    _ = try directory.write("", to: "file")
    shell.environment["XDG_CACHE_HOME"] = directory.file("file")
    let refused = try shell.run("--store", "all", "index")
    #expect(refused.code == 0 && refused.errors.contains("the indexes are not joined"), "\(refused)")
    #expect(try search("zebra", cache: "file").lines.count == 1)
  }
}
