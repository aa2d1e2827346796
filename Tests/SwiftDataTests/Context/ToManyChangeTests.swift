// SPDX-License-Identifier: MIT

import Observation
import SwiftData
import TestSupport
import Testing

@Model final class Depot {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Crate.depot) var crates: [Crate] = []
  @Relationship(inverse: \Crate.routes) var routed: [Crate]? = []
  /// Leads one way.
  @Relationship(inverse: nil) var lost: [Crate] = []

  init(_ name: String) { self.name = name }
}

@Model final class Crate {
  var number: Int
  var depot: Depot?
  var routes: [Depot] = []

  init(_ number: Int) { self.number = number }
}

/// Changes in place of to-many relationships, large and small.
@Suite(.everyStore) struct ToManyChangeTests {
  /// One of the depot's relationships.
  enum Kind: CaseIterable {
    case oneToMany, manyToMany, oneWay

    func change(_ depot: Depot, _ body: (inout [Crate]) throws -> Void) rethrows {
      switch self {
      case .oneToMany: try body(&depot.crates)
      case .manyToMany: try body(&depot.routed!)
      case .oneWay: try body(&depot.lost)
      }
    }

    func crates(of depot: Depot) -> [Crate] {
      switch self {
      case .oneToMany: depot.crates
      case .manyToMany: depot.routed ?? []
      case .oneWay: depot.lost
      }
    }

    /// Whether the crate knows of the depot.
    func leadsBack(_ crate: Crate, to depot: Depot) -> Bool? {
      switch self {
      case .oneToMany: crate.depot === depot
      case .manyToMany: crate.routes.contains { $0 === depot }
      case .oneWay: nil
      }
    }
  }

  private let container: ModelContainer
  private let context: ModelContext
  private let depot = Depot("north")

  init() throws {
    container = try newContainer(Depot.self, Crate.self)
    context = ModelContext(container)
    context.insert(depot)
  }

  private func crates(_ range: Range<Int>) -> [Crate] { range.map { Crate($0) } }

  /// The numbers of the crates that another context reads.
  private func savedNumbers(_ kind: Kind = .oneToMany) throws -> [Int] {
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Depot>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 1
    let depot = try #require(try other.fetch(descriptor).first)
    return kind.crates(of: depot).map(\.number)
  }

  // MARK: The same as an array

  @Test(arguments: Kind.allCases, [8, 100]) func `changes in place are those of an array, and both ends agree`(
    _ kind: Kind, _ size: Int
  ) throws {
    var generator = SeededGenerator(seed: size)
    var plain = crates(0..<size)
    var all = plain
    kind.change(depot) { $0 = plain }
    for step in 0..<300 {
      let new = crates((size + step * 3)..<(size + step * 3 + 3))
      let seed = Int.random(in: 0...1_000_000, using: &generator)
      all += new
      Self.change(&plain, new, seed)
      kind.change(depot) { Self.change(&$0, new, seed) }
      // A relationship leads to an object once.
      var seen: Set<ObjectIdentifier> = []
      plain = plain.filter { seen.insert(ObjectIdentifier($0)).inserted }
      let found = kind.crates(of: depot)
      try #require(found.count == plain.count && zip(found, plain).allSatisfy { $0 === $1 }, "step \(step)")
      if step % 50 == 49 {
        for crate in all {
          if let leadsBack = kind.leadsBack(crate, to: depot) {
            #expect(leadsBack == seen.contains(ObjectIdentifier(crate)), "step \(step), crate \(crate.number)")
          }
        }
        try context.save()
        #expect(try savedNumbers(kind).sorted() == plain.map(\.number).sorted(), "step \(step)")
        // A save may read the relationship again: it has no order in the store.
        let again = kind.crates(of: depot)
        #expect(again.map(\.number).sorted() == plain.map(\.number).sorted(), "step \(step)")
        plain = again
      }
    }
  }

  private static func change(_ crates: inout [Crate], _ new: [Crate], _ seed: Int) {
    var generator = SeededGenerator(seed: seed)
    func index() -> Int { Int.random(in: 0..<crates.count, using: &generator) }
    guard crates.count > 3 else { return crates.append(contentsOf: new) }
    switch Int.random(in: 0..<18, using: &generator) {
    case 0...2: crates.append(new[0])
    case 3: crates.append(contentsOf: new)
    case 4: crates += new
    case 5: crates.insert(new[0], at: index())
    case 6: crates.remove(at: index())
    case 7: crates.removeLast()
    case 8: crates.removeFirst()
    case 9: _ = crates.popLast()
    case 10: crates.removeAll { $0.number % 5 == 0 }
    case 11: crates.swapAt(index(), index())
    case 12: crates[index()] = new[0]
    case 13: crates.reverse()
    case 14: crates.append(crates[index()])
    case 15: crates.insert(crates[index()], at: 0)
    case 16:
      // Other elements change too, in one access.
      crates[index()] = new[1]
      crates.append(new[0])
      crates.swapAt(0, 1)
    default:
      let limit = crates[index()].number
      crates.removeAll { $0.number > limit }
    }
  }

  @Test func `a copy of the array does not change the relationship`() throws {
    depot.crates = crates(0..<50)
    let copy = depot.crates
    func change(_ crates: inout [Crate]) {
      var own = crates
      own.append(Crate(100))
      own.removeFirst()
      crates.append(Crate(101))
      own = crates
      own.removeAll { _ in true }
    }
    change(&depot.crates)
    #expect(copy.map(\.number) == Array(0..<50))
    #expect(depot.crates.map(\.number) == Array(0..<50) + [101])
    var last = depot.crates
    last.append(Crate(102))
    #expect(depot.crates.count == 51)
    #expect(last.last?.depot == nil)
  }

  @Test func `what was changed before an error stays`() throws {
    struct Problem: Error {}
    depot.crates = crates(0..<50)
    let (first, second) = (Crate(50), Crate(51))
    func change(_ crates: inout [Crate]) throws {
      crates.append(first)
      crates[0] = second
      throw Problem()
    }
    #expect(throws: Problem.self) { try change(&depot.crates) }
    #expect(depot.crates.map(\.number) == [51] + Array(1..<50) + [50])
    #expect(first.depot === depot && second.depot === depot)
  }

  @Test func `one change may contain another of the same relationship`() throws {
    depot.crates = crates(0..<50)
    let other = Depot("south")
    context.insert(other)
    other.crates = crates(50..<100)
    depot.crates.removeAll { crate in
      if crate.number % 2 == 0 { other.crates.append(crate) }
      return crate.number % 2 == 0
    }
    #expect(depot.crates.map(\.number) == Array(stride(from: 1, to: 50, by: 2)))
    #expect(other.crates.map(\.number) == Array(50..<100) + Array(stride(from: 0, to: 50, by: 2)))
    try context.save()
    #expect(try savedNumbers().sorted() == Array(stride(from: 1, to: 50, by: 2)))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Crate>()) == 100)
  }

  /// Neither reading nor appending copies the array.
  @Test func `the array of a relationship is shared with its readers and grows in place`() throws {
    depot.crates = crates(0..<100)
    func address() -> UnsafeRawPointer? { depot.crates.withUnsafeBytes { $0.baseAddress } }
    #expect(address() == address())
    var addresses: Set<UnsafeRawPointer?> = []
    for number in 100..<2_000 {
      depot.crates.append(Crate(number))
      addresses.insert(address())
    }
    for number in 2_000..<4_000 {
      Crate(number).depot = depot
      let crate = Crate(number + 2_000)
      context.insert(crate)
      crate.depot = depot
      addresses.insert(address())
    }
    #expect(addresses.count < 20)
  }

  // MARK: The other end

  @Test func `objects that leave one by one by their own end are gone, and come back at the end`() throws {
    let all = crates(0..<100)
    depot.crates = all
    try context.save()
    for crate in all where crate.number % 3 == 0 { crate.depot = nil }
    all[30].depot = depot
    all[3].depot = depot
    let expected = all.filter { $0.number % 3 != 0 } + [all[30], all[3]]
    #expect(depot.crates.map(\.number) == expected.map(\.number))
    for crate in all { crate.depot = nil }
    #expect(depot.crates.isEmpty)
    all[7].depot = depot
    #expect(depot.crates.map(\.number) == [7])
    try context.save()
    #expect(try savedNumbers() == [7])
  }

  @Test func `a relationship that was not read takes in many unsaved changes`() throws {
    depot.crates = crates(0..<100)
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
    let depot = try #require(try other.fetch(FetchDescriptor<Depot>()).first)
    for crate in all where crate.number % 2 == 0 { crate.depot = nil }
    for number in 100..<200 {
      let crate = Crate(number)
      other.insert(crate)
      crate.depot = depot
    }
    other.delete(all[1])
    #expect(depot.crates.map(\.number) == Array(stride(from: 3, to: 100, by: 2)) + Array(100..<200))
  }

  // MARK: Deletes

  @Test func `a cascade over many objects, saved or not`() throws {
    let all = crates(0..<100)
    depot.crates = Array(all[..<60])
    try context.save()
    depot.crates += all[60...]
    context.delete(depot)
    #expect(all.prefix(60).allSatisfy { $0.isDeleted })
    #expect(context.insertedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.count == 61)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Crate>()) == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Depot>()) == 0)
  }

  @Test func `unsaved objects that were deleted can be inserted again`() throws {
    let all = crates(0..<100)
    for crate in all { context.insert(crate) }
    for crate in all[20...] { context.delete(crate) }
    #expect(context.insertedModelsArray.count == 21)
    for crate in all[50..<60] { context.insert(crate) }
    let other = ModelContext(container)
    other.insert(all[70])
    #expect(context.insertedModelsArray.count == 31)
    try context.save()
    #expect(!context.hasChanges)
    try other.save()
    let numbers = try ModelContext(container).fetch(FetchDescriptor<Crate>()).map(\.number)
    #expect(numbers.sorted() == Array(0..<20) + Array(50..<60) + [70])
  }

  // MARK: Taking back

  @Test func `a rollback restores both ends`() throws {
    let all = crates(0..<100)
    depot.crates = all
    depot.lost = all
    try context.save()
    for number in 100..<150 { depot.crates.append(Crate(number)) }
    depot.crates.removeFirst()
    depot.lost.removeAll { $0.number > 10 }
    for crate in all[50...] { crate.depot = nil }
    context.rollback()
    #expect(depot.crates.map(\.number) == Array(0..<100))
    #expect(depot.lost.map(\.number) == Array(0..<100))
    #expect(all.allSatisfy { $0.depot === depot })
    #expect(!context.hasChanges)
    depot.crates.append(Crate(200))
    try context.save()
    #expect(try savedNumbers().sorted() == Array(0..<100) + [200])
  }

  @Test func `an undo takes back changes in place, and a redo makes them again`() throws {
    let all = crates(0..<100)
    depot.crates = all
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    manager.beginUndoGrouping()
    for number in 100..<120 { depot.crates.append(Crate(number)) }
    for crate in all[..<50] { crate.depot = nil }
    depot.crates.remove(at: 0)
    manager.endUndoGrouping()
    let changed = Array(51..<120)
    #expect(depot.crates.map(\.number) == changed)
    manager.undo()
    #expect(depot.crates.map(\.number) == Array(0..<100))
    #expect(all.allSatisfy { $0.depot === depot })
    manager.redo()
    #expect(depot.crates.map(\.number) == changed)
    #expect(all[..<51].allSatisfy { $0.depot == nil })
    try context.save()
    #expect(try savedNumbers().sorted() == changed)
  }

  // MARK: Observers

  @Test(arguments: [8, 100]) func `observers of both ends learn of a change in place once`(_ size: Int) throws {
    depot.crates = crates(0..<size)
    let crate = Crate(size)
    context.insert(crate)
    let told = Notes()
    func watch() {
      withObservationTracking {
        _ = depot.crates.count
      } onChange: {
        told.add("depot")
      }
      withObservationTracking {
        _ = crate.depot
      } onChange: {
        told.add("crate")
      }
    }
    watch()
    depot.crates.append(crate)
    #expect(told.all.sorted() == ["crate", "depot"])
    watch()
    depot.crates.removeLast()
    #expect(told.all.sorted() == ["crate", "crate", "depot", "depot"])
    watch()
    crate.depot = depot
    #expect(told.all.sorted() == ["crate", "crate", "crate", "depot", "depot", "depot"])
  }

  private final class Notes: @unchecked Sendable {
    // Unchecked: the changes are made on the test's own thread.
    private(set) var all: [String] = []
    func add(_ note: String) { all.append(note) }
  }
}
