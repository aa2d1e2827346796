// SPDX-License-Identifier: MIT

import Base
import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// Answers of an index with a default definition, without its store: what they show is what the store shows.
@Suite(.overlapping, .temporaryDirectory)
struct StorelessAnswerTests {
  /// Films with directors, shelves across a table that joins, loans of copies, which have no title of their own, and values
  /// that slots do not hold.
  private static let schema = """
    CREATE TABLE director (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, year INTEGER, rating REAL, released TEXT, genre TEXT,
      director_id INTEGER REFERENCES director(id), plot TEXT);
    CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE shelf_film (shelf_id INTEGER REFERENCES shelf(id), film_id INTEGER REFERENCES film(id));
    CREATE TABLE copy (id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES film(id), price REAL);
    CREATE TABLE loan (id INTEGER PRIMARY KEY, copy_id INTEGER REFERENCES copy(id), days INTEGER);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
      INSERT INTO director SELECT i + 1, 'Director ' || char(65 + i) FROM n;
    INSERT INTO shelf VALUES (1, 'Upper shelf'), (2, 'Lower shelf');
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
      INSERT INTO film SELECT i, 'The silver film ' || i, 1950 + i % 60, i / 7.0,
        date('1990-01-01', i || ' days'), substr('comedydrama western', 1 + 6 * (i % 3), 6), 1 + i % 20,
        'A quiet river and a garden in chapter ' || i FROM n;
    INSERT INTO shelf_film SELECT 1 + id % 2, id FROM film UNION ALL SELECT 2, id FROM film WHERE id % 10 = 0;
    INSERT INTO copy SELECT id, id, id * 1.5 FROM film;
    INSERT INTO loan SELECT id, id, id % 30 FROM film;
    UPDATE film SET title = printf('%.1500c', 'x') WHERE id = 7;
    UPDATE film SET rating = 3e15 WHERE id = 9;
    UPDATE film SET genre = NULL WHERE id = 10;
    """

  private static func indexed() throws -> IndexedDatabase {
    let database = try IndexedDatabase(schema)
    try database.update()
    return database
  }

  private func searchers(_ database: IndexedDatabase) throws -> (own: Searcher, copy: Searcher) {
    (try Searcher(storePath: database.path, directory: database.index), try Searcher(copy: .directory(database.index)))
  }

  private func texts(_ hit: Hit) -> [String: String] {
    let attributes = hit.entity.entity.attributes
    let shown = attributes.indices.filter { hit.storedAttributes?.contains($0) ?? true }
    return Dictionary(
      uniqueKeysWithValues: shown.map {
        (attributes[$0].name, ValueText.plain(hit.values[$0], as: attributes[$0].type))
      })
  }

  @Test func `titles and values of all kinds equal the rows, or are missing`() throws {
    let database = try Self.indexed()
    let (own, copy) = try searchers(database)
    var request = SearchRequest(query: "*")
    request.limit = nil
    let found = Dictionary(
      uniqueKeysWithValues: try copy.search(request).hits.map { ($0.identifier.short, $0) })
    let hits = try own.search(request).hits
    #expect(hits.count == found.count)
    for hit in hits {
      let other = try #require(found[hit.identifier.short])
      let (wanted, shown) = (texts(hit), texts(other))
      for (name, text) in shown { #expect(text == wanted[name], "\(hit.identifier.short) \(name)") }
      let isLong = ["film/7", "copy/7"].contains(hit.identifier.short)
      #expect(other.title == (isLong ? "" : hit.title), "\(hit.identifier.short)")
      let lacking: Set<String> =
        switch hit.identifier.short {
        case "film/7": ["title"]
        case "film/9": ["rating"]
        default: []
        }
      if hit.entity.entity.name == "film" {
        #expect(Set(wanted.keys).subtracting(shown.keys) == lacking.union(["plot"]), "\(hit.identifier.short)")
      }
    }
    let titles = try database.writer.mapRows("SELECT id, title FROM film WHERE id <> 7") {
      ($0.text(at: 0), $0.text(at: 1))
    }
    for (id, title) in titles { #expect(found["film/" + id]?.title == title) }
  }

  @Test func `titles of what a record belongs to name it, across two references as well`() throws {
    let database = try Self.indexed()
    let copy = try searchers(database).copy
    var request = SearchRequest(query: "kind:loan")
    request.limit = nil
    let found = Dictionary(
      uniqueKeysWithValues: try copy.search(request).hits.map { ($0.identifier.short, $0.title) })
    let loans = try database.writer.mapRows(
      """
      SELECT 'loan/' || loan.id, 'loan ' || loan.id || ' · ' || title FROM loan
      JOIN copy ON copy.id = copy_id JOIN film ON film.id = film_id 
      """
    ) { ($0.text(at: 0), $0.text(at: 1)) }
    for (loan, title) in loans { #expect(found[loan] == title) }
  }

  @Test func `related fields, sections, orders, facets and corrections equal those of the store`() throws {
    let (own, copy) = try searchers(Self.indexed())
    var request = SearchRequest(query: "kind:film silver NOT year:1957 NOT year:1959")
    (request.fields, request.section, request.facets) = (["director.name"], "genre", ["genre", "year"])
    func answer(_ searcher: Searcher, _ request: SearchRequest) throws -> [String] {
      let result = try searcher.search(request)
      return [result.corrected ?? ""]
        + result.facets.map { facet in facet.field + ": " + facet.values.map { "\($0.text) \($0.count)" }.joined() }
        + result.hits.map { hit in
          let fields = request.fields.map { hit.fields[$0]?.texts.joined(separator: "; ") ?? "-" }
          return ([hit.identifier.short, hit.title, hit.section ?? "-", String(hit.score)] + fields)
            .joined(separator: "\t")
        }
    }
    for sort in ["", "title", "year,title:desc", "director.name,title", "released:desc", "genre,year"] {
      request.sort = try #require(sort.isEmpty ? [] : SearchRequest.Sort.keys(sort))
      let wanted = try answer(own, request)
      #expect(wanted.count > 20 && wanted.allSatisfy { !$0.contains("\t-") })
      #expect(try answer(copy, request) == wanted, "\(sort)")
    }
    var typo = SearchRequest(query: "silwer")
    typo.kinds = ["film"]
    #expect(try answer(copy, typo) == answer(own, typo))
    #expect(try answer(copy, typo)[0] == "silver")
  }

  @Test func `a sort key or a section that some match lacks is refused`() throws {
    let copy = try searchers(Self.indexed()).copy
    func message(_ change: (inout SearchRequest) -> Void) throws -> String? {
      var request = SearchRequest(query: "kind:film")
      request.limit = nil
      change(&request)
      do {
        _ = try copy.search(request)
        return nil
      } catch let error as OperationError {
        return String(describing: error)
      }
    }
    #expect(
      try message { $0.sort = SearchRequest.Sort.keys("year,title")! }?.contains("does not store 'title'") == true)
    #expect(try message { $0.section = "rating" }?.contains("does not store 'rating'") == true)
    // What a third table joins has no slot.
    #expect(try message { $0.fields = ["shelf.name"] }?.contains("does not store 'shelf.name'") == true)
    #expect(try message { $0.section = "plot" }?.contains("does not store 'plot'") == true)
    #expect(try message { $0.fields = ["plot"] }?.contains("does not store 'plot'") == true)
    #expect(try message { ($0.section, $0.query) = ("rating", "kind:film title:12") } == nil)
    #expect(try message { $0.section = "genre" } == nil)
  }

  @Test func `suggestions and explanations name records without the store`() throws {
    let (own, copy) = try searchers(Self.indexed())
    for typed in ["the silver film 11", "direc", "genre:dra", "upper"] {
      let request = SearchRequest(query: typed)
      let wanted = try own.suggestions(for: request).suggestions
      #expect(!wanted.isEmpty, "\(typed)")
      #expect(try copy.suggestions(for: request).suggestions.map(\.text) == wanted.map(\.text), "\(typed)")
    }
    let record = try #require(try copy.record(named: "film/12"))
    let explained = try #require(try copy.explain(record, SearchRequest(query: "silver garden")))
    #expect(explained.title == "The silver film 12" && explained.verdict == .matches)
  }

  @Test(arguments: Rounds.seeds(6, full: 16, long: 400))
  func `no value and no title of a random database is wrong`(_ seed: Int) throws {
    let database = try IndexedDatabase()
    var schema = try RandomSchema(seed: seed, database.writer)
    var request = SearchRequest(query: "*")
    (request.limit, request.isIndexOnly) = (nil, true)
    for round in 0..<3 {
      for _ in 0..<12 { try schema.step() }
      for _ in 0..<2 { try database.update() }
      let (own, copy) = try searchers(database)
      let (hits, others) = (try own.search(request).hits, try copy.search(request).hits)
      #expect(hits.count == others.count, "seed \(seed), round \(round)")
      for (hit, other) in zip(hits, others) {
        let (wanted, shown) = (texts(hit), texts(other))
        for (name, text) in shown {
          #expect(text == wanted[name], "\(hit.identifier.short) \(name), seed \(seed), round \(round)")
        }
        #expect(
          other.title == hit.title || other.title.isEmpty, "\(hit.identifier.short), seed \(seed), round \(round)")
      }
    }
  }

  @Test(arguments: Rounds.seeds(3, full: 6, long: 200))
  func `titles of a random library and of what its books refer to are those of the store`(_ seed: Int) throws {
    let database = try IndexedDatabase()
    var library = try RandomLibrary(seed: seed, database.writer)
    for _ in 0..<10 { try library.step() }
    try database.update()
    let (own, copy) = try searchers(database)
    var request = SearchRequest(query: "kind:books")
    (request.limit, request.fields) = (nil, ["author.name"].filter(own.hasField))
    func answer(_ searcher: Searcher) throws -> [String] {
      try searcher.search(request).hits.map { hit in
        "\(hit.title): \(request.fields.map { hit.fields[$0]?.texts ?? ["-"] })"
      }
    }
    #expect(try answer(copy) == answer(own), "seed \(seed)")
  }

  // MARK: The definition

  @Test func `an index with an earlier default definition is not rebuilt, and gets the fields with its next rebuild`()
    throws
  {
    let database = try Self.indexed()
    var state = try searchers(database).own.index.state
    let inferred = state.definition
    let stored = inferred.entities.mapValues { $0.fields.filter { $0.roles.contains(.stored) }.map(\.name) }
    #expect(stored.filter { !$0.value.isEmpty } == ["loan": ["copy.film.title"]])
    for (name, entity) in inferred.entities {
      for index in entity.fields.indices { state.definition.entities[name]?.fields[index].roles.remove(.stored) }
    }
    let earlier = state.definition
    let model = try StoreFile.open(database.path).layout.shape
    #expect(earlier != inferred && earlier.isInferred(from: model) && earlier.storingTitles(in: model) == inferred)
  }
}
