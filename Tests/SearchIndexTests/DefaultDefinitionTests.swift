// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SearchIndex

struct DefaultDefinitionTests {
  private static func shape(_ name: String, _ kind: AttributeShape.Kind, spotlight: Bool = false) -> AttributeShape {
    AttributeShape(name: name, kind: kind, isSpotlight: spotlight)
  }

  /// An entity as lines: the title, then `name=path roles weight` for each field.
  private static func lines(_ attributes: [AttributeShape]) throws -> [String] {
    let entity = try #require(
      IndexDefinition.standard(for: ["Movie": EntityShape(attributes: attributes)]).entities["Movie"])
    return ["title \(entity.title.first ?? "-")"]
      + entity.fields.map { field in
        let roles = field.roles.map(\.rawValue).sorted().joined(separator: ",")
        return "\(field.name)=\(field.path) \(roles) \(field.weight)"
      }
  }

  @Test func `the rules and stop words are part of the program`() {
    let rules = DefaultRules.embedded
    #expect(rules.language == "english")
    #expect(
      rules.titles.names.prefix(6) == ["title", "name", "headline", "subject", "caption", "label"])
    #expect(rules.titleWeight == 5)
    #expect(rules.identifierTitleWeight == 2)
    #expect(rules.textWeight == 1)
    let words = DefaultRules.stopWords
    #expect(words.count == 120)
    #expect(Set(words).count == words.count)
    #expect(words.contains("the") && words.contains("of"))
    #expect(words.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty && !$0.contains(" ") })
  }

  @Test func `without marked attributes, all texts, arrays and JSON values are searchable`() throws {
    #expect(
      try Self.lines([
        Self.shape("title", .text), Self.shape("plot", .text), Self.shape("genres", .strings),
        Self.shape("people", .json), Self.shape("rating", .number), Self.shape("released", .date),
        Self.shape("isFavorite", .boolean), Self.shape("poster", .other),
      ]) == [
        "title title", "genres=genres facet,text 1", "isFavorite=isFavorite flag 1", "people=people text 1",
        "plot=plot text 1", "rating=rating number 1", "released=released date 1", "title=title text 5",
      ])
  }

  @Test func `if attributes are marked for search, only they are searchable`() throws {
    #expect(
      try Self.lines([
        Self.shape("title", .text), Self.shape("plot", .text, spotlight: true), Self.shape("genres", .strings),
        Self.shape("rating", .number),
      ]) == ["title -", "plot=plot text 1", "rating=rating number 1"])
  }

  @Test(arguments: [
    (["name", "title"], "title"), (["headline", "Name"], "Name"), (["fullname"], "fullname"), (["plot"], "-"),
    (["DISPLAYNAME", "label"], "label"), (["display_name"], "display_name"), (["movie_title", "plot"], "movie_title"),
    (["recipe_name"], "recipe_name"), (["MovieName", "title"], "title"),
  ])
  func `the title is the first of the usual names that exists`(_ names: [String], _ title: String) throws {
    let lines = try Self.lines(names.map { Self.shape($0, .text) })
    #expect(lines[0] == "title \(title)")
    #expect(lines.filter { $0.hasSuffix(" 5") }.count == (title == "-" ? 0 : 1))
  }

  @Test func `an array cannot be a title`() throws {
    #expect(try Self.lines([Self.shape("title", .strings)]) == ["title -", "title=title facet,text 1"])
  }

  @Test func `names that differ only in case get numbers, and the title refers to its field`() throws {
    #expect(
      try Self.lines([Self.shape("title", .text), Self.shape("Title", .text), Self.shape("TITLE", .number)]) == [
        "title title_3", "TITLE=TITLE number 1", "Title_2=Title text 1", "title_3=title text 5",
      ])
  }

  @Test func `reserved names of the query language get a number`() throws {
    #expect(
      try Self.lines([Self.shape("kind", .text), Self.shape("Is", .boolean)]) == [
        "title -", "Is_2=Is flag 1", "kind_2=kind text 1",
      ])
  }

  @Test func `an extended definition keeps its fields and adds those of new attributes and entities`() throws {
    func model(_ attributes: [AttributeShape]) -> ModelShape { ["Movie": EntityShape(attributes: attributes)] }
    let before = [Self.shape("plot", .text), Self.shape("year", .number)]
    let standard = IndexDefinition.standard(for: model(before))
    #expect(standard.grown(to: model(before)) == standard)
    // Marks change the default definition, but existing fields stay.
    let added = [Self.shape("PLOT", .text, spotlight: true), Self.shape("title", .text, spotlight: true)]
    var larger = model(before + added)
    larger["Person"] = EntityShape(attributes: [Self.shape("name", .text)])
    let grown = standard.grown(to: larger)
    #expect(grown.entities["Person"] == IndexDefinition.standard(for: larger).entities["Person"])
    let fields = grown.entities["Movie"]?.fields.map { "\($0.name)=\($0.path)" }
    #expect(fields == ["plot=plot", "year=year", "PLOT_2=PLOT", "title=title"])
    #expect(grown.entities["Movie"]?.title == ["title"])
    try grown.validate(against: larger)
  }

  @Test(arguments: [
    ["title"], ["title", "Title"], ["kind", "is", "IS"], ["kind", "kind_2"], ["a.b", "a", "A"], ["日本", "é", "É"], [],
  ])
  func `the default definition follows its own rules`(_ names: [String]) throws {
    let model: ModelShape = ["Movie": EntityShape(attributes: names.map { Self.shape($0, .text) })]
    let standard = IndexDefinition.standard(for: model)
    let read = try IndexDefinition(json: Data(try standard.encoded().utf8))
    #expect(read == standard)
    try read.validate(against: model)
  }
}
