// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import TestSupport
import Testing

/// Which column names the records of a table, if none is called a name or a title.
@Suite(.temporaryDirectory) struct ChosenTitleTests {
  /// The titles of the records of the first table.
  private func titles(_ schema: String) throws -> [String?] {
    let database = try IndexedDatabase(schema)
    try database.update()
    return try database.search("kind:thing").hits.map(\.title)
  }

  @Test func `a column that is called like its table names the records`() throws {
    let found = try titles(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, remark TEXT, thing TEXT);
      INSERT INTO thing VALUES(1, 'worn but whole', 'Lamp'), (2, 'fine as new', 'Desk');
      """)
    #expect(found == ["Lamp", "Desk"])
  }

  @Test func `a street with a number comes before the city`() throws {
    let found = try titles(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, line_1 TEXT, city TEXT);
      INSERT INTO thing VALUES(1, '1926 Gingoog Street', 'Sisilia'), (2, '25518 Ortiz Centers', 'West Stacy');
      """)
    #expect(found == ["1926 Gingoog Street", "25518 Ortiz Centers"])
  }

  @Test func `hexadecimal digits and dates are no titles of what belongs to a record`() throws {
    let found = try titles(
      """
      CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO owner VALUES(1, 'Ann'), (2, 'Bob');
      CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO place VALUES(1, 'Ulm'), (2, 'Kiel');
      CREATE TABLE thing(id INTEGER PRIMARY KEY, hash TEXT, day_text TEXT, owner_id INTEGER REFERENCES owner,
        place_id INTEGER REFERENCES place);
      INSERT INTO thing VALUES(1, 'ffaabbccddeeffaabb', '2024-05-01 at noon', 1, 2),
        (2, 'aabbccddeeffaabbcc', '2024-06-01 at night', 2, 1);
      """)
    #expect(found == ["Ann · Kiel", "Bob · Ulm"])
  }

  @Test func `the remark of an event names it before who made it`() throws {
    let found = try titles(
      """
      CREATE TABLE owner(id INTEGER PRIMARY KEY, login TEXT); INSERT INTO owner VALUES(1, 'ann');
      CREATE TABLE branch(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO branch VALUES(1, 'trunk');
      CREATE TABLE thing(id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner, branch_id INTEGER REFERENCES branch,
        comment TEXT);
      INSERT INTO thing VALUES(1, 1, 1, 'Do not lose the last row of a page when it is split'), (2, 1, 1, 'Add a test');
      """)
    #expect(found == ["Do not lose the last row of a page when it is split", "Add a test"])
  }

  @Test func `a record of a record without a title is called by what that one belongs to`() throws {
    let found = try titles(
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO note VALUES(1, 'Harbour'), (2, 'Marsh');
      CREATE TABLE card(id INTEGER PRIMARY KEY, note_id INTEGER REFERENCES note); INSERT INTO card VALUES(5, 1), (6, 2);
      CREATE TABLE thing(id INTEGER PRIMARY KEY, card_id INTEGER REFERENCES card, ease INTEGER);
      INSERT INTO thing VALUES(1, 6, 3), (2, 5, 4);
      """)
    #expect(found.map { $0?.contains("Marsh") } == [true, false])
  }

  @Test func `a country is the title of a record that has nothing better`() throws {
    let found = try titles(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, year INTEGER, type TEXT, country TEXT);
      INSERT INTO thing VALUES(1, 2006, 'Friendly', 'Italy'), (2, 2006, 'Friendly', 'Spain'), (3, 2007, 'Friendly', 'Russia');
      """)
    #expect(found == ["Italy", "Spain", "Russia"])
  }

  @Test func `a column without values names nothing, and no place is too far behind`() throws {
    let columns = (1...60).map { "c\($0) TEXT" }.joined(separator: ", ")
    let found = try titles(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, disctitle TEXT, \(columns), title TEXT);
      INSERT INTO thing(id, disctitle, title, c1) VALUES(1, '', 'Blue Train', 'jazz'), (2, '', 'Moanin', 'jazz');
      """)
    #expect(found == ["Blue Train", "Moanin"])
  }

  @Test func `a title that is filled later names the records`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, title TEXT, remark TEXT);
      INSERT INTO thing VALUES(1, NULL, 'bring milk'), (2, NULL, 'call home');
      """)
    try database.update()
    try database.writer.execute("UPDATE thing SET title = 'Errand ' || id")
    try database.update()
    #expect(try database.search("kind:thing").hits.map(\.title) == ["Errand 1", "Errand 2"])
    #expect(try database.isEqual)
  }

  @Test func `a number that people write is a title, and digits that a program made are none`() throws {
    let schema = """
      CREATE TABLE thing(guid TEXT PRIMARY KEY, id TEXT, customer TEXT REFERENCES customer(guid),
        account TEXT REFERENCES account(guid));
      CREATE TABLE customer(guid TEXT PRIMARY KEY, name TEXT); CREATE TABLE account(guid TEXT PRIMARY KEY, name TEXT);
      INSERT INTO customer VALUES('c1', 'Ada'); INSERT INTO account VALUES('a1', 'Sales');
      """
    let ids = ["INV-0003", "INV-0004", "INV-0017"]
    let made = (1...3).map { "0a1b2c3d4e5f60718293a4b5c6d7e8f\($0)" }
    func found(_ ids: [String]) throws -> [String?] {
      try titles(
        schema
          + ids.enumerated().map { "INSERT INTO thing VALUES('\(made[$0])', '\($1)', 'c1', 'a1');" }.joined())
    }
    #expect(try found(ids) == ids)
    #expect(try found(made.map { String($0.reversed()) }) == Array(repeating: "Sales · Ada", count: 3))
  }

  @Test func `what a record joins names it, rather than its state`() throws {
    let found = try titles(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES film(id), person_id INTEGER REFERENCES person(id),
        state TEXT, made TEXT);
      CREATE TABLE film(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO film VALUES(1, 'Alien'), (2, 'Heat'); INSERT INTO person VALUES(1, 'Ada'), (2, 'Grace');
      INSERT INTO thing VALUES(1, 1, 2, 'open', '2020-01-02'), (2, 2, 1, 'lost', '2020-03-04');
      """)
    #expect(found == ["Alien · Grace · 2020-01-02", "Heat · Ada · 2020-03-04"])
  }

  @Test(arguments: [
    ["vorname", "mittlerer_name", "nachname"], ["nombre", "segundo_apellido", "primer_apellido"],
    ["prenom", "nom_marital", "nom_de_famille"], ["first_name", "middle_name", "last_name"],
  ])
  func `a name in the middle is not the last name`(_ columns: [String]) throws {
    let found = try titles(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, \(columns.map { "\($0) TEXT" }.joined(separator: ", ")));
      INSERT INTO thing VALUES(1, 'Grace', 'Brewster', 'Hopper'), (2, 'Ada', 'King', 'Lovelace');
      """)
    #expect(found == ["Grace Hopper", "Ada Lovelace"])
  }
}
