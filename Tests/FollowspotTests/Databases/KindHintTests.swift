// SPDX-License-Identifier: MIT

import Followspot
import Store
import TestSupport
import Testing

/// Words of a query that say what the user wants to know of a record.
@Suite(.temporaryDirectory) struct KindHintTests {
  private static let schema = """
    CREATE TABLE country(code TEXT PRIMARY KEY, name TEXT, area INTEGER);
    CREATE TABLE province(id INTEGER PRIMARY KEY, name TEXT, chief_town TEXT, country_code TEXT REFERENCES country(code));
    CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT, country_code TEXT REFERENCES country(code));
    CREATE TABLE economy(country_code TEXT PRIMARY KEY REFERENCES country(code), gdp REAL, inflation REAL);
    CREATE TABLE population(country_code TEXT PRIMARY KEY REFERENCES country(code), infant_mortality REAL, growth REAL);
    CREATE TABLE politics(country_code TEXT PRIMARY KEY REFERENCES country(code), independence INTEGER, government TEXT);
    CREATE TABLE ethnicgroup(id INTEGER PRIMARY KEY, country_code TEXT REFERENCES country(code), name TEXT);
    CREATE TABLE island(id INTEGER PRIMARY KEY, name TEXT, islands TEXT, country_code TEXT REFERENCES country(code));
    INSERT INTO country VALUES('N', 'Norway', 3), ('NG', 'Nigeria', 9), ('Z', 'Zaire', 9), ('FK', 'Falkland Islands', 1);
    INSERT INTO province VALUES(1, 'Zaire', 'Zaire', 'NG'), (2, 'Oslo', 'Oslo', 'N'), (3, 'Kivu', 'Goma', 'Z');
    INSERT INTO city VALUES(1, 'Independence', 'NG'), (2, 'Goma', 'Z'), (3, 'Oslo', 'N');
    INSERT INTO economy SELECT code, 1.5, 2 FROM country;
    INSERT INTO population SELECT code, 1.5, 2 FROM country;
    INSERT INTO politics SELECT code, 1905, 'monarchy' FROM country;
    INSERT INTO ethnicgroup VALUES(1, 'N', 'Sami'), (2, 'NG', 'Yoruba'), (3, 'NG', 'Igbo');
    INSERT INTO island VALUES(1, 'East Falkland', 'Falkland Islands', 'FK'), (2, 'West Falkland', 'Falkland Islands', 'FK');
    """

  @Test(arguments: [
    ("nigeria economy", ["economy/NG"]), ("nigeria gdp", ["economy/NG"]), ("norway inflation", ["economy/N"]),
    ("infant mortality norway", ["population/N"]),
    ("nigeria ethnic group", ["ethnicgroup/2", "ethnicgroup/3"]),
    // A city is called so, but not in Norway.
    ("norway independence", ["politics/N"]), ("nigeria independence", ["city/1"]),
    // Operators ask for what they say.
    ("nigeria AND gdp", []), ("nigeria -gdp", ["country/NG"]),
  ])
  func `the name of a column that no record has means the records with the column`(
    _ query: String, _ records: [String]
  ) throws {
    let database = try IndexedDatabase(Self.schema)
    try database.update()
    let found = try database.search(query)
    #expect(found.hits.prefix(records.count).map(\.identifier.short).sorted() == records)
    #expect(found.hits.isEmpty == records.isEmpty && found.corrected == nil)
  }

  @Test(arguments: [("falkland islands", "country/FK"), ("zaire", "country/Z"), ("east falkland", "island/1")])
  func `the record with this title precedes those with an item, and of equal titles the one with more references`(
    _ query: String, _ record: String
  ) throws {
    let database = try IndexedDatabase(Self.schema)
    try database.update()
    #expect(try database.search(query).hits.first?.identifier.short == record)
  }
}
