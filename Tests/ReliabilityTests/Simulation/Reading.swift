// SPDX-License-Identifier: MIT

import SQLite
import Store

/// What a related catalogue says, read object by object, and which words each document has to hold for it. It follows
/// relationships by itself, step by step.
struct Reading {
  private let store: PersistentStore

  init(_ store: PersistentStore) { self.store = store }

  /// The paths whose texts are indexed.
  private static let paths: [String: [[String]]] = [
    "Film": [
      ["title"], ["studio", "name"], ["studio", "owner", "name"], ["cast", "part"], ["cast", "person", "name"],
      ["genres", "name"], ["sequels", "title"],
    ],
    "Person": [["name"], ["roles", "film", "title"], ["friends", "name"]],
    "Actor": [["name"], ["roles", "film", "studio", "name"]],
    "Genre": [["name"], ["films", "title"]],
  ]

  /// What the migrated models call some attributes.
  private static let otherNames = ["part": "character"]

  /// The words of every document, by `Entity/p12`.
  func words() throws -> [String: Set<String>] {
    var words: [String: Set<String>] = [:]
    for entity in store.layout.entities {
      guard let paths = Self.paths[entity.entity.name] else { continue }
      let rows = try store.rows(of: entity, attributes: [])
      while let row = try rows.next() {
        let texts = try paths.flatMap { try self.texts($0[...], RowIdentifier(entity: entity.number, key: row.key)) }
        words["\(entity.entity.name)/p\(row.key)"] = Set(texts.flatMap { $0.split(separator: " ").map(String.init) })
      }
    }
    return words
  }

  private func texts(_ path: ArraySlice<String>, _ row: RowIdentifier) throws -> [String] {
    guard let entity = store.layout.entity(number: row.entity), let name = path.first else { return [] }
    if path.count == 1 {
      let attribute = entity.entity.index(of: name) ?? Self.otherNames[name].flatMap { entity.entity.index(of: $0) }
      guard let attribute, case .text(let text)? = try store.values(of: entity, key: row.key)?[attribute] else {
        return []
      }
      return [text]
    }
    guard let relationship = entity.relationships.first(where: { $0.name == name }) else { return [] }
    return try store.targets(of: relationship, from: row.key).flatMap { try texts(path.dropFirst(), $0) }
  }

  /// The words of all fields of a described document: terms with the letter of a field before the word.
  static func words(ofDescription text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ")
        guard parts.count > 1, parts[0] == "term" else { return nil }
        let letters = parts[1].prefix { $0.isUppercase }
        let word = parts[1].dropFirst(letters.count)
        guard letters.count == 1, !"ZQX".contains(letters), word.first?.isLowercase == true else { return nil }
        return String(word)
      })
  }
}
