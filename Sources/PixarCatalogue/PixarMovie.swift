import SwiftData

/// A film of the catalogue.
@Model final class PixarMovie {
  /// Names the film: saving one of the same title again changes the one that is there. It stays in the history of a
  /// deleted film.
  @Attribute(.unique, .spotlight, .preserveValueOnDeletion) var title: String
  var released: Date
  var minutes: Int
  var rated: String
  @Attribute(.spotlight) var genres: [String]
  var imdb: Double
  var rottenTomatoes: Int
  var isFavorite: Bool
  /// They go with the film.
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

/// What one person did for one film.
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
