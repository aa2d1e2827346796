// SPDX-License-Identifier: MIT

import SwiftData

enum Genre: String, Codable, Comparable, CaseIterable {
  case waltz, aria, fugue

  var label: String { "a " + rawValue }
  /// Not the order of the raw values.
  static func < (left: Genre, right: Genre) -> Bool { left.rank < right.rank }
  private var rank: Int { self == .waltz ? 0 : self == .aria ? 1 : 2 }
}

enum Level: Int, Codable, Comparable {
  case low = 1
  case middle = 5
  case high = 9

  static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
}

/// No enumeration.
struct Key: RawRepresentable, Codable, Hashable {
  var rawValue: String
}

struct Origin: Codable, Equatable {
  var town: String
  var height: Double?
}

struct Remark: Codable, Equatable { var lines: [[String]] }

@Model final class Song {
  #Index<Song>([\.title], [\.plays], [\.subtitle])

  var title: String
  var subtitle: String?
  var plays: Int
  var rank: Int?
  var small: Int16
  var big: UInt64
  var length: Double
  var gain: Double?
  var price: Decimal
  var isLive: Bool
  var isNew: Bool?
  var added: Date
  var released: Date?
  var code: UUID
  var link: URL?
  var cover: Data
  var genre: Genre
  var mood: Genre?
  var level: Level
  var key: Key
  var keywords: [String]
  var scores: [Int]
  var counts: [String: Int]
  var optionalKeywords: [String]?
  var origin: Origin
  var birthplace: Origin?
  @Attribute(.codable) var remark: Remark?
  @Transient var note = ""
  var album: Album?
  var performers: [Performer]

  var shout: String { title.uppercased() }

  init(_ title: String, plays: Int = 0, album: Album? = nil) {
    self.title = title
    self.plays = plays
    small = 0
    big = 0
    length = 0
    price = 0
    isLive = false
    added = Date(timeIntervalSinceReferenceDate: 0)
    code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    cover = Data()
    genre = .waltz
    level = .low
    key = Key(rawValue: "C")
    keywords = []
    scores = []
    counts = [:]
    origin = Origin(town: "")
    performers = []
    self.album = album
  }
}

@Model final class Album {
  var title: String
  var year: Int?
  var label: Label?
  @Relationship(inverse: \Song.album) var songs: [Song] = []

  init(_ title: String, year: Int? = nil, label: Label? = nil) {
    self.title = title
    self.year = year
    self.label = label
  }
}

@Model final class Label {
  var name: String
  var isMajor: Bool
  @Relationship(inverse: \Album.label) var albums: [Album] = []

  init(_ name: String, isMajor: Bool = false) {
    self.name = name
    self.isMajor = isMajor
  }
}

@Model final class Performer {
  var name: String
  var born: Int?
  @Relationship(inverse: \Song.performers) var songs: [Song] = []

  init(_ name: String, born: Int? = nil) {
    self.name = name
    self.born = born
  }
}

@Model class Medium {
  var name: String
  var owner: Owner?

  var shout: String { name.uppercased() }

  init(name: String, owner: Owner? = nil) {
    self.name = name
    self.owner = owner
  }
}

@Model class Disc: Medium {
  var sides: Int
  var sleeve: String?

  init(name: String, sides: Int, owner: Owner? = nil) {
    self.sides = sides
    super.init(name: name, owner: owner)
  }
}

@Model final class Tape: Medium {
  var minutes: Int

  init(name: String, minutes: Int, owner: Owner? = nil) {
    self.minutes = minutes
    super.init(name: name, owner: owner)
  }
}

@Model final class Owner {
  /// A property of one's own under the name of an identity.
  var id: Int
  @Relationship(inverse: \Medium.owner) var media: [Medium] = []
  var favourite: Disc?
  var present: Medium?

  init(id: Int) { self.id = id }
}
