// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Everything at once, for long: saves without end beside two followers. One of them is left alone and watched; the
/// other is killed, raced for, rebuilt under, and put on a full disk.
///
/// 5 seconds in an ordinary run, 20 with FOLLOWSPOT_FULL=1, ten minutes with FOLLOWSPOT_LONG=1, or as many as
/// FOLLOWSPOT_SOAK_SECONDS says.
@Suite(.serialized, .overlapping(minutes: 1_440), .temporaryDirectory)
struct SoakTests {
  private let directory = TemporaryDirectory()

  private static let seconds =
    ProcessInfo.processInfo.environment["FOLLOWSPOT_SOAK_SECONDS"].flatMap { Double($0) }
    ?? Double(Rounds.count(5, full: 20, long: 600))
  private static let seed = Rounds.seeds(1, long: 1).first ?? 0

  @Test(arguments: [seed])
  func `a mixed load with kills, races, rebuilds, purges and full disks leaves no damage and no leaks`(
    seed: Int
  ) throws {
    // Xapian does not always survive a disk that fills under it: full disks are part of the long soak.
    let disk = Rounds.isLong ? try? SmallDisk(in: directory, megabytes: 128) : nil
    if disk == nil { print("no full disk: it takes FOLLOWSPOT_LONG=1 and a small file system that can be mounted") }
    var soak = try Soak(in: directory, disk: disk, seed: seed)
    let begun = Date()
    while Date().timeIntervalSince(begun) < Self.seconds { try soak.second(Date().timeIntervalSince(begun)) }
    try soak.end()
    let (resident, descriptors) = (soak.curve.growth(\.residentKilobytes), soak.curve.growth(\.descriptors))
    let lags = soak.lags.sorted()
    print(
      """
      soak of \(Int(Self.seconds)) s, seed \(seed): \(soak.saves) saves, \
      \(soak.done.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")); \
      follower \(resident.from) to \(resident.to) kB, \(descriptors.from) to \(descriptors.to) descriptors; \
      lag in transactions: median \(lags[lags.count / 2]), most \(lags.last ?? 0)
      """)
    // One megabyte in ten minutes, and what an allocator keeps; in seconds it has not settled.
    let allowed = Rounds.isLong ? Int(soak.curve.seconds / 600 * 1_024) + 4_096 : 32_768
    #expect(resident.to - resident.from <= allowed, "\(resident) kB in \(soak.curve.seconds) s")
    // A sample may fall into a look at the stub or the store.
    #expect(descriptors.to <= descriptors.from + 3, "\(descriptors)")
    #expect(resident.from > 0 && descriptors.from > 0)
  }
}
