// SPDX-License-Identifier: MIT

import Store

typealias RelationshipRule = RelationshipDescription.DeleteRule

/// A model in the tests' own notation. The decoder reads it, and stores are created from it.
///
/// As text, an entity is a line `Name` or `Name < Super`, followed by indented lines. Attributes are `i: year seen!` (a
/// type's letter; `!` for a preserved value), and composites are `c: author(i:id s:place)`. Relationships are `r:
/// cast>>Person/films owner>Person`: `>>` is to-many, `>>#` is ordered to-many, and the inverse follows a slash.
struct Sketch {
  struct Attribute {
    var name: String
    var type: AttributeType
    var isPreserved = false
  }

  struct Relationship {
    var name: String
    var destination: String
    var isToMany: Bool
    var isOrdered = false
    var inverse: String?
    var rule: RelationshipRule = .nullify
  }

  struct Entity {
    var name: String
    var superentity: String?
    var attributes: [Attribute] = []
    var composites: [(name: String, elements: [Attribute])] = []
    var relationships: [Relationship] = []
  }

  var entities: [Entity] = []

  static let types: [Character: AttributeType] = [
    "i": .integer64, "f": .double, "t": .date, "s": .string, "l": .url, "b": .data, "d": .decimal,
  ]

  init() {}

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      guard line.first == " " else {
        let parts = line.split(separator: " ").map(String.init)
        entities.append(Entity(name: parts[0], superentity: parts.count == 3 ? parts[2] : nil))
        continue
      }
      let words = line.split(separator: " ").map(String.init)
      add(words[0].first ?? "?", words.dropFirst())
    }
  }

  private mutating func add(_ kind: Character, _ words: ArraySlice<String>) {
    let last = entities.count - 1
    switch kind {
    case "r": entities[last].relationships += words.map(Self.relationship)
    case "c":
      let parts = words.joined(separator: " ").split(separator: ")")
      for part in parts {
        let halves = part.split(separator: "(")
        let elements = halves[1].split(separator: " ").map { element in
          let (type, name) = (element.first ?? "?", String(element.dropFirst(2)))
          return Attribute(name: name, type: Self.types[type] ?? .string)
        }
        entities[last].composites.append((halves[0].filter { $0 != " " }, elements))
      }
    default:
      let type = Self.types[kind] ?? .string
      entities[last].attributes += words.map {
        Attribute(name: $0.filter { $0 != "!" }, type: type, isPreserved: $0.hasSuffix("!"))
      }
    }
  }

  private static func relationship(_ word: String) -> Relationship {
    let halves = word.split(separator: ">", omittingEmptySubsequences: true).map(String.init)
    let target = halves[1].filter { $0 != "#" }.split(separator: "/").map(String.init)
    return Relationship(
      name: halves[0], destination: target[0], isToMany: word.contains(">>"), isOrdered: word.contains("#"),
      inverse: target.count == 2 ? target[1] : nil)
  }

  // MARK: Reading

  func entity(_ name: String) -> Entity? { entities.first { $0.name == name } }

  /// The entities from the root to this entity.
  func lineage(_ name: String) -> [Entity] {
    guard let own = entity(name) else { return [] }
    return (own.superentity.map { lineage($0) } ?? []) + [own]
  }

  func hasSubentities(_ name: String) -> Bool { entities.contains { $0.superentity == name } }

  func inverse(of relationship: Relationship) -> Relationship? {
    relationship.inverse.flatMap { name in
      entity(relationship.destination)?.relationships.first { $0.name == name }
    }
  }

  // MARK: Making

  var model: ModelDescription {
    ModelDescription(
      entities: entities.map { entity in
        EntityDescription(
          entity.name, superentity: entity.superentity, attributes: entity.attributes.map(Self.described),
          composites: entity.composites.map {
            CompositeDescription($0.name, elements: $0.elements.map(Self.described))
          },
          relationships: entity.relationships.map {
            RelationshipDescription(
              $0.name, to: $0.destination, isToMany: $0.isToMany, isOrdered: $0.isOrdered, inverse: $0.inverse,
              deleteRule: $0.rule)
          })
      })
  }

  private static func described(_ attribute: Attribute) -> AttributeDescription {
    AttributeDescription(
      attribute.name, attribute.type, isOptional: true,
      options: attribute.isPreserved ? [.preserveValueOnDeletion] : [])
  }
}
