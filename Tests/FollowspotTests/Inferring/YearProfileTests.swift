// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping)
struct YearProfileTests {
  @Test(arguments: [
    ("year", [1_066, 1_965], ValueKind.years), ("birthYear", [1_965], .years), ("erscheinungsjahr", [2_020], .years),
    ("years", [3, 5, 12], .numbers), ("year", [], nil), ("published", [1_866, 1_965], .years),
    ("published", [1_866, 12], .numbers), ("pages", [1_866, 1_965], .numbers),
    ("volume", Array(1_900...1_920), .years), ("volume", Array(1_790...1_820), .numbers),
    ("year", [0] + Array(1_900...1_919), .years), ("year", [0, 1, 2] + Array(1_900...1_919), .numbers),
  ])
  func `names and values say what holds years`(_ name: String, _ values: [Int64], _ kind: ValueKind?) {
    var profile = YearProfile(name: name)
    for value in values { profile.add(value) }
    #expect(profile.kind == kind)
  }

  @Test(arguments: [
    ("year", true), ("releaseYear", true), ("birth_year", true), ("Jahr", true), ("ano", true), ("volcano", false),
    ("anno_domini", true), ("yard", false), ("canyon", false),
  ])
  func `a name says whether it is a year`(_ name: String, _ isYear: Bool) {
    #expect(YearName.isYear(name) == isYear)
  }
}
