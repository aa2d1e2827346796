// SPDX-License-Identifier: MIT

/// The numbers, tables, columns and bits of a sketched model, derived from Core Data's rules without the product's
/// code.
struct PlainNames {
  struct Pairs {
    let table: String
    let own: String
    let other: String
    let order: String?
  }

  let sketch: Sketch
  /// The entities in the order of their numbers, from 1: roots by name, each followed by its subentities.
  let entities: [Sketch.Entity]
  /// Columns by `Entity.property`. The suffixes `#entity` and `#order` mark the columns that accompany a key.
  private(set) var columns: [String: String] = [:]
  private(set) var pairs: [String: Pairs] = [:]

  init(_ sketch: Sketch) {
    self.sketch = sketch
    func below(_ name: String?) -> [Sketch.Entity] {
      sketch.entities.filter { $0.superentity == name }.sorted { $0.name < $1.name }.flatMap { [$0] + below($0.name) }
    }
    entities = below(nil)
    var taken: [String: Set<String>] = [:]
    for entity in entities { nameOwn(entity, &taken) }
    let families = entities.filter { sketch.hasSubentities($0.name) }
    for entity in families + entities.filter({ !sketch.hasSubentities($0.name) }) {
      for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) where relationship.isToMany {
        nameToMany(entity, relationship, &taken)
      }
    }
  }

  func number(_ name: String) -> Int { (entities.firstIndex { $0.name == name } ?? -1) + 1 }
  func root(_ name: String) -> String { sketch.lineage(name).first?.name ?? "" }
  func table(_ name: String) -> String { "Z" + root(name).uppercased() }

  private func unused(_ plain: String, _ entity: String, _ taken: inout [String: Set<String>]) -> String {
    var name = plain
    var suffix = 1
    while !taken[root(entity), default: ["Z_PK", "Z_ENT", "Z_OPT"]].insert(name).inserted {
      name = plain + "\(suffix)"
      suffix += 1
    }
    return name
  }

  /// Names to-one relationships first, then attributes, each by name. A composite is sorted by its own name.
  private mutating func nameOwn(_ entity: Sketch.Entity, _ taken: inout [String: Set<String>]) {
    for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) where !relationship.isToMany {
      let (key, plain) = ("\(entity.name).\(relationship.name)", relationship.name.uppercased())
      columns[key] = unused("Z" + plain, entity.name, &taken)
      if sketch.hasSubentities(relationship.destination) {
        columns[key + "#entity"] = unused(
          "Z\(number(root(relationship.destination)))_" + plain, entity.name, &taken)
      }
      if let inverse = sketch.inverse(of: relationship), inverse.isToMany, inverse.isOrdered {
        columns[key + "#order"] = unused("Z_FOK_" + plain, entity.name, &taken)
      }
    }
    for (property, element) in Self.attributes(entity) {
      columns["\(entity.name).\(property)"] = unused("Z" + element.name.uppercased(), entity.name, &taken)
    }
  }

  /// The attributes that an entity declares, in the order of columns and bits, with their names in the store.
  static func attributes(_ entity: Sketch.Entity) -> [(property: String, element: Sketch.Attribute)] {
    let plain = entity.attributes.map { (sorting: $0.name, elements: [($0.name, $0)]) }
    let composed = entity.composites.map { composite in
      let isAlone = composite.elements.count == 1 && composite.elements[0].name == composite.name
      return (
        sorting: composite.name,
        elements: composite.elements.map { (isAlone ? composite.name : "\(composite.name).\($0.name)", $0) }
      )
    }
    return (plain + composed).sorted { $0.sorting < $1.sorting }.flatMap(\.elements)
  }

  private mutating func nameToMany(
    _ entity: Sketch.Entity, _ relationship: Sketch.Relationship, _ taken: inout [String: Set<String>]
  ) {
    let (key, plain) = ("\(entity.name).\(relationship.name)", relationship.name.uppercased())
    let own = number(entity.name)
    guard let inverse = sketch.inverse(of: relationship) else {
      columns[key] = unused("Z\(own)\(plain)", relationship.destination, &taken)
      if sketch.hasSubentities(entity.name) {
        columns[key + "#entity"] = unused(
          "Z\(number(root(entity.name)))_\(own)\(plain)", relationship.destination, &taken)
      }
      if relationship.isOrdered {
        columns[key + "#order"] = unused("Z_FOK_\(own)\(plain)", relationship.destination, &taken)
      }
      return
    }
    guard inverse.isToMany, pairs[key] == nil else { return }
    if inverse.name == relationship.name, relationship.destination == entity.name {
      pairs[key] = Pairs(
        table: "Z_\(own)\(plain)", own: "Z_\(own)\(plain)", other: "REFLEXIVE",
        order: relationship.isOrdered ? "Z_FOK_\(own)\(plain)" : nil)
      return
    }
    let back = "\(own)\(inverse.name.uppercased())"
    let there = "\(number(relationship.destination))\(plain)"
    let left = unused("Z_" + back, entity.name, &taken)
    let right = unused("Z_" + there, relationship.destination, &taken)
    let order = relationship.isOrdered ? unused("Z_FOK_" + there, relationship.destination, &taken) : nil
    let backOrder = inverse.isOrdered ? unused("Z_FOK_" + back, entity.name, &taken) : nil
    pairs[key] = Pairs(table: "Z_\(own)\(plain)", own: left, other: right, order: order)
    pairs["\(relationship.destination).\(inverse.name)"] = Pairs(
      table: "Z_\(own)\(plain)", own: right, other: left, order: backOrder)
  }

  // MARK: Bits

  /// The properties of an entity in the order of its bitmap.
  func bits(_ name: String) -> [String] {
    var (toOne, entityKeys, orderKeys, attributes): ([String], [String], [String], [String]) = ([], [], [], [])
    var (oneToMany, manyToMany): ([String], [String]) = ([], [])
    for entity in sketch.lineage(name) {
      for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
        let (own, key) = (relationship.name, "\(entity.name).\(relationship.name)")
        if pairs[key] != nil {
          manyToMany.append(own)
        } else if relationship.isToMany {
          oneToMany.append(own)
        } else {
          toOne.append(own)
          if columns[key + "#entity"] != nil { entityKeys.append(own + "#entity") }
          if columns[key + "#order"] != nil { orderKeys.append(own + "#order") }
        }
      }
      attributes += Self.attributes(entity).map(\.property)
    }
    return toOne + entityKeys + orderKeys + attributes + oneToMany + manyToMany
  }

  /// The preserved attributes in the order of the tombstone columns.
  func preserved(_ name: String) -> [String] {
    sketch.lineage(name).flatMap { Self.attributes($0).filter(\.element.isPreserved).map(\.property) }
  }
}
