// SPDX-License-Identifier: MIT

import Testing

@testable import SwiftData

final class Pin: Codable {
  var colour = "red"
}

struct Marker: Codable {
  var name: String
  var pin: Pin?
}

struct Legend: Codable { var pins: [Pin] }

@Model final class Chart {
  var marker: Marker
  var markers: [Marker] = []
  var legend: Legend?
  @Attribute(.codable) var coded: Marker?
  var place: Place?
  var title: String
  var address: URL?
  var length: Measurement<UnitLength>?

  init(_ title: String, marker: Marker) {
    self.title = title
    self.marker = marker
  }
}

struct StoredClassTests {
  @Test func `a class in a stored structure gives a warning that names the property`() {
    let end = "which Apple's framework does not store: mark the property @Attribute(.codable)"
    #expect(
      ModelType.of(Chart.self).warnings == [
        "Chart.marker: Marker holds the class Pin, \(end)", "Chart.markers: Array<Marker> holds the class Pin, \(end)",
        "Chart.legend: Legend holds the class Pin, \(end)",
      ])
    #expect(ModelType.of(Film.self).warnings == [])
  }

  @Test func `it is stored all the same`() throws {
    let context = ModelContext(try newContainer(Chart.self))
    context.insert(Chart("x", marker: Marker(name: "here", pin: Pin())))
    try context.save()
    let found = try #require(ModelContext(context.container).fetch(FetchDescriptor<Chart>()).first)
    #expect(found.marker.pin?.colour == "red")
  }
}
