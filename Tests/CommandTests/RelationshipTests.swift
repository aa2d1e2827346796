// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Relationships on the command line: `import`, `set`, `delete`, `show` and `search`.
@Suite(.overlapping, .temporaryDirectory)
struct RelationshipTests {
  private static func outcome(token: Int, inserted: Int = 0, updated: Int = 0, skipped: Int = 0) -> String {
    "{\"token\":\(token),\"inserted\":\(inserted),\"updated\":\(updated),\"deleted\":0,\"skipped\":\(skipped)}\n"
  }

  /// The lines of a record without the titles of related ones.
  private func shown(_ identifier: String, _ bench: ShellFixture) throws -> String {
    let lines = try bench.shell.run("show", identifier).output.split(separator: "\n").dropFirst()
    return lines.joined(separator: "|").replacing(/\s\([^)]*\)/, with: "")
  }

  @Test func `imported records name related objects by their identifiers`() throws {
    let bench = try ShellFixture.relatedFilms(isIndexed: false)
    #expect(try shown("Film/p1", bench) == "title: Toy Story|year: 1995|studio: Studio/p1|cast: Star/p2; Person/p1")
    #expect(try shown("Film/p2", bench) == "title: Ponyo|year: |studio: |cast: Star/p2")
    #expect(try shown("Person/p2", bench) == "name: Tom|agent: CAA|films: Film/p1; Film/p2")
    let table = try bench.importRecords(
      "title,studio,cast\nUp,Studio/p1,\"[\"\"Person/p1\"\"]\"\nCars,,\n", as: "films.csv", options: ["--kind", "Film"])
    #expect(table.output == Self.outcome(token: 5, inserted: 2), "\(table)")
    #expect(try shown("Film/p3", bench) == "title: Up|year: |studio: Studio/p1|cast: Person/p1")
    #expect(try shown("Film/p4", bench) == "title: Cars|year: |studio: |cast: ")
  }

  @Test(arguments: [
    (#""studio": "Studio/p9""#, "studio: there is no Studio/p9"),
    (#""studio": "Nothing/p1""#, "studio: there is no Nothing/p1"),
    (#""studio": "Pixar""#, "studio takes an identifier such as Studio/p1"),
    (#""studio": 5"#, "studio takes an identifier such as Studio/p1"),
    (#""studio": ["Studio/p1", "Studio/p2"]"#, "Film.studio leads to one object at most"),
    (#""studio": "Person/p1""#, "Film.studio leads to objects of Studio only"),
    (#""cast": ["Person/p1", "Studio/p1"]"#, "Film.cast leads to objects of Person only"),
    (#""cast": ["Person/p1", "Person/p1"]"#, "Film.cast cannot lead to one object twice"),
    (#""cast": [1]"#, #"cast takes identifiers such as ["Person/p1"]"#),
    (
      #""studio": "x-coredata://00000000-0000-4000-8000-000000000000/Studio/p1""#,
      "studio: x-coredata://00000000-0000-4000-8000-000000000000/Studio/p1 belongs to another store"
    ),
  ])
  func `a record that names an object that does not exist or fit is an invalid line`(_ field: String, _ reason: String)
    throws
  {
    let bench = try ShellFixture.relatedFilms(isIndexed: false)
    let records = "{\"title\": \"Good\"}\n{\"title\": \"Bad\", \(field)}\n{\"title\": \"Late\"}\n"
    let refused = try bench.importRecords(records, options: ["--kind", "Film"])
    #expect(refused.code == 2)
    #expect(refused.errors.hasPrefix("followspot: line 2: \(reason)\n"), "\(refused)")
    #expect(try bench.newest() == 4)
    let skipped = try bench.importRecords(records, options: ["--kind", "Film", "--skip-bad"])
    #expect(skipped.output == Self.outcome(token: 5, inserted: 2, skipped: 1))
    #expect(skipped.errors == "followspot: line 2: \(reason)\n")
  }

  @Test func `a record with an existing key updates relationships too, and an equal record is skipped`() throws {
    let bench = ShellFixture.empty()
    let model = RelatedFilms.model.replacing(
      #"{"name": "title", "type": "string"}"#,
      with: #"{"name": "title", "type": "string", "options": ["unique", "preserveValueOnDeletion"]}"#)
    try #require(try bench.shell.run("migrate", try bench.directory.write(model, to: "model.json")).code == 0)
    try bench.importRecords("{\"name\": \"Pixar\"}\n", options: ["--kind", "Studio"])
    try bench.importRecords("{\"title\": \"Up\"}\n", options: ["--kind", "Film"])
    func again(_ record: String) throws -> String {
      try bench.importRecords(record, options: ["--kind", "Film", "--key", "title"]).output
    }
    #expect(try again(#"{"title": "Up", "studio": "Studio/p1"}"#) == Self.outcome(token: 3, updated: 1))
    #expect(try again(#"{"title": "Up", "studio": "Studio/p1"}"#) == Self.outcome(token: 3, skipped: 1))
    #expect(try shown("Studio/p1", bench) == "name: Pixar|films: Film/p1")
  }

  @Test func `import adds missing attributes and entities to a store`() throws {
    let bench = try ShellFixture.relatedFilms()
    let more = try bench.importRecords(
      "{\"title\": \"Up\", \"rating\": 8.2, \"studio\": \"Studio/p1\"}\n", options: ["--kind", "Film"])
    // The migration is its own transaction.
    #expect(more.output == Self.outcome(token: 6, inserted: 1), "\(more)")
    #expect(
      try shown("Film/p1", bench) == "title: Toy Story|year: 1995|rating: |studio: Studio/p1|cast: Star/p2; Person/p1")
    #expect(try shown("Film/p3", bench) == "title: Up|year: |rating: 8.2|studio: Studio/p1|cast: ")
    let awards = try bench.importRecords("{\"award\": \"Oscar\"}\n", options: ["--kind", "Award"])
    #expect(awards.output == Self.outcome(token: 8, inserted: 1), "\(awards)")
    #expect(try shown("Award/p1", bench) == "award: Oscar")
    #expect(try shown("Person/p2", bench) == "name: Tom|agent: CAA|films: Film/p1; Film/p2")
    #expect(try bench.shell.run("index").code == 0)
    try bench.expectEqual()
    #expect(try bench.titles("studio:pixar").sorted() == ["Toy Story", "Up"])
  }

  @Test(arguments: ["rating", "name"])
  func `an invalid key is refused before the store is extended`(_ key: String) throws {
    let bench = try ShellFixture.relatedFilms(isIndexed: false)
    let refused = try bench.importRecords(
      "{\"title\": \"Up\", \"rating\": 8.2}\n", options: ["--kind", "Film", "--key", key])
    #expect(refused.code == 2)
    #expect(refused.errors.hasPrefix("followspot: the key '\(key)' is not an attribute of Film"))
    #expect(try bench.newest() == 4)
    #expect(try !bench.shell.run("schema").output.contains("rating"))
  }

  @Test func `set changes relationships and the documents of both ends`() throws {
    let bench = try ShellFixture.relatedFilms()
    // The documents of the film and of the studio, which has one film more.
    let set = try bench.shell.run("set", "Film/p2", "studio=Studio/p2", "year=2008")
    #expect(set.output == Self.outcome(token: 5, updated: 2), "\(set)")
    let cast = try bench.shell.run("set", "Film/p2", "cast:=[\"Person/p1\", \"Star/p2\"]")
    #expect(cast.output == Self.outcome(token: 6, updated: 2), "\(cast)")
    #expect(try shown("Film/p2", bench) == "title: Ponyo|year: 2008|studio: Studio/p2|cast: Person/p1; Star/p2")
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.titles("studio:ghibli cast:ann") == ["Ponyo"])
    #expect(try bench.shell.run("set", "Studio/p2", "name=Toei").code == 0)
    #expect(try bench.shell.run("set", "studio:ghibli", "studio:=null").code == 1)
    let gone = try bench.shell.run("set", "studio:toei", "studio:=null")
    #expect(gone.output == Self.outcome(token: 8, updated: 2), "\(gone)")
    let same = try bench.shell.run("set", "Film/p2", "studio:=null")
    #expect(same.output == Self.outcome(token: 8, skipped: 1), "\(same)")
    #expect(try bench.shell.run("index").code == 0)
    try bench.expectEqual(documents: 4)
    #expect(try bench.shell.run("count", "studio:toei").output == "0\n")
  }

  @Test(arguments: [
    ["studio=Studio/p7", "studio: there is no Studio/p7"],
    ["studio=Person/p1", "Film.studio leads to objects of Studio only"],
    ["studio:=5", "studio takes an identifier such as Studio/p1"],
    ["cast:=[5]", #"cast takes identifiers such as ["Person/p1"]"#],
    ["studio:=[\"Studio/p1\", \"Studio/p2\"]", "Film.studio leads to one object at most"],
    ["stduio=Studio/p1", "Film has no attribute 'stduio'; nothing was changed"],
  ])
  func `an invalid value of a relationship is refused, and nothing changes`(_ words: [String]) throws {
    let bench = try ShellFixture.relatedFilms(isIndexed: false)
    let refused = try bench.shell.run("set", "Film/p1", "title=Changed", words[0])
    #expect(refused.code == 2)
    #expect(refused.output == "")
    #expect(refused.errors.hasPrefix("followspot: \(words[1])\n"), "\(refused)")
    #expect(try bench.newest() == 4)
    #expect(try shown("Film/p1", bench).hasPrefix("title: Toy Story|"))
  }

  @Test func `a deny rule refuses a delete, with a hint`() throws {
    let bench = try ShellFixture.relatedFilms(isIndexed: false)
    let refused = try bench.shell.run("delete", "Studio/p1")
    #expect(refused.code == 2)
    #expect(refused.output == "")
    #expect(
      refused.errors == """
        followspot: Studio/p1 cannot be deleted: its films still holds Film/p1
        hint: delete the objects that it refers to first, or in the same save

        """)
    #expect(try bench.newest() == 4)
    #expect(try bench.shell.run("delete", "Studio/p1", "Film/p1", "--yes").code == 0)
    #expect(try shown("Person/p1", bench) == "name: Ann|films: ")
  }

  @Test func `hits are shown, sorted and counted by fields of related objects`() throws {
    let bench = try ShellFixture.relatedFilms()
    #expect(try bench.shell.run("set", "Film/p1", "studio=Studio/p2").code == 0)
    func search(_ options: String...) throws -> String {
      try bench.shell.run(["search", "*", "--kind", "Film"] + options).output
    }
    #expect(
      try search("--fields", "title,STUDIO,cast", "--format", "tsv", "--sort", "studio")
        == "Toy Story\tGhibli\tTom; Ann\nPonyo\t\tTom\n")
    let lines = try search("--fields", "studio,cast", "--format", "ndjson", "--sort", "title:desc").split(
      separator: "\n")
    #expect(lines.first?.hasSuffix(#""fields":{"studio":"Ghibli","cast":["Tom","Ann"]}}"#) == true)
    #expect(lines.last?.hasSuffix(#""fields":{"studio":null,"cast":["Tom"]}}"#) == true)
    #expect(try bench.shell.run("count", "kind:film", "--by", "cast").lines == ["2\tTom", "1\tAnn"])
  }

  @Test func `show prints related objects and the objects that the document depends on`() throws {
    let bench = try ShellFixture.relatedFilms()
    #expect(try bench.shell.run("set", "Film/p1", "studio=Studio/p2").code == 0)
    let text = try bench.shell.run("show", "Film/p1", "--deps").output
    #expect(
      text.split(separator: "\n").dropFirst().joined(separator: "|")
        == "title: Toy Story|year: 1995|studio: Studio/p2 (Ghibli)|cast: Star/p2 (Tom); Person/p1 (Ann)"
        + "|deps: Studio/p2\tstudio.name\tnot indexed yet|deps: Star/p2\tcast.name\tindexed"
        + "|deps: Person/p1\tcast.name\tindexed")
    #expect(try bench.shell.run("index").code == 0)
    let line = neutral(try bench.shell.run("show", "Film/p1", "--deps", "--format", "ndjson").output)
    let record = #"""
      {"id":"x-coredata://UUID/Film/p1","entity":"Film","fields":{"title":"Toy Story","year":1995},\#
      "related":{"studio":"x-coredata://UUID/Studio/p2",\#
      "cast":["x-coredata://UUID/Star/p2","x-coredata://UUID/Person/p1"]},\#
      "deps":[{"id":"x-coredata://UUID/Studio/p2","path":"studio.name","indexed":true},\#
      {"id":"x-coredata://UUID/Star/p2","path":"cast.name","indexed":true},\#
      {"id":"x-coredata://UUID/Person/p1","path":"cast.name","indexed":true}]}
      """#
    #expect(line == record + "\n")
    let json = neutral(try bench.shell.run("show", "Film/p1", "--deps", "--format", "json").output)
    #expect(json == "{\"format\":2,\"records\":[\(record)]}\n")
    let plain = neutral(try bench.shell.run("show", "Film/p2", "--format", "ndjson").output)
    #expect(
      plain == #"{"id":"x-coredata://UUID/Film/p2","entity":"Film","fields":{"title":"Ponyo","year":null},"#
        + #""related":{"studio":null,"cast":["x-coredata://UUID/Star/p2"]}}"# + "\n")
  }

  @Test func `a kind also finds the records of its sub-entities`() throws {
    let bench = try ShellFixture.relatedFilms()
    func found(_ words: String...) throws -> [String] {
      try bench.shell.run(["search", "--format", "tsv", "--fields", "@entity,name"] + words).lines.sorted()
    }
    #expect(try found("kind:person") == ["Person\tAnn", "Star\tTom"])
    #expect(try found("kind:star") == ["Star\tTom"])
    #expect(try found("--kind", "Person", "tom") == ["Star\tTom"])
    #expect(try found("--kind", "Star", "ann") == [])
    #expect(try bench.shell.run("count", "kind:person").output == "2\n")
    #expect(try shown("Person/p2", bench) == "name: Tom|agent: CAA|films: Film/p1; Film/p2")
    #expect(try bench.shell.run("show", "Star/p1").code == 1)
  }
}
