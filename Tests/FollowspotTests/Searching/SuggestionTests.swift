// SPDX-License-Identifier: MIT

import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

@testable import Followspot

@Suite(.overlapping, .temporaryDirectory)
struct SuggestionTests {
  private static let definition = IndexDefinition(
    language: "english", stopWords: ["the", "a"],
    entities: [
      "Film": EntityDefinition(
        title: ["title"],
        fields: [
          FieldDefinition(name: "title", roles: [.text]),
          FieldDefinition(name: "director", path: "plot", roles: [.text, .facet]),
        ])
    ])

  private static let films: [(String, String?)] = [
    ("Godzilla versus the World", "Tom Tykwer"), ("The Godfather", "Tom Hooper"), ("God", "Tom Hooper"),
    ("Godot", "Thomas Godfrey"),
    ("The Godmother", nil), ("Tomorrow", "Gödel \"Kurt\""), ("A Tomb", "Tom Hooper"), ("Godly Words of God", "god"),
  ]

  private func suggested(_ titles: Titles, _ text: String) throws -> [String] {
    try titles.searcher.suggestions(for: SearchRequest(query: text)).suggestions.map(\.text)
  }

  @Test(arguments: [
    // Titles by their prefix, even without the article; values by their counts; words.
    ("god", ["God", "Godot", "The Godfather", "The Godmother", "Godly Words of God", "Gödel \"Kurt\"", "godel"]),
    ("the godf", ["The Godfather", "the godfrey"]),
    ("tom", ["A Tomb", "Tomorrow", "Tom Hooper", "Tom Tykwer", "tom", "tomb"]),
    ("tom h", ["Tom Hooper"]),
    // After a field its values, quoted if they contain spaces.
    ("director:tom", ["director:\"Tom Hooper\"", "director:\"Tom Tykwer\"", "director:tom"]),
    ("director:\"tom h", ["director:\"Tom Hooper\""]),
    ("old director:god", ["old director:god", "old director:\"Gödel Kurt\""]),
    ("director:\"gödel ", ["director:\"Gödel Kurt\""]), ("title:godo", ["title:godot"]),
  ])
  func `whole titles and values are suggested before words`(_ text: String, _ first: [String]) throws {
    let titles = try Titles(Self.films, definition: Self.definition)
    let found = try suggested(titles, text)
    #expect(Array(found.prefix(first.count)) == first, "\(found)")
  }

  @Test func `a value of a facet is suggested as long as a record has it`() throws {
    let titles = try Titles(Self.films, definition: Self.definition)
    let (store, film) = (titles.bench.store, titles.bench.film)
    try store.save { save in try save.update(film, key: 1, [(attribute: 1, value: .text("Tim Burton"))]) }
    #expect(
      try suggested(titles, "director:t").prefix(4) == [
        "director:\"Tom Hooper\"", "director:\"Thomas Godfrey\"", "director:\"Tim Burton\"", "director:tom",
      ])
  }
}
