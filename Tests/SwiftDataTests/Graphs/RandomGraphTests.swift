// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// Random graphs of objects are the same in the context, in the store and in dictionaries.
@Suite(.everyStore, .overlapping) struct RandomGraphTests {
  @Test(arguments: Rounds.seeds(8, full: 40, long: 600))
  func `objects that are connected, deleted and saved are those of a graph of dictionaries`(seed: Int) throws {
    var round = try GraphRound(seed)
    for step in 0..<60 {
      try round.run()
      guard round.differences.isEmpty else {
        let steps = round.steps.suffix(25).joined(separator: "\n")
        Issue.record("seed \(seed), step \(step): \(round.differences.joined(separator: "; "))\n\(steps)")
        return
      }
    }
  }
}

/// A context and the dictionaries, which change in the same way.
private struct GraphRound {
  private typealias Kind = PlainGraph.Kind

  private let container: ModelContainer
  private var context: ModelContext
  private var random: SeededGenerator
  private var plain = PlainGraph()
  private var saved = PlainGraph()
  /// All objects so far that may be in the context.
  private var objects: [Int: any Numbered] = [:]
  private var next = 1
  private(set) var steps: [String] = []
  private(set) var differences: [String] = []

  init(_ seed: Int) throws {
    container = try newContainer(
      Harbour.self, Line.self, Beacon.self, Mooring.self, Ferry.self, Barge.self, Pontoon.self, Dock.self)
    context = ModelContext(container)
    random = SeededGenerator(seed: seed)
  }

  // MARK: Choices

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func flip() -> Bool { pick(2) == 0 }
  private mutating func one<Element>(of elements: [Element]) -> Element? { elements.randomElement(using: &random) }
  private mutating func note(_ step: String) { steps.append(step) }

  private mutating func relation(of number: Int) -> Relation? {
    one(of: plain.kind(number).flatMap { plain.relations[$0] } ?? [])
  }

  // MARK: Steps

  mutating func run() throws {
    switch pick(24) {
    case 0...5: createMember()
    case 6...7: createHub()
    case 8...12: connect()
    case 13: disconnect()
    case 14...16: delete()
    case 17...18: peek()
    case 19: try compare(context, "the context")
    case 20: rollback()
    case 21: try count()
    default: try save()
    }
  }

  private mutating func newNumber() -> Int {
    next += 1
    return next - 1
  }

  private mutating func makeHub(_ kind: Kind) -> Int {
    let number = newNumber()
    let hub: any Numbered =
      switch kind {
      case .harbour: Harbour(number)
      case .line: Line(number)
      case .beacon: Beacon(number)
      case .mooring: Mooring(number)
      default: Dock(number)
      }
    objects[number] = hub
    plain.insert(number, kind)
    return number
  }

  private mutating func createHub() {
    let kind = one(of: [Kind.harbour, .line, .beacon, .mooring, .dock])!
    let number = makeHub(kind)
    note("insert \(kind) \(number)")
    context.insert(objects[number]!)
  }

  /// Makes a member that refers to hubs, of which some are new. It enters the context in one of several ways.
  private mutating func createMember() {
    let kind = one(of: [Kind.ferry, .barge, .pontoon])!
    var (given, late): ([String: Int], [Int]) = ([:], [])
    let relations = plain.relations[kind]!
    for relation in relations where relation.isRequired || pick(3) > 0 {
      if pick(4) > 0, let hub = one(of: plain.numbers(relation.target)) {
        given[relation.name] = hub
      } else if relation.isRequired || pick(3) == 0 {
        let hub = makeHub(relation.target)
        if flip() { context.insert(objects[hub]!) } else { late.append(hub) }
        given[relation.name] = hub
      }
    }
    let number = newNumber()
    func hub<Hub: Numbered>(_ name: String) -> Hub? { given[name].map { objects[$0] as! Hub } }
    let member: any Numbered =
      switch kind {
      case .ferry: Ferry(number, harbour: hub("harbour"), line: hub("line"), beacon: hub("beacon"))
      case .barge: Barge(number, harbour: hub("harbour"), line: hub("line"), mooring: hub("mooring"))
      default: Pontoon(number, mooring: hub("mooring"), dock: hub("dock")!)
      }
    objects[number] = member
    plain.insert(number, kind)
    for relation in relations { if let hub = given[relation.name] { plain.link(number, relation, hub) } }
    let start = "\(kind) \(number) of \(given.sorted { $0.key < $1.key }) with new \(late)"
    let relation = one(of: relations)!
    let hubs = plain.numbers(relation.target).filter { !late.contains($0) }
    let owner = (flip() ? given[relation.name].flatMap { late.contains($0) ? nil : $0 } : nil) ?? one(of: hubs)
    let isLinked = given.contains { !late.contains($0.value) } && kind == .ferry
    switch pick(4) {
    case 0 where owner != nil:
      note("\(start), appended to \(owner!)")
      back(of: relation).append(objects[owner!]!, member)
      plain.link(number, relation, owner!)
    case 1 where owner != nil:
      note("\(start), assigned to \(owner!)")
      let back = back(of: relation)
      back.write(objects[owner!]!, back.read(objects[owner!]!) + [member])
      plain.link(number, relation, owner!)
    case 2 where isLinked: note("\(start), not inserted")
    default:
      note("\(start), inserted")
      context.insert(member)
    }
    for hub in late { context.insert(objects[hub]!) }
  }

  private func back(of relation: Relation) -> Relation {
    plain.relations[relation.target]!.first { $0.name == relation.inverse }!
  }

  private mutating func connect() {
    guard let number = one(of: plain.numbers), let relation = relation(of: number),
      let target = one(of: plain.numbers(relation.target)), target != number || relation.inverse == nil
    else { return }
    // An object is in one relationship without an inverse: its row has the key of one owner.
    if relation.name == "seen", plain.numbers(.beacon).contains(where: { plain.targets($0, relation).contains(target) })
    {
      return
    }
    // A tree has no cycle.
    if relation.name == "branches" || relation.name == "trunk" {
      let (trunk, branch) = relation.isMany ? (number, target) : (target, number)
      guard branch > trunk else { return }
    }
    if relation.isMany, flip() {
      note("append \(target) to \(number).\(relation.name)")
      relation.append(objects[number]!, objects[target]!)
    } else if relation.isMany {
      note("assign \(number).\(relation.name) with \(target)")
      let others = relation.read(objects[number]!).filter { $0 !== objects[target]! }
      relation.write(objects[number]!, others + [objects[target]!])
    } else {
      note("set \(number).\(relation.name) to \(target)")
      relation.write(objects[number]!, [objects[target]!])
    }
    plain.link(number, relation, target)
  }

  private mutating func disconnect() {
    guard let number = one(of: plain.numbers), let relation = relation(of: number), !relation.isRequired,
      relation.target != .pontoon, let target = one(of: plain.targets(number, relation).sorted())
    else { return }
    note("remove \(target) from \(number).\(relation.name)")
    if relation.isMany {
      relation.remove(objects[number]!, objects[target]!)
    } else {
      relation.write(objects[number]!, [])
    }
    plain.unlink(number, relation, target)
  }

  private mutating func delete() {
    guard let number = one(of: plain.numbers) else { return }
    note("delete \(plain.kind(number)!) \(number)")
    context.delete(objects[number]!)
    plain.delete(number)
  }

  private mutating func rollback() {
    note("roll back")
    context.rollback()
    plain = saved
  }

  private mutating func save() throws {
    note("save")
    if plain.isDenied {
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      return rollback()
    }
    try context.save()
    plain.save()
    saved = plain
    if context.hasChanges { differences.append("changes after the save") }
    if flip() { try compare(context, "the context after a save") }
    try compare(ModelContext(container), "a new context")
    guard flip() else { return }
    note("continue in a new context")
    context = ModelContext(container)
    objects = try fetchAll(context)
  }

  // MARK: Comparing

  private func fetchAll(_ context: ModelContext) throws -> [Int: any Numbered] {
    func all<Model: Numbered>(_ type: Model.Type) throws -> [(Int, any Numbered)] {
      try context.fetch(FetchDescriptor<Model>()).map { ($0.number, $0) }
    }
    let found =
      try all(Harbour.self) + all(Line.self) + all(Beacon.self) + all(Mooring.self) + all(Ferry.self)
      + all(Barge.self) + all(Pontoon.self) + all(Dock.self)
    return Dictionary(found) { first, _ in first }
  }

  private mutating func compare(_ context: ModelContext, _ place: String) throws {
    let found = try fetchAll(context)
    guard found.keys.sorted() == plain.numbers else {
      differences.append("\(place) has \(found.keys.sorted()), not \(plain.numbers)")
      return
    }
    for (number, object) in found { compare(object, number, plain.relations[plain.kind(number)!]!, place) }
  }

  private mutating func compare(_ object: any Numbered, _ number: Int, _ relations: [Relation], _ place: String) {
    for relation in relations {
      let targets = relation.read(object)
      let found = Set(targets.map(\.number))
      // Before the save a relationship that leads one way may still have deleted objects.
      let isUnsaved = place == "the context" && relation.inverse == nil
      let expected = plain.targets(number, relation)
      guard isUnsaved ? found.isSuperset(of: expected) : found == expected, found.count == targets.count else {
        let relation = "\(plain.kind(number)!) \(number).\(relation.name)"
        differences.append("\(place): \(relation) has \(targets.map(\.number).sorted()), not \(expected.sorted())")
        continue
      }
    }
  }

  /// Reads one relationship.
  private mutating func peek() {
    guard let number = one(of: plain.numbers), let relation = relation(of: number) else { return }
    note("read \(number).\(relation.name)")
    compare(objects[number]!, number, [relation], "the context")
  }

  /// Counts by predicates.
  private mutating func count() throws {
    note("count")
    func expect<Model: Numbered>(
      _ predicate: Predicate<Model>, _ kind: Kind, _ name: String, where holds: (Int) -> Bool
    ) throws {
      let relation = plain.relations[kind]!.first { $0.name == name }!
      let expected = plain.numbers(kind).filter { holds(plain.targets($0, relation).count) }
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
      if found != expected { differences.append("\(kind).\(name): the predicate finds \(found), not \(expected)") }
    }
    try expect(#Predicate<Ferry> { $0.line == nil }, .ferry, "line") { $0 == 0 }
    try expect(#Predicate<Ferry> { $0.beacon == nil }, .ferry, "beacon") { $0 == 0 }
    try expect(#Predicate<Barge> { $0.line != nil }, .barge, "line") { $0 > 0 }
    try expect(#Predicate<Harbour> { $0.ferries.count == 1 }, .harbour, "ferries") { $0 == 1 }
    try expect(#Predicate<Line> { $0.beacons.isEmpty }, .line, "beacons") { $0 == 0 }
    try expect(#Predicate<Line> { $0.branches.count > 0 }, .line, "branches") { $0 > 0 }
  }
}
