// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SwiftData

/// What has no SQL is refused with a reason before anything is read, and never run.
@Suite(.everyStore, .overlapping) struct UnsupportedPredicateTests {
  let bench: PredicateFixture

  init() throws { bench = try .catalogue() }

  private func refusal<Model: PersistentModel>(_ predicate: Predicate<Model>) -> String? {
    do {
      _ = try bench.context.fetch(FetchDescriptor(predicate: predicate))
      return nil
    } catch {
      guard let error = error as? SwiftDataError, error == .unsupportedPredicate else { return "\(error)" }
      return error.explanation
    }
  }

  @Test func `properties without a column are named`() throws {
    #expect(
      refusal(#Predicate<Song> { $0.shout == "DAWN" })
        == "Song has no stored property of type String at a key path of the predicate: computed and transient properties "
        + "have no column; compare the properties they are made of")
    #expect(
      refusal(#Predicate<Song> { $0.note == "" })?.hasPrefix("Song has no stored property of type String") == true)
    #expect(
      refusal(#Predicate<Song> { $0.title.utf8.count == 3 })
        == "a property of String, of type UTF8View, has no SQL: the predicate can only use stored properties, and "
        + "count, isEmpty and rawValue of them")
    #expect(
      refusal(#Predicate<Song> { $0.performers.first == nil })?.hasPrefix("a property of Array<Performer>") == true)
  }

  @Test func `values that SQL cannot look into are named`() throws {
    let remark: Remark? = Remark(lines: [])
    #expect(
      refusal(#Predicate<Song> { $0.remark == remark })
        == "Song.remark is marked .codable: only nil can be compared with it; without the option it may have columns of "
        + "its own")
    let keywords = ["sun"]
    #expect(
      refusal(#Predicate<Song> { $0.keywords == keywords })
        == "a Codable value (Array<String>) cannot be compared as a whole: compare its properties or its elements")
    let origin = Origin(town: "Ulm")
    #expect(
      refusal(#Predicate<Song> { $0.origin == origin })
        == "a structure (Origin) cannot be compared as a whole: compare its properties or its elements")
  }

  @Test func `operations without SQL are named`() throws {
    let price = Decimal(2)
    #expect(
      refusal(#Predicate<Song> { $0.price * price > price })
        == "SQL does not calculate with Decimal as Swift does: use Int or Double")
    #expect(
      refusal(#Predicate<Song> { $0.title.contains(/a+/) })
        == "StringContainsRegex has no SQL: filter the fetched objects by it instead")
    #expect(
      refusal(#Predicate<Song> { $0.performers[0].name == "Bo" })
        == "only elements of arrays that are attributes are found by index in SQL; the objects of a relationship have "
        + "no order")
    let identifier = try #require(try bench.context.fetch(FetchDescriptor<Song>()).first).persistentModelID
    #expect(
      refusal(#Predicate<Song> { $0.persistentModelID < identifier })
        == "a persistent identifier cannot be compared as a whole: compare one of its properties")
    let lengths = (0..<30_001).map(Double.init)
    #expect(
      refusal(#Predicate<Song> { lengths.contains($0.length) })
        == "a list of 30001 values that are neither text nor integers is too long: fetch in parts of at most 30000")
  }

  @Test func `a computed property of a subclass is not run`() throws {
    let bench = try PredicateFixture(Medium.self, Disc.self, Tape.self, Owner.self) {
      $0.insert(Disc(name: "x", sides: 1))
    }
    let discs = FetchDescriptor(predicate: #Predicate<Disc> { $0.shout == "X" })
    #expect(throws: SwiftDataError.unsupportedPredicate) { try bench.context.fetch(discs) }
  }
}
