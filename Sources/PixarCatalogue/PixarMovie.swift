// SPDX-License-Identifier: MIT

import SwiftData

/// A film of the catalogue.
@Model final class PixarMovie {
  /// The unique title: saving another film with it updates the existing one. The history preserves it after the film is
  /// deleted.
  @Attribute(.unique, .spotlight, .preserveValueOnDeletion) var title: String
  var released: Date
  var minutes: Int
  var rated: String
  @Attribute(.spotlight) var genres: [String]
  var imdb: Double
  var rottenTomatoes: Int
  var isFavorite: Bool
  /// The credits, which are deleted with the film.
  @Relationship(deleteRule: .cascade, inverse: \PixarCredit.movie) var credits: [PixarCredit] = []

  init(_ facts: FilmFacts) {
    title = facts.title
    released = facts.released
    minutes = facts.minutes
    rated = facts.rated
    genres = facts.genres
    imdb = facts.imdb
    rottenTomatoes = facts.rottenTomatoes
    isFavorite = facts.isFavorite
  }
}

/// The role of one person in one film.
@Model final class PixarCredit {
  var role: String
  var movie: PixarMovie?
  var person: PixarPerson?

  init(role: String, movie: PixarMovie, person: PixarPerson) {
    self.role = role
    self.movie = movie
    self.person = person
  }
}

@Model final class PixarPerson {
  @Attribute(.unique, .spotlight) var name: String
  @Relationship(deleteRule: .cascade, inverse: \PixarCredit.person) var credits: [PixarCredit] = []

  init(name: String) { self.name = name }
}
