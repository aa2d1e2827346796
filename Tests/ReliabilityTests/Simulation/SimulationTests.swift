// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Whole lives of a store and its index, made up from a seed: saves, crashes, rebuilds, purges, restored copies,
/// migrations in any order. After each the promises hold.
@Suite(.overlapping(minutes: 600), .temporaryDirectory)
struct SimulationTests {
  private static let lanes = 2

  private static func run(_ schedule: [Step]) throws -> World {
    let directory = TemporaryDirectory(inMemory: true)
    defer { directory.remove() }
    let world = try World(in: directory)
    for step in schedule { try world.take(step) }
    return world
  }

  /// The schedule of a seed; it ends with a look.
  private static func schedule(_ seed: Int) -> [Step] {
    Step.schedule(seed: seed) + [Step(kind: .pass, seed: seed)]
  }

  /// Why a schedule fails; nil where it does not.
  private static func failure(of schedule: [Step]) -> String? {
    do {
      _ = try run(schedule)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// The shortest beginning of a schedule that fails once it is looked at, without the steps that do not matter.
  private static func shrink(_ schedule: [Step]) -> (schedule: [Step], reason: String) {
    let look = Step(kind: .pass, seed: 0)
    var shortest = (schedule: schedule, reason: failure(of: schedule) ?? "it went well the second time")
    for count in 0..<schedule.count {
      let beginning = schedule.prefix(count) + [look]
      if let reason = failure(of: Array(beginning)) {
        shortest = (Array(beginning), reason)
        break
      }
    }
    for index in shortest.schedule.indices.reversed() {
      var shorter = shortest.schedule
      shorter.remove(at: index)
      if let reason = failure(of: shorter) { shortest = (shorter, reason) }
    }
    return shortest
  }

  @Test(arguments: 0..<lanes)
  func `after any events in any order, an index that has caught up equals its store`(lane: Int) throws {
    let seeds = Rounds.seeds(24, full: 80, long: 100_000)
    var done: [Step.Kind: Int] = [:]
    var failed = 0
    for seed in seeds where abs(seed) % Self.lanes == lane {
      let schedule = Self.schedule(seed)
      do {
        done.merge(try Self.run(schedule).done, uniquingKeysWith: +)
      } catch {
        failed += 1
        let (shortest, reason) = Self.shrink(schedule)
        Issue.record("seed \(seed): \(error)\nshortest: \(shortest): \(reason)")
        if failed == 5 { break }
      }
    }
    let counts = done.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
    print("simulated from seed \(seeds.first ?? 0), lane \(lane) of \(Self.lanes): \(counts.joined(separator: ", "))")
  }

  @Test(arguments: Rounds.seeds(2, full: 5, long: 50))
  func `the same seed leads to the same content twice`(seed: Int) throws {
    let first = try Self.run(Self.schedule(seed))
    let second = try Self.run(Self.schedule(seed))
    #expect(first.trace == second.trace)
    #expect(!first.trace.isEmpty)
  }
}
