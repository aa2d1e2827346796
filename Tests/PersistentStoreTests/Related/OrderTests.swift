// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct OrderTests {
  /// Album (1): tracks 80. Track (2): album 80, its order key 40, name 20.
  private static let albums = """
    Album
     r: tracks>>#Track/album
    Track
     s: name
     r: album>Album/tracks
    """

  @Test func `children keep their order, also after a reorder and an insert in the middle`() throws {
    let bench = try StoreFixture(Self.albums)
    let album = try bench.add(1, "Album")[0]
    let tracks = try bench.add(4, "Track")
    #expect(
      try bench.rows("SELECT name FROM pragma_table_info('ZTRACK')").dropFirst(3) == ["ZALBUM", "Z_FOK_ALBUM", "ZNAME"])
    for order in [[2, 0, 1], [0, 1, 2], [0, 3, 1, 2], [3, 2], []] {
      try bench.store.save { try $0.set(album, "tracks", order.map { tracks[$0] }) }
      #expect(try bench.targets(album, "tracks") == order.map { "Track/p\($0 + 1)" })
    }
    #expect(try bench.rows("SELECT ZALBUM, Z_FOK_ALBUM FROM ZTRACK") == Array(repeating: "NULL|NULL", count: 4))
  }

  @Test func `a new child sets the bits of key and order, and a moved one only that of order`() throws {
    let bench = try StoreFixture(Self.albums)
    let album = try bench.add(1, "Album")[0]
    let tracks = try bench.add(3, "Track")
    try bench.store.save { try $0.set(album, "tracks", [tracks[0], tracks[1]]) }
    #expect(try bench.newestChanges() == ["update Album/p1 80", "update Track/p1 C0", "update Track/p2 C0"])
    try bench.store.save { try $0.set(album, "tracks", [tracks[0], tracks[2], tracks[1]]) }
    #expect(try bench.newestChanges() == ["update Album/p1 80", "update Track/p2 40", "update Track/p3 C0"])
    try bench.store.save { try $0.set(tracks[0], "album", []) }
    #expect(try bench.newestChanges() == ["update Album/p1 80", "update Track/p1 C0"])
    let result = try bench.store.save { save throws in
      #expect(try !save.set(album, "tracks", [tracks[2], tracks[1]]))
      #expect(try save.set(album, "tracks", [tracks[1], tracks[2]]))
    }
    // The second track kept its order key.
    #expect(result.updated == 2)
  }

  @Test func `a child that sets its parent is appended`() throws {
    let bench = try StoreFixture(Self.albums)
    let album = try bench.add(1, "Album")[0]
    let tracks = try bench.add(3, "Track")
    for track in [2, 0, 1] { try bench.store.save { try $0.set(tracks[track], "album", [album]) } }
    #expect(try bench.targets(album, "tracks") == ["Track/p3", "Track/p1", "Track/p2"])
    #expect(try bench.rows("SELECT Z_FOK_ALBUM FROM ZTRACK") == ["2048", "3072", "1024"])
  }

  @Test func `a join table has an order for each ordered end, and either end can write it`() throws {
    let bench = try StoreFixture("List\n r: items>>#Item/lists\nItem\n r: lists>>#List/items")
    #expect(
      try bench.rows("SELECT name FROM pragma_table_info('Z_1LISTS')") == [
        "Z_1ITEMS", "Z_2LISTS", "Z_FOK_1ITEMS", "Z_FOK_2LISTS",
      ])
    let (lists, items) = (try bench.add(2, "List"), try bench.add(3, "Item"))
    try bench.store.save { try $0.set(lists[0], "items", [items[2], items[0]]) }
    try bench.store.save { try $0.set(items[1], "lists", [lists[1], lists[0]]) }
    #expect(try bench.targets(lists[0], "items") == ["Item/p3", "Item/p1", "Item/p2"])
    #expect(try bench.targets(items[1], "lists") == ["List/p2", "List/p1"])
    try bench.store.save { try $0.set(lists[1], "items", [items[0], items[1]]) }
    #expect(try bench.targets(items[0], "lists") == ["List/p1", "List/p2"])
  }
}
