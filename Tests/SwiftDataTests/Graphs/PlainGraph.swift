// SPDX-License-Identifier: MIT

import SwiftData

/// A graph of objects in dictionaries: what the objects of a context are compared with.
struct PlainGraph {
  enum Kind: CaseIterable { case harbour, line, beacon, mooring, ferry, barge, pontoon, dock }

  private struct Object {
    let kind: Kind
    var isSaved = false
    var links: [String: Set<Int>] = [:]
  }

  let relations: [Kind: [Relation]]
  private var objects: [Int: Object] = [:]
  /// Deletes that are refused while an object still leads to the deleted one.
  private var denials: [(deleted: Int, relation: Relation)] = []

  init() { relations = Dictionary(grouping: Relation.all, by: \.kind) }

  func numbers(_ kind: Kind) -> [Int] { objects.filter { $0.value.kind == kind }.keys.sorted() }
  var numbers: [Int] { objects.keys.sorted() }
  func kind(_ number: Int) -> Kind? { objects[number]?.kind }

  /// The objects of a relationship. Links to deleted objects do not count.
  func targets(_ number: Int, _ relation: Relation) -> Set<Int> {
    (objects[number]?.links[relation.name] ?? []).filter { objects[$0] != nil }
  }

  /// Whether the next save is refused.
  var isDenied: Bool {
    denials.contains { deleted, relation in
      objects.values.contains { $0.kind == relation.target && $0.links[relation.inverse!]?.contains(deleted) ?? false }
    }
  }

  private func inverse(of relation: Relation) -> Relation? {
    relation.inverse.flatMap { name in relations[relation.target]?.first { $0.name == name } }
  }

  mutating func insert(_ number: Int, _ kind: Kind) { objects[number] = Object(kind: kind) }

  mutating func link(_ number: Int, _ relation: Relation, _ target: Int) {
    let back = inverse(of: relation)
    if !relation.isMany { unlinkAll(number, relation) }
    if let back, !back.isMany { unlinkAll(target, back) }
    objects[number]?.links[relation.name, default: []].insert(target)
    if let back { objects[target]?.links[back.name, default: []].insert(number) }
  }

  mutating func unlink(_ number: Int, _ relation: Relation, _ target: Int) {
    objects[number]?.links[relation.name]?.remove(target)
    if let back = inverse(of: relation) { objects[target]?.links[back.name]?.remove(number) }
  }

  mutating func unlinkAll(_ number: Int, _ relation: Relation) {
    for target in objects[number]?.links[relation.name] ?? [] { unlink(number, relation, target) }
  }

  mutating func delete(_ number: Int) {
    var waiting = [number]
    while let next = waiting.popLast() {
      guard let object = objects[next] else { continue }
      for relation in relations[object.kind] ?? [] {
        let targets = targets(next, relation)
        let back = inverse(of: relation)
        switch relation.rule {
        case .cascade: waiting += targets
        case .nullify: for target in targets where back != nil { unlink(next, relation, target) }
        case .deny where object.isSaved: denials.append((next, relation))
        case .deny, .noAction: for target in targets where back?.isMany ?? false { unlink(next, relation, target) }
        }
      }
      objects[next] = nil
    }
  }

  /// After a save nothing leads to deleted objects.
  mutating func save() {
    denials = []
    for number in objects.keys {
      objects[number]?.isSaved = true
      for name in objects[number]!.links.keys {
        objects[number]!.links[name] = objects[number]!.links[name]!.filter { objects[$0] != nil }
      }
    }
  }
}

/// One relationship of a class, read and written on its objects.
struct Relation {
  let kind: PlainGraph.Kind
  let name: String
  let target: PlainGraph.Kind
  let isMany: Bool
  var isRequired = false
  /// The name of the inverse; nil for a relationship that leads one way.
  let inverse: String?
  let rule: Schema.Relationship.DeleteRule
  let read: (any Numbered) -> [any Numbered]
  let write: (any Numbered, [any Numbered]) -> Void
  var append: (any Numbered, any Numbered) -> Void = { _, _ in }
  var remove: (any Numbered, any Numbered) -> Void = { _, _ in }

  private static func one<Owner: Numbered, Target: Numbered>(
    _ kind: PlainGraph.Kind, _ name: String, _ path: ReferenceWritableKeyPath<Owner, Target?>,
    _ target: PlainGraph.Kind, back: String?, _ rule: Schema.Relationship.DeleteRule = .nullify
  ) -> Relation {
    Relation(
      kind: kind, name: name, target: target, isMany: false, inverse: back, rule: rule,
      read: { [($0 as! Owner)[keyPath: path]].compactMap { $0 } },
      write: { ($0 as! Owner)[keyPath: path] = $1.first.map { $0 as! Target } })
  }

  private static func many<Owner: Numbered, Target: Numbered>(
    _ kind: PlainGraph.Kind, _ name: String, _ path: ReferenceWritableKeyPath<Owner, [Target]>,
    _ target: PlainGraph.Kind, back: String?, _ rule: Schema.Relationship.DeleteRule = .nullify
  ) -> Relation {
    Relation(
      kind: kind, name: name, target: target, isMany: true, inverse: back, rule: rule,
      read: { ($0 as! Owner)[keyPath: path] },
      write: { ($0 as! Owner)[keyPath: path] = $1.map { $0 as! Target } },
      append: { ($0 as! Owner)[keyPath: path].append($1 as! Target) },
      remove: { owner, target in (owner as! Owner)[keyPath: path].removeAll { $0 === target } })
  }

  static var all: [Relation] {
    [
      many(.harbour, "ferries", \Harbour.ferries, .ferry, back: "harbour", .cascade),
      many(.harbour, "barges", \Harbour.barges, .barge, back: "harbour", .cascade),
      one(.harbour, "beacon", \Harbour.beacon, .beacon, back: "harbour", .cascade),
      many(.line, "ferries", \Line.ferries, .ferry, back: "line", .cascade),
      many(.line, "barges", \Line.barges, .barge, back: "line"),
      many(.line, "branches", \Line.branches, .line, back: "trunk", .cascade),
      one(.line, "trunk", \Line.trunk, .line, back: "branches"),
      many(.line, "beacons", \Line.beacons, .beacon, back: "lines"),
      many(.beacon, "ferries", \Beacon.ferries, .ferry, back: "beacon"),
      one(.beacon, "harbour", \Beacon.harbour, .harbour, back: "beacon", .cascade),
      many(.beacon, "lines", \Beacon.lines, .line, back: "beacons"),
      many(.beacon, "seen", \Beacon.seen, .barge, back: nil),
      many(.mooring, "barges", \Mooring.barges, .barge, back: "mooring", .deny),
      many(.mooring, "pontoons", \Mooring.pontoons, .pontoon, back: "mooring", .noAction),
      one(.mooring, "marker", \Mooring.marker, .beacon, back: nil),
      one(.ferry, "harbour", \Ferry.harbour, .harbour, back: "ferries"),
      one(.ferry, "line", \Ferry.line, .line, back: "ferries"),
      one(.ferry, "beacon", \Ferry.beacon, .beacon, back: "ferries"),
      one(.barge, "harbour", \Barge.harbour, .harbour, back: "barges"),
      one(.barge, "line", \Barge.line, .line, back: "barges"),
      one(.barge, "mooring", \Barge.mooring, .mooring, back: "barges"),
      one(.pontoon, "mooring", \Pontoon.mooring, .mooring, back: "pontoons", .noAction),
      Relation(
        kind: .pontoon, name: "dock", target: .dock, isMany: false, isRequired: true, inverse: "pontoons",
        rule: .nullify, read: { [($0 as! Pontoon).dock] },
        write: { ($0 as! Pontoon).dock = $1[0] as! Dock }),
      many(.dock, "pontoons", \Dock.pontoons, .pontoon, back: "dock", .cascade),
    ]
  }
}
