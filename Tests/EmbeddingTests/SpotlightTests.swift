// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// The program `followspot` on a store that a SwiftData program writes.
@Suite(.overlapping, .temporaryDirectory)
struct SpotlightTests {
  @Test func `a search covers the attributes marked spotlight, and does not find deleted objects`() async throws {
    let cinema = try Cinema()
    let shell = cinema.shell
    let pixar = Studio(name: "Pixar")
    let film = Film("Toy Story", year: 1995, tags: ["cowboy"], remark: "rented", studio: pixar)
    try cinema.save(film, Film("Up", year: 2009, tags: ["balloon"]))
    #expect(try shell.run("index").code == 0)
    func found(_ query: String) throws -> [String] {
      try shell.run("search", "--format", "ids", "--", query).lines
    }
    let identifier = film.persistentModelID.uriRepresentation
    #expect(try found("toy") == [identifier])
    #expect(try found("cowboys") == [identifier])
    // The film has the marked name of its studio.
    #expect(try found("pixar") == [pixar.persistentModelID.uriRepresentation, identifier])
    // No document contains its words. Numbers and flags can still be searched as ranges.
    #expect(try found("rented") == [])
    #expect(try found("year:1990..1999") == [identifier])
    #expect(try found("is:isSeen") == [])
    try cinema.expectEqual(documents: 3)

    film.isSeen = true
    try cinema.context.save()
    #expect(try shell.run("index").code == 0)
    #expect(try found("is:seen") == [identifier])

    cinema.context.delete(film)
    try cinema.context.save()
    #expect(try shell.run("index").code == 0)
    #expect(try found("toy") == [])
    #expect(try shell.run("show", "Film/p1").code == 1)
    #expect(try shell.run("count", "*").output == "2\n")
    try cinema.expectEqual(documents: 2)
    let history = try shell.run("history", "--format", "json")
    #expect(history.output.contains("Toy Story"), "\(history)")
  }

  @Test func `a search covers all texts of an entity without spotlight attributes`() async throws {
    let directory = TemporaryDirectory()
    let store = URL(fileURLWithPath: directory.file("films.store"))
    let context = ModelContext(try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: store)))
    context.insert(Note(heading: "Monday", body: "Milk and flour", marks: ["kitchen"]))
    try context.save()
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    for word in ["monday", "flour", "kitchen"] { #expect(try shell.run("count", word).output == "1\n") }
  }
}

@Model final class Note {
  var heading: String
  var body: String
  var marks: [String]

  init(heading: String, body: String, marks: [String]) {
    self.heading = heading
    self.body = body
    self.marks = marks
  }
}
