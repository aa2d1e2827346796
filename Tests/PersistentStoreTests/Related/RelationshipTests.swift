// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct RelationshipTests {
  /// Bits computed by hand. Band (1): albums 80. Album (2): band 80, title 40. One bit per property from the left:
  /// to-one, entity keys, order keys, attributes, one-to-many, many-to-many.
  private static let bands = """
    Band
     r: albums>>Album/band
    Album
     s: title
     r: band>Band/albums
    """

  // MARK: To one, one to many

  @Test func `an inserted child updates its parent with the inverse's bit alone`() throws {
    let bench = try StoreFixture(Self.bands)
    let band = try bench.add(1, "Band")[0]
    try bench.store.save { try $0.add("Album", [:], ["band": [band]]) }
    #expect(try bench.newestChanges() == ["insert Album/p1", "update Band/p1 80"])
    #expect(try bench.rows("SELECT Z_PK, Z_OPT, ZBAND FROM ZALBUM") == ["1|1|1"])
    #expect(try bench.rows("SELECT Z_PK, Z_OPT FROM ZBAND") == ["1|2"])
    #expect(try bench.targets(band, "albums") == ["Album/p1"])
  }

  @Test func `a child that changes its parent updates itself and both parents`() throws {
    let bench = try StoreFixture(Self.bands)
    let bands = try bench.add(3, "Band")
    var album = bands[0]
    try bench.store.save { album = try $0.add("Album", [:], ["band": [bands[0]]]) }
    try bench.store.save { try $0.set(album, "band", [bands[2]]) }
    #expect(try bench.newestChanges() == ["update Album/p1 80", "update Band/p1 80", "update Band/p3 80"])
    #expect(try bench.targets(bands[0], "albums") == [])
    #expect(try bench.targets(bands[2], "albums") == ["Album/p1"])
    #expect(try bench.rows("SELECT Z_OPT FROM ZBAND ORDER BY Z_PK") == ["3", "1", "2"])
    // The other end has the same effect.
    try bench.store.save { try $0.set(bands[1], "albums", [album]) }
    #expect(try bench.newestChanges() == ["update Album/p1 80", "update Band/p2 80", "update Band/p3 80"])
    #expect(try bench.targets(album, "band") == ["Band/p2"])
  }

  @Test func `a deleted child updates its parent, and a deleted parent its children`() throws {
    let bench = try StoreFixture(Self.bands)
    let band = try bench.add(1, "Band")[0]
    let albums = try bench.add(3, "Album")
    try bench.store.save { try $0.set(band, "albums", albums) }
    try bench.store.save { try $0.remove(albums[1]) }
    #expect(try bench.newestChanges() == ["update Band/p1 80", "delete Album/p2"])
    try bench.store.save { try $0.remove(band) }
    #expect(try bench.newestChanges() == ["update Album/p1 80", "update Album/p3 80", "delete Band/p1"])
    #expect(try bench.rows("SELECT ZBAND FROM ZALBUM") == ["NULL", "NULL"])
  }

  @Test func `one save combines all bits of a row and increases its version once`() throws {
    let bench = try StoreFixture(Self.bands)
    let band = try bench.add(1, "Band")[0]
    let album = try bench.add(1, "Album")[0]
    try bench.store.save { save in
      try save.set(album, "band", [band])
      try save.update(try save.entity("Album"), key: 1, [(0, .text("one"))])
      try save.set(album, "band", [])
      try save.set(album, "band", [band])
    }
    #expect(try bench.newestChanges() == ["update Band/p1 80", "update Album/p1 C0"].sorted())
    #expect(try bench.rows("SELECT Z_OPT FROM ZBAND UNION ALL SELECT Z_OPT FROM ZALBUM") == ["2", "2"])
  }

  @Test func `setting the current objects writes nothing`() throws {
    let bench = try StoreFixture(Self.bands)
    let band = try bench.add(1, "Band")[0]
    let albums = try bench.add(2, "Album")
    try bench.store.save { try $0.set(band, "albums", albums) }
    let result = try bench.store.save { save throws in
      #expect(try !save.set(band, "albums", albums.reversed()))
      #expect(try !save.set(albums[0], "band", [band]))
      #expect(try !save.set(RowIdentifier(entity: band.entity, key: 99), "albums", []))
    }
    #expect(result == SaveNumbers(transaction: 3))
  }

  @Test func `a child that is inserted and deleted in one save leaves no row and no change of its own`() throws {
    let bench = try StoreFixture(Self.bands)
    let result = try bench.store.save { save in
      let band = try save.add("Band")
      try save.remove(try save.add("Album", [:], ["band": [band]]))
      try save.remove(band)
    }
    #expect(result.isEmpty && result.transaction == 0)
    #expect(try bench.rows("SELECT Z_PK FROM ZALBUM UNION ALL SELECT Z_PK FROM ZBAND") == [])
  }

  @Test func `invalid targets are refused with the relationship's name`() throws {
    let bench = try StoreFixture(Self.bands)
    let bands = try bench.add(2, "Band")
    let album = try bench.add(1, "Album")[0]
    let gone = RowIdentifier(entity: bands[0].entity, key: 9)
    func refusal(_ row: RowIdentifier, _ name: String, _ targets: [RowIdentifier]) throws -> String? {
      try storeErrorText { try bench.store.save { try $0.set(row, name, targets) } }
    }
    #expect(try refusal(album, "band", bands) == "Album.band leads to one object at most")
    #expect(try refusal(album, "band", [album]) == "Album.band leads to objects of Band only")
    #expect(try refusal(album, "band", [gone]) == "Album.band: there is no Band/p9")
    #expect(try refusal(bands[0], "albums", [album, album]) == "Band.albums cannot lead to one object twice")
    #expect(try bench.store.newest() == 2)
  }

  // MARK: One to one

  @Test func `in a one-to-one relationship the earlier object is disconnected`() throws {
    // Owner (2): dog 80. Dog (1): owner 80.
    let bench = try StoreFixture("Owner\n r: dog>Dog/owner\nDog\n r: owner>Owner/dog")
    let (owners, dogs) = (try bench.add(2, "Owner"), try bench.add(2, "Dog"))
    try bench.store.save { save in
      try save.set(owners[0], "dog", [dogs[0]])
      try save.set(dogs[1], "owner", [owners[1]])
    }
    try bench.store.save { try $0.set(owners[0], "dog", [dogs[1]]) }
    #expect(
      try bench.newestChanges() == ["update Dog/p1 80", "update Dog/p2 80", "update Owner/p1 80", "update Owner/p2 80"])
    #expect(try bench.rows("SELECT ZOWNER FROM ZDOG ORDER BY Z_PK") == ["NULL", "1"])
    #expect(try bench.rows("SELECT ZDOG FROM ZOWNER ORDER BY Z_PK") == ["2", "NULL"])
  }

  // MARK: Without an inverse

  @Test func `a to-many relationship without an inverse has its own column in the destination's table`() throws {
    // Shelf (2): books 80.
    let bench = try StoreFixture("Shelf\n r: books>>#Book\nBook\n s: title")
    #expect(
      try bench.rows("SELECT name FROM pragma_table_info('ZBOOK')").dropFirst(3) == [
        "Z2BOOKS", "Z_FOK_2BOOKS", "ZTITLE",
      ])
    #expect(
      try bench.rows("SELECT name FROM sqlite_master WHERE tbl_name = 'ZBOOK' AND type = 'index'") == [
        "ZBOOK_Z2BOOKS_INDEX"
      ])
    let (shelves, books) = (try bench.add(2, "Shelf"), try bench.add(3, "Book"))
    try bench.store.save { try $0.set(shelves[0], "books", [books[2], books[0], books[1]]) }
    #expect(try bench.newestChanges() == ["update Shelf/p1 80"])
    #expect(try bench.targets(shelves[0], "books") == ["Book/p3", "Book/p1", "Book/p2"])
    try bench.store.save { try $0.set(shelves[1], "books", [books[0]]) }
    #expect(try bench.newestChanges() == ["update Shelf/p1 80", "update Shelf/p2 80"])
    #expect(try bench.targets(shelves[0], "books") == ["Book/p3", "Book/p2"])
    try bench.store.save { try $0.remove(books[2]) }
    #expect(try bench.newestChanges() == ["update Shelf/p1 80", "delete Book/p3"])
  }

  @Test func `the owners of a deleted target are found by the key that they keep`() throws {
    let bench = try StoreFixture("Page\n r: image>Image book>Book/pages\nImage\n s: file\nBook\n r: pages>>Page/book")
    let (pages, images) = (try bench.add(2, "Page"), try bench.add(1, "Image"))
    let book = try bench.add(1, "Book")[0]
    try bench.store.save { save in
      try save.set(pages[1], "image", images)
      try save.set(book, "pages", pages)
    }
    try bench.store.save { try $0.remove(images[0]) }
    #expect(try bench.newestChanges() == ["delete Image/p1"])
    let layout = bench.store.layout
    let (start, middle, end) = (layout.entities[0], layout.entities[2], layout.entities[1])
    let path = RelationshipPath(
      start: start, hops: [start.relationships[0], try #require(middle.relationships.first { $0.name == "image" })],
      end: end)
    var owners: [String] = []
    try bench.store.eachOwner(along: path, of: [1], afterHop: 1) { owners.append(bench.short($0)) }
    #expect(owners == ["Book/p1"])
    #expect(try bench.targets(pages[1], "image") == [])
  }

  // MARK: Many to many

  @Test func `a many-to-many relationship has a join table, and both ends are updated`() throws {
    // Film (1): title 80, cast 40. Person (2): films 80.
    let bench = try StoreFixture("Film\n s: title\n r: cast>>Person/films\nPerson\n r: films>>Film/cast")
    #expect(
      try bench.rows("SELECT sql FROM sqlite_master WHERE tbl_name = 'Z_1CAST' AND sql NOT NULL") == [
        """
        CREATE TABLE "Z_1CAST" ( "Z_1FILMS" INTEGER, "Z_2CAST" INTEGER, PRIMARY KEY ("Z_1FILMS", "Z_2CAST") )
        """, "CREATE INDEX \"Z_1CAST_Z_2CAST_INDEX\" ON \"Z_1CAST\" (\"Z_2CAST\", \"Z_1FILMS\")",
      ])
    let (films, people) = (try bench.add(2, "Film"), try bench.add(2, "Person"))
    try bench.store.save { try $0.set(films[0], "cast", people) }
    #expect(try bench.newestChanges() == ["update Film/p1 40", "update Person/p1 80", "update Person/p2 80"])
    try bench.store.save { try $0.set(people[1], "films", [films[1], films[0]]) }
    #expect(try bench.newestChanges() == ["update Film/p2 40", "update Person/p2 80"])
    #expect(try bench.rows("SELECT * FROM Z_1CAST ORDER BY 1, 2") == ["1|1", "1|2", "2|2"])
    #expect(try bench.targets(people[1], "films") == ["Film/p1", "Film/p2"])
    try bench.store.save { try $0.remove(people[1]) }
    #expect(try bench.newestChanges() == ["update Film/p1 40", "update Film/p2 40", "delete Person/p2"])
    #expect(try bench.rows("SELECT * FROM Z_1CAST") == ["1|1"])
  }

  @Test func `a symmetric relationship stores each pair in both directions`() throws {
    let bench = try StoreFixture("Person\n r: friends>>Person/friends")
    #expect(
      try bench.rows("SELECT name FROM pragma_table_info('Z_1FRIENDS')") == ["Z_1FRIENDS", "REFLEXIVE"])
    let people = try bench.add(3, "Person")
    try bench.store.save { try $0.set(people[0], "friends", [people[2], people[0]]) }
    #expect(try bench.rows("SELECT * FROM Z_1FRIENDS ORDER BY 1, 2") == ["1|1", "1|3", "3|1"])
    #expect(try bench.newestChanges() == ["update Person/p1 80", "update Person/p3 80"])
    #expect(try bench.targets(people[2], "friends") == ["Person/p1"])
    try bench.store.save { try $0.remove(people[0]) }
    #expect(try bench.rows("SELECT * FROM Z_1FRIENDS") == [])
    #expect(try bench.newestChanges() == ["update Person/p3 80", "delete Person/p1"])
  }

  @Test func `two inverse relationships of one entity share a join table`() throws {
    // Task (1): after 80, before 40.
    let bench = try StoreFixture("Task\n r: before>>Task/after after>>Task/before")
    let tasks = try bench.add(3, "Task")
    try bench.store.save { try $0.set(tasks[0], "before", [tasks[1], tasks[2]]) }
    #expect(try bench.newestChanges() == ["update Task/p1 40", "update Task/p2 80", "update Task/p3 80"])
    #expect(try bench.targets(tasks[2], "after") == ["Task/p1"])
    #expect(try bench.targets(tasks[2], "before") == [])
  }
}
