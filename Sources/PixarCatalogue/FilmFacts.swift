// SPDX-License-Identifier: MIT

import Foundation

/// A film, as one line of a JSON Lines file.
struct FilmFacts: Decodable {
  struct Person: Decodable {
    let role: String
    let name: String
  }

  let title: String
  let released: Date
  let minutes: Int
  let rated: String
  let people: [Person]
  let genres: [String]
  let imdb: Double
  let rottenTomatoes: Int
  let isFavorite: Bool

  /// Reads a file with one film per line.
  ///
  /// - Throws: `CatalogueError` that names the line.
  static func read(_ path: String) throws -> [FilmFacts] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CatalogueError("\(path) cannot be read")
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      return try Date(text, strategy: .iso8601.year().month().day())
    }
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return try zip(1..., lines).filter { !$1.isEmpty }.map { number, line in
      do { return try decoder.decode(FilmFacts.self, from: line) } catch {
        throw CatalogueError("\(path):\(number) is not a film: \(error)")
      }
    }
  }
}

/// An error with a message for people.
struct CatalogueError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
