// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// `migrate`.
@Suite(.overlapping, .temporaryDirectory)
struct MigrateTests {
  private static func outcome(
    token: Int?, added: String = "", removed: String = "", renamed: String = "", changed: String = "",
    isDryRun: Bool = false
  ) -> String {
    let number = token.map { String($0) } ?? "null"
    return "{\"token\":\(number),\"added\":[\(added)],\"removed\":[\(removed)],\"renamed\":[\(renamed)],"
      + "\"changed\":[\(changed)],\"dryRun\":\(isDryRun)}\n"
  }

  @Test func `a store is created from a model, once`() throws {
    let bench = ShellFixture.empty()
    let model = try bench.directory.write(RelatedFilms.model, to: "model.json")
    let added = #""Film","Person","Star","Studio""#
    let told = try bench.shell.run("migrate", model, "--dry-run")
    #expect(told.output == Self.outcome(token: nil, added: added, isDryRun: true), "\(told)")
    #expect(try bench.shell.run("schema").code == 3)
    #expect(try bench.shell.run("migrate", model).output == Self.outcome(token: nil, added: added))
    #expect(try bench.shell.run("migrate", model).output == Self.outcome(token: nil))
    #expect(try bench.newest() == 0)
  }

  private static let edits: KeyValuePairs = [
    "\"name\" : \"title\",": "\"name\" : \"label\", \"originalName\" : \"title\",",
    "\"name\" : \"Studio\"": "\"name\" : \"House\", \"originalName\" : \"Studio\"",
    "\"destination\" : \"Studio\"": "\"destination\" : \"House\"",
  ]
  private static let renamed = #""Studio → House","Film.title → label""#

  @Test func `a dry run prints the changes that the migration then makes`() throws {
    let bench = try ShellFixture.relatedFilms()
    let before = try bench.shell.run("show", "Film/p1", "Studio/p1").output
    let told = try bench.migrate(Self.edits, "--dry-run")
    #expect(told.output == Self.outcome(token: 5, renamed: Self.renamed, isDryRun: true), "\(told)")
    #expect(try bench.shell.run("show", "Film/p1", "Studio/p1").output == before)
    #expect(try bench.newest() == 4)
    let done = try bench.migrate(Self.edits)
    #expect(done.output == Self.outcome(token: 5, renamed: Self.renamed), "\(done)")
    let after = try bench.shell.run("show", "Film/p1", "House/p1").output
    #expect(after == before.replacing("title:", with: "label:").replacing("Studio/", with: "House/"))
    // The definition in the index uses the new names.
    #expect(try bench.shell.run("index").code == 0)
    try bench.expectEqual(documents: 4)
    #expect(
      try bench.shell.run("search", "title:toy studio:pixar", "--fields", "label", "--format", "tsv").lines == [
        "Toy Story"
      ])
    let history = try bench.shell.run("history", "--after", "4", "--format", "ndjson").output
    #expect(history.contains("com.apple.coredata.schemamigrator"))
  }

  @Test func `properties that keep their name but change are reported`() throws {
    let bench = try ShellFixture.relatedFilms()
    let told = try bench.migrate(["\"name\" : \"agent\",": "\"name\" : \"agent\", \"options\" : [\"spotlight\"],"])
    #expect(told.output == Self.outcome(token: 5, changed: "\"Star.agent\""), "\(told)")
  }

  @Test func `a running follower continues through a migration`() throws {
    let bench = try ShellFixture.relatedFilms()
    let follower = try bench.follow()
    let pid = follower.pid
    #expect(try bench.shell.run("set", "Film/p2", "studio=Studio/p2").code == 0)
    let migrated = try bench.migrate(Self.edits)
    #expect(migrated.code == 0, "\(migrated)")
    #expect(try bench.shell.run("set", "House/p2", "name=Toei").code == 0)
    let waited = try bench.shell.run("wait", "--timeout", "60s")
    #expect(waited.code == 0, "\(waited) \(follower.errors)")
    #expect(follower.isRunning)
    #expect(follower.pid == pid)
    try bench.expectEqual(documents: 4)
    #expect(try bench.shell.run("count", "title:ponyo studio:toei").output == "1\n")
    // A change that is not visible in any table is detected too.
    #expect(
      try bench.migrate(["\"name\" : \"agent\",": "\"name\" : \"agent\", \"options\" : [\"spotlight\"],"]).code == 0)
    #expect(try bench.shell.run("set", "House/p2", "name=Shochiku").code == 0)
    #expect(try bench.shell.run("wait", "--timeout", "60s").code == 0)
    try bench.expectEqual(documents: 4)
    bench.stop(follower)
  }

  @Test(arguments: [
    (
      ["\"type\" : \"integer64\"": "\"type\" : \"integer16\""], "Film.year: integer64 cannot become integer16 by itself"
    ),
    (["\"type\" : \"integer64\"": "\"type\" : \"number\""], "is not a model: model.entities[0].attributes[1].type: "),
    (["\"destination\" : \"Studio\"": "\"destination\" : \"House\""], "Film.studio: there is no entity House"),
    (
      ["\"attributes\"": "\"atributes\""],
      "is not a model: model.entities[0].atributes: no such key; valid keys are name, superentity, originalName, attributes, "
    ),
    (
      ["\"optional\" : true": "\"optinal\" : true"],
      "is not a model: model.entities[0].attributes[1].optinal: no such key"
    ),
    (["\"inverse\"": "\"invers\""], "is not a model: model.entities[0].relationships[0].invers: no such key"),
    (
      ["\"toMany\" : true": "\"toMany\" : 1"],
      "is not a model: model.entities[0].relationships[1].toMany: true or false is needed"
    ),
  ])
  func `an impossible migration is refused with its reason, and nothing changes`(
    _ edit: [String: String], _ message: String
  ) throws {
    let bench = try ShellFixture.relatedFilms(isIndexed: false)
    let model = try bench.shell.run("schema").output
    let edited = edit.reduce(model) { $0.replacing($1.key, with: $1.value) }
    try #require(edited != model)
    let refused = try bench.shell.run("migrate", try bench.directory.write(edited, to: "edited.json"))
    #expect(refused.code == 2, "\(refused)")
    #expect(refused.output == "")
    #expect(refused.errors.contains(message), "\(refused)")
    #expect(try bench.shell.run("schema").output == model)
    #expect(try bench.newest() == 4)
  }

  @Test func `a file that is not a model is refused`() throws {
    let bench = ShellFixture.empty()
    for text in ["", "[]", "{}", "{\"entities\": []}", "{\"entities\": [{\"name\": \"1\", \"attributes\": []}]}"] {
      let refused = try bench.shell.run("migrate", try bench.directory.write(text, to: "model.json"))
      #expect(refused.code == 2, "\(text): \(refused)")
      #expect(refused.output == "")
    }
    #expect(try bench.shell.run("migrate").code == 2)
    #expect(try bench.shell.run("migrate", "missing.json").code == 2)
    #expect(try bench.shell.run("schema").code == 3)
  }
}
