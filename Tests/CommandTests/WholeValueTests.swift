// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Whole values of facets and keys of JSON values: which of them are the same.
@Suite(.overlapping, .temporaryDirectory)
struct WholeValueTests {
  /// Values of `shelf`, which is only a facet.
  private func fixture(_ shelves: [String]) throws -> ShellFixture {
    let records = try shelves.enumerated().map { number, shelf in
      let record: [String: Any] = ["title": "Film \(number)", "shelf": shelf]
      return String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
    }
    let bench = try ShellFixture(records.joined(separator: "\n"), isIndexed: false)
    let definition = try bench.directory.write(
      """
      {"format": 1, "language": "english", "stopWords": [], "entities": {"Film": {"title": "title", "fields": [
        {"name": "title", "roles": ["text"]}, {"name": "shelf", "roles": ["facet"]}]}}}
      """, to: "definition.json")
    let indexed = try bench.shell.run("index", "--definition", definition)
    try #require(indexed.code == 0, "\(indexed)")
    return bench
  }

  /// How many records have each value, the most frequent first.
  private func counts(_ bench: ShellFixture) throws -> [Int] {
    let counted = try bench.shell.succeed("count", "*", "--by", "shelf")
    return counted.lines.compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
  }

  @Test func `a word in capitals finds one that ends with a final sigma, and the other way`() throws {
    let bench = try ShellFixture(#"{"title": "Οδός Ερμού"}"# + "\n" + #"{"title": "ΟΔΟΣ"}"#)
    for query in ["ΟΔΟΣ", "Οδός", "οδοσ", "title:οδός", "\"ΟΔΟΣ\"", "*ΔΟΣ", "οδός*"] {
      #expect(try bench.titles(query).sorted() == ["ΟΔΟΣ", "Οδός Ερμού"], "\(query)")
    }
  }

  @Test func `a final sigma does not make another value of a facet`() throws {
    let bench = try fixture(["Οδός", "ΟΔΌΣ", "οδός"])
    #expect(try counts(bench) == [3])
    #expect(try bench.titles("shelf:ΟΔΌΣ").count == 3)
  }

  @Test func `a line break is a space in a value of a facet, with accents and without`() throws {
    let bench = try fixture(["a\nb", "á\nb", "A B", "á b"])
    #expect(try counts(bench) == [2, 2])
    #expect(try bench.titles("shelf:\"a b\"").count == 4)
  }

  @Test(arguments: ["x", "é"])
  func `values of a facet that differ behind 64 bytes are different`(letter: String) throws {
    let long = String(repeating: letter, count: 80)
    let bench = try fixture([long + "a", long + "b", long + "b"])
    #expect(try counts(bench) == [2, 1])
    #expect(try bench.titles("shelf:\(long)a") == ["Film 0"])
    #expect(try bench.titles("shelf:\(long)B").sorted() == ["Film 1", "Film 2"])
    #expect(try bench.titles("shelf:\(long)").isEmpty)
  }

  // MARK: Keys

  @Test func `keys with words only below further keys are a field for counts, facets and sorting`() throws {
    let films = #"""
      {"title": "Up", "cast": {"people": [{"name": "Asner"}, {"name": "Docter"}]}}
      {"title": "Cars", "cast": {"people": [{"name": "Docter"}]}}
      """#
    let bench = try ShellFixture(films)
    for command in [["count", "*", "--by", "cast.people"], ["search", "*", "--facet", "cast.people"]] {
      let counted = try bench.shell.succeed(command)
      #expect(counted.output.contains("Docter"), "\(counted)")
    }
    #expect(try bench.titles("*", "--sort", "cast.people") == ["Up", "Cars"])
    #expect(try bench.shell.run("count", "*", "--by", "CAST.People").code == 0)
    // A part of a key is not a key.
    #expect(try bench.shell.run("count", "*", "--by", "cast.peop").code == 2)
    // A condition names the keys of words.
    let condition = try bench.shell.run("search", "cast.people:docter")
    #expect(condition.code == 2)
    #expect(condition.errors.hasPrefix("followspot: no field is named 'cast.people'\n"), "\(condition)")
  }

  @Test func `a store of a group without such keys does not refuse them`() throws {
    let empty = ShellFixture.empty()
    var bench = empty
    bench.shell.environment["FOLLOWSPOT_STORE"] = nil
    bench.shell.environment["XDG_CONFIG_HOME"] = bench.directory.file("settings")
    try FileManager.default.createDirectory(
      atPath: bench.directory.file("settings/followspot"), withIntermediateDirectories: true)
    let casts = ["one": #"{"people": [{"name": "Docter"}]}"#, "two": #"{"place": "Paris"}"#]
    var configuration = "[group \"all\"]\nstores = one, two\n"
    for (name, cast) in casts.sorted(by: { $0.key < $1.key }) {
      let store = bench.directory.file(name + ".store")
      configuration += "[store \"\(name)\"]\npath = \(store)\n"
      let file = try bench.directory.write(#"{"title": "Up", "cast": \#(cast)}"# + "\n", to: name + ".jsonl")
      #expect(try bench.shell.run("--store", store, "import", file, "--kind", "Film").code == 0)
      #expect(try bench.shell.run("--store", store, "index").code == 0)
    }
    _ = try bench.directory.write(configuration, to: "settings/followspot/config")
    let counted = try bench.shell.run("--store", "all", "count", "*", "--by", "cast.people")
    #expect(counted.code == 0 && counted.output.contains("Docter") && counted.errors.isEmpty, "\(counted)")
    #expect(try bench.shell.run("--store", "two", "count", "*", "--by", "cast.people").code == 2)
  }
}
