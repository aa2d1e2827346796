// SPDX-License-Identifier: MIT

import SwiftData

/// A small catalogue in which every optional is nil somewhere.
extension PredicateFixture {
  static func catalogue() throws -> PredicateFixture {
    try PredicateFixture(Song.self, Album.self, Label.self, Performer.self) { context in
      let major = Label("Northern", isMajor: true)
      let minor = Label("Attic")
      let live = Album("Live", year: 1999, label: major)
      let still = Album("Still", label: minor)
      let none = Album("Unlabelled", year: 2010)
      let ana = Performer("Ana", born: 1970)
      let bo = Performer("Bo")
      let cy = Performer("Cy", born: 2001)
      for model in [live, still, none] { context.insert(model) }

      func song(_ title: String, _ plays: Int, _ album: Album?, _ performers: [Performer], _ edit: (Song) -> Void) {
        let song = Song(title, plays: plays, album: album)
        context.insert(song)
        song.performers = performers
        edit(song)
      }
      song("Dawn", 3, live, [ana, bo]) {
        $0.subtitle = "first"
        $0.rank = 1
        $0.isLive = true
        $0.isNew = true
        $0.keywords = ["sun", "Café"]
        $0.scores = [3, 9]
        $0.counts = ["a": 1]
        $0.genre = .fugue
        $0.mood = .aria
        $0.level = .high
        $0.origin = Origin(town: "Ulm", height: 478.5)
        $0.birthplace = Origin(town: "Bern")
      }
      song("Café Noon", 10, live, [bo]) {
        $0.subtitle = ""
        $0.rank = 7
        $0.length = 2.5
        $0.gain = -0.5
        $0.optionalKeywords = ["x"]
        $0.price = Decimal(string: "0.1")!
        $0.released = Date(timeIntervalSinceReferenceDate: 1_000)
        $0.big = .max
        $0.key = Key(rawValue: "D")
      }
      song("Cafe\u{301} Dusk", 12, still, []) {
        $0.isNew = false
        $0.optionalKeywords = []
        $0.price = Decimal(string: "12345678901234567890.5")!
        $0.cover = Data([1, 2, 3])
        $0.link = URL(string: "https://example.org/a")
        $0.genre = .aria
        $0.mood = .waltz
        $0.level = .middle
        $0.remark = Remark(lines: [["x"]])
      }
      song("night", -4, nil, [ana, cy]) {
        $0.subtitle = "last"
        $0.small = -7
        $0.length = -1.25
        $0.price = 3
        $0.added = Date(timeIntervalSinceReferenceDate: 86_400.25)
        $0.code = UUID(uuid: (255, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        $0.big = 5
        $0.scores = []
        $0.keywords = ["moon", "sun", "it's"]
      }
      song("", 0, none, [cy]) { $0.keywords = [""] }
    }
  }
}
