// SPDX-License-Identifier: MIT

import Store
import TestSupport

extension SeededGenerator {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  mutating func chance(_ one: Int) -> Bool { number(1...one) == 1 }
}

extension Sketch {
  /// A random model: up to three levels of inheritance, equal names in siblings, composites, and every kind of
  /// relationship.
  static func random(_ random: inout SeededGenerator) -> Sketch {
    var sketch = Sketch()
    for name in ["Mole", "Bee", "Yak", "Cat", "Zebu", "Ant"].shuffled(using: &random).prefix(random.number(2...6)) {
      let above = sketch.entities.map(\.name).filter { sketch.lineage($0).count < 3 }
      sketch.entities.append(
        Entity(name: name, superentity: random.chance(2) ? above.randomElement(using: &random) : nil))
      sketch.addAttributes(&random)
    }
    for number in 0..<random.number(1...6) { sketch.addRelationship(number, &random) }
    return sketch
  }

  private static let attributeNames = ["name", "Name", "size", "note", "owner", "kind", "zip", "a b"]

  private mutating func addAttributes(_ random: inout SeededGenerator) {
    let last = entities.count - 1
    var free = Self.attributeNames.filter { isUnused($0, entities[last].name) }.shuffled(using: &random)
    for _ in 0..<random.number(0...3) {
      guard let name = free.popLast() else { return }
      entities[last].attributes.append(
        Attribute(
          name: name, type: Self.types.values.sorted { $0.rawValue < $1.rawValue }[random.number(0...6)],
          isPreserved: random.chance(2)))
    }
    guard random.chance(2), let name = free.popLast() else { return }
    if random.chance(3) {
      entities[last].composites.append((name, [Attribute(name: name, type: .string, isPreserved: random.chance(2))]))
    } else {
      let elements = Self.attributeNames.shuffled(using: &random).prefix(2)
      entities[last].composites.append(
        (name, elements.map { Attribute(name: $0, type: .integer64, isPreserved: random.chance(3)) }))
    }
  }

  private func isUnused(_ name: String, _ entity: String) -> Bool {
    let related = entities.filter { other in
      lineage(other.name).contains { $0.name == entity } || lineage(entity).contains { $0.name == other.name }
    }
    return !related.contains { other in
      other.attributes.contains { $0.name == name } || other.composites.contains { $0.name == name }
        || other.relationships.contains { $0.name == name }
    }
  }

  private mutating func addRelationship(_ number: Int, _ random: inout SeededGenerator) {
    let (left, right) = (random.number(0...entities.count - 1), random.number(0...entities.count - 1))
    // Some relationships are named like attributes of other entities.
    let names = (Self.attributeNames + ["item\(number)", "back\(number)", "Link\(number)"]).shuffled(using: &random)
    guard let name = names.first(where: { isUnused($0, entities[left].name) }) else { return }
    var own = Relationship(
      name: name, destination: entities[right].name, isToMany: random.chance(2), rule: Self.rule(&random))
    own.isOrdered = own.isToMany && random.chance(2)
    guard !random.chance(4) else { return entities[left].relationships.append(own) }
    if left == right, random.chance(3) {
      own.inverse = name
      return entities[left].relationships.append(own)
    }
    guard let back = names.first(where: { $0 != name && isUnused($0, entities[right].name) }) else { return }
    var inverse = Relationship(
      name: back, destination: entities[left].name, isToMany: random.chance(2), inverse: name,
      rule: Self.rule(&random))
    inverse.isOrdered = inverse.isToMany && random.chance(2)
    own.inverse = back
    entities[left].relationships.append(own)
    entities[right].relationships.append(inverse)
  }

  private static func rule(_ random: inout SeededGenerator) -> RelationshipRule {
    [.nullify, .nullify, .cascade, .noAction][random.number(0...3)]
  }
}
