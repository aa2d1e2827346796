// SPDX-License-Identifier: MIT

import TestSupport

/// One event of a simulation. Its random numbers come from its own seed, so that a schedule can be shortened without
/// changing the other events.
struct Step: Sendable, CustomStringConvertible {
  enum Kind: String, Sendable {
    case save
    /// A save by a program whose clock is a year behind, or ten ahead.
    case saveAtOddTime
    /// A process that indexes what is there and ends.
    case pass
    /// A process that goes on from step to step, until another one has to write.
    case follow
    /// A process that ends after some small batches.
    case crashBetweenParts
    /// A process that ends before it commits what it wrote.
    case crashInPart
    case rebuild
    case replay
    /// What a rebuild leaves that was killed.
    case killedRebuild
    case rollback
    case purge
    case purgeByAge
    /// A purge that does not wait for the index.
    case purgePast
    /// Another reader of the history comes, moves or goes.
    case consumer
    case copy
    /// The store is replaced by the older copy.
    case restore
    case migrate
    /// A row is changed behind the back of the history, found and mended.
    case mend
    case search
  }

  let kind: Kind
  let seed: Int

  var description: String { "\(kind.rawValue)(\(seed % 1_000))" }

  private static let often: [Kind] = [.save, .save, .save, .save, .pass, .pass, .follow, .follow, .follow]
  private static let seldom: [Kind] = [
    .saveAtOddTime, .saveAtOddTime, .crashBetweenParts, .crashBetweenParts, .crashInPart, .rebuild, .replay,
    .killedRebuild, .rollback, .purge, .purge, .purgeByAge, .purgePast, .consumer, .copy, .copy, .restore, .restore,
    .migrate, .migrate,
    .mend, .search,
  ]

  /// The schedule of a seed.
  static func schedule(seed: Int) -> [Step] {
    var generator = SeededGenerator(seed: seed)
    return (0..<Int.random(in: 12...24, using: &generator)).map { _ in
      let kinds = Bool.random(using: &generator) ? often : seldom
      let kind = kinds.randomElement(using: &generator) ?? .save
      return Step(kind: kind, seed: Int.random(in: 0..<1_000_000, using: &generator))
    }
  }
}
