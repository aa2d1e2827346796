// SPDX-License-Identifier: MIT

import SwiftData

@Model final class Studio {
  @Attribute(.unique) var name: String
  var founded: Int?
  @Relationship(deleteRule: .cascade, inverse: \Film.studio) var films: [Film] = []

  init(name: String, founded: Int? = nil) {
    self.name = name
    self.founded = founded
  }
}

enum Rating: String, Codable { case general, parental, restricted }

struct Place: Codable, Equatable {
  var city: String
  var latitude: Double
  var longitude: Double?
}

@Model final class Film {
  #Index<Film>([\.year])

  @Attribute(.spotlight, .preserveValueOnDeletion) var title: String
  var year: Int
  var released: Date?
  var rating: Rating
  var optionalRating: Rating?
  var tags: [String]
  var place: Place?
  var score: Double = 0.5
  var isSeen = false
  var studio: Studio?
  var cast: [Person] = []
  @Transient var note = "none"

  init(_ title: String, year: Int, rating: Rating = .general, tags: [String] = [], studio: Studio? = nil) {
    self.title = title
    self.year = year
    self.rating = rating
    self.tags = tags
    self.studio = studio
  }
}

@Model final class Person {
  var name: String
  var films: [Film] = []

  init(name: String) { self.name = name }
}
