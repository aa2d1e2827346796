// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model final class Station {
  #Index<Station>([\.place.city], [\.name, \.former?.latitude])
  #Unique<Station>([\.name, \.place.city])

  var name: String
  var place: Place
  var former: Place?

  init(_ name: String, in city: String) {
    self.name = name
    place = Place(city: city, latitude: 1, longitude: nil)
  }
}

@Model final class PlaceIndex {
  #Index<PlaceIndex>([\.place])

  var place: Place

  init(_ place: Place) { self.place = place }
}

/// `#Index` and `#Unique` of structures.
@Suite(.temporaryDirectory) struct CompositeIndexTests {
  @Test func `stored properties of a structure are indexed and unique`() throws {
    let url = newStoreURL()
    let container = try ModelContainer(for: Station.self, configurations: ModelConfiguration(url: url))
    #expect(container.schema.entity(for: Station.self)?.indices == [["place.city"], ["name", "former.latitude"]])
    #expect(container.schema.entity(for: Station.self)?.uniquenessConstraints == [["name", "place.city"]])
    let context = ModelContext(container)
    for city in ["Ulm", "Bern", "Ulm"] { context.insert(Station("Central", in: city)) }
    try context.save()
    #expect(
      try context.fetch(FetchDescriptor<Station>(sortBy: [SortDescriptor(\.place.city)])).map(\.place.city)
        == ["Bern", "Ulm"])
    let indexes = try TableDump(url).tables["sqlite_master", default: []].filter {
      $0.contains("INDEX") && $0.contains("ZSTATION")
    }
    #expect(indexes.contains { $0.contains("CITY") }, "\(indexes)")
    #expect(indexes.contains { $0.contains("LATITUDE") }, "\(indexes)")
  }

  @Test func `an index of a whole structure is refused with those of its stored properties`() {
    let words = explanation(of: .unsupportedKeyPath) {
      _ = try ModelContainer(for: PlaceIndex.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(
      words
        == "PlaceIndex: #Index takes single values: name the stored properties instead, such as \\.place.city, "
        + "\\.place.latitude, \\.place.longitude")
  }
}
