// SPDX-License-Identifier: MIT

import Searching
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

  @Test func `a country is the title of a record that has nothing better`() throws {
    let found = try titles(
      """
      CREATE TABLE thing(id INTEGER PRIMARY KEY, year INTEGER, type TEXT, country TEXT);
      INSERT INTO thing VALUES(1, 2006, 'Friendly', 'Italy'), (2, 2006, 'Friendly', 'Spain'), (3, 2007, 'Friendly', 'Russia');
      """)
    #expect(found == ["Italy", "Spain", "Russia"])
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
