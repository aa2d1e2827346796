// SPDX-License-Identifier: MIT

import SQLite
import Store

/// The expected contents of a store after the same saves: objects, both ends of every relationship, and the history.
struct StoreOracle {
  struct Link {
    let target: String
    var order = 0
  }

  struct Object {
    let entity: String
    var lock: Int64 = 1
    var values: [String: Value]
    var links: [String: [Link]]
  }

  let sketch: Sketch
  private let names: PlainNames
  private(set) var objects: [String: Object] = [:]
  /// The highest key of each root that was assigned in a save with changes.
  private(set) var highest: [String: Int64] = [:]
  // The highest keys during the open save.
  private var open: [String: Int64] = [:]
  private var inserted: Set<String> = []
  private var updated: [String: Set<String>] = [:]
  private var deleted: [String: [Value]] = [:]

  init(_ sketch: Sketch) {
    self.sketch = sketch
    names = PlainNames(sketch)
  }

  func objects(of entity: String) -> [String] {
    objects.filter { object in sketch.lineage(object.value.entity).contains { $0.name == entity } }.keys
      .sorted { ($0, PlainDecoder.key($0)) < ($1, PlainDecoder.key($1)) }
  }

  func relationships(_ entity: String) -> [Sketch.Relationship] { sketch.lineage(entity).flatMap(\.relationships) }

  private func relationship(_ object: String, _ name: String) -> Sketch.Relationship? {
    objects[object].flatMap { relationships($0.entity).first { $0.name == name } }
  }

  func targets(_ object: String, _ relationship: String) -> [String] {
    (objects[object]?.links[relationship] ?? []).sorted {
      ($0.order, PlainDecoder.key($0.target)) < ($1.order, PlainDecoder.key($1.target))
    }.map(\.target)
  }

  // MARK: A save

  mutating func begin() { open = highest }

  /// Ends the save and returns its changes as sorted lines.
  mutating func end() -> [String] {
    let lines =
      inserted.map { "insert \($0)" }
      + updated.map { "update \($0.key) \($0.value.sorted().joined(separator: " "))" }
      + deleted.map { "delete \($0.key) \($0.value.map { StoreFixture.text($0) }.joined(separator: "|"))" }
    for object in updated.keys { objects[object]?.lock += 1 }
    if !lines.isEmpty { highest = open }
    (inserted, updated, deleted) = ([], [:], [:])
    return lines.sorted()
  }

  private mutating func touch(_ object: String, _ names: [String]) {
    guard !inserted.contains(object), objects[object] != nil else { return }
    updated[object, default: []].formUnion(names)
  }

  mutating func insert(_ entity: String, _ values: [String: Value]) -> String {
    open[names.root(entity), default: 0] += 1
    let name = "\(entity)/p\(open[names.root(entity)] ?? 0)"
    objects[name] = Object(entity: entity, values: values, links: [:])
    inserted.insert(name)
    return name
  }

  mutating func update(_ object: String, _ values: [String: Value]) {
    for (name, value) in values where objects[object]?.values[name] != value {
      objects[object]?.values[name] = value
      touch(object, [name])
    }
  }

  mutating func delete(_ object: String) {
    var doomed = [object]
    while let name = doomed.popLast() {
      guard let object = objects[name] else { continue }
      for relationship in relationships(object.entity) {
        let others = targets(name, relationship.name).filter { $0 != name }
        if relationship.rule == .cascade { doomed += others }
        let keepsKey = relationship.rule == .noAction && isKeyThere(object.entity, relationship)
        if !keepsKey { for other in others { disconnect(name, relationship, other) } }
      }
      for (other, relationship) in oneWayOwners(of: name) { touch(other, bits(other, relationship)) }
      remove(name)
    }
  }

  /// Whether the other end stores the key of this one in a column.
  private func isKeyThere(_ entity: String, _ relationship: Sketch.Relationship) -> Bool {
    guard let inverse = sketch.inverse(of: relationship) else { return relationship.isToMany }
    return !inverse.isToMany
  }

  /// To-many relationships without an inverse that contain the object, with their owners.
  private func oneWayOwners(of name: String) -> [(String, Sketch.Relationship)] {
    objects.flatMap { other, object in
      relationships(object.entity).filter { relationship in
        relationship.isToMany && relationship.inverse == nil && targets(other, relationship.name).contains(name)
      }.map { (other, $0) }
    }
  }

  private mutating func remove(_ name: String) {
    guard let object = objects.removeValue(forKey: name) else { return }
    updated[name] = nil
    if inserted.remove(name) == nil {
      deleted[name] = names.preserved(object.entity).map { object.values[$0] ?? .null }
    }
    for other in objects.keys {
      for relationship in objects[other]?.links.keys.sorted() ?? [] {
        objects[other]?.links[relationship]?.removeAll { $0.target == name }
      }
    }
  }

  // MARK: Relationships

  /// The names of the bits of one end.
  private func bits(_ object: String, _ relationship: Sketch.Relationship) -> [String] {
    let name = relationship.name
    guard !relationship.isToMany else { return [name] }
    let inverse = sketch.inverse(of: relationship)
    return [name] + (sketch.hasSubentities(relationship.destination) ? [name + "#entity"] : [])
      + (inverse.map { $0.isToMany && $0.isOrdered } ?? false ? [name + "#order"] : [])
  }

  private mutating func append(_ target: String, to object: String, _ relationship: Sketch.Relationship) {
    let last = (objects[object]?.links[relationship.name] ?? []).map(\.order).max() ?? 0
    objects[object]?.links[relationship.name, default: []].append(
      Link(target: target, order: relationship.isOrdered ? last + 1_024 : 0))
  }

  private mutating func disconnect(_ object: String, _ relationship: Sketch.Relationship, _ target: String) {
    objects[object]?.links[relationship.name]?.removeAll { $0.target == target }
    touch(object, bits(object, relationship))
    guard let inverse = sketch.inverse(of: relationship) else { return }
    objects[target]?.links[inverse.name]?.removeAll { $0.target == object }
    touch(target, bits(target, inverse))
  }

  private mutating func connect(_ object: String, _ relationship: Sketch.Relationship, _ target: String) {
    if let inverse = sketch.inverse(of: relationship) {
      if !inverse.isToMany {
        for earlier in targets(target, inverse.name) where earlier != object { disconnect(target, inverse, earlier) }
      }
      append(target, to: object, relationship)
      touch(object, bits(object, relationship))
      if !(inverse.name == relationship.name && object == target) { append(object, to: target, inverse) }
      touch(target, bits(target, inverse))
      return
    }
    if relationship.isToMany {
      for (earlier, owned) in oneWayOwners(of: target)
      where owned.name == relationship.name && isSame(owned, earlier, object) {
        objects[earlier]?.links[owned.name]?.removeAll { $0.target == target }
        touch(earlier, [owned.name])
      }
    }
    append(target, to: object, relationship)
    touch(object, bits(object, relationship))
  }

  /// Whether both objects inherit the relationship from the same entity.
  private func isSame(_ relationship: Sketch.Relationship, _ left: String, _ right: String) -> Bool {
    func holder(_ object: String) -> String? {
      objects[object].flatMap { object in
        sketch.lineage(object.entity).first { $0.relationships.contains { $0.name == relationship.name } }?.name
      }
    }
    return holder(left) == holder(right)
  }

  /// Sets the objects of a relationship. Returns whether something changed.
  mutating func set(_ object: String, _ relationship: Sketch.Relationship, _ wanted: [String]) -> Bool {
    let before = targets(object, relationship.name)
    guard relationship.isOrdered ? before != wanted : Set(before) != Set(wanted) else { return false }
    for target in before where !wanted.contains(target) { disconnect(object, relationship, target) }
    for target in wanted where !before.contains(target) { connect(object, relationship, target) }
    guard relationship.isOrdered else { return true }
    touch(object, [relationship.name])
    let inverse = sketch.inverse(of: relationship)
    for (index, target) in wanted.enumerated() {
      let link = objects[object]?.links[relationship.name]?.firstIndex { $0.target == target } ?? 0
      guard objects[object]?.links[relationship.name]?[link].order != (index + 1) * 1_024 else { continue }
      objects[object]?.links[relationship.name]?[link].order = (index + 1) * 1_024
      if let inverse, !inverse.isToMany { touch(target, [inverse.name + "#order"]) }
    }
    return true
  }

  // MARK: Comparison

  /// All objects as the decoder should read them.
  func expected() -> [String: PlainDecoder.Object] {
    objects.mapValues { object in
      var found = PlainDecoder.Object(lock: object.lock, values: object.values)
      for relationship in relationships(object.entity) {
        found.related[relationship.name] = (object.links[relationship.name] ?? []).sorted {
          ($0.order, PlainDecoder.key($0.target)) < ($1.order, PlainDecoder.key($1.target))
        }.map(\.target)
      }
      return found
    }
  }
}
