// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A failing allocation of SQLite or Xapian is an error, and does not end the process.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct AllocationTests {
  @Test(arguments: Scenario.named("import", "first pass", "pass", "rebuild"))
  func `a failing allocation is reported, and nothing is lost`(_ scenario: Scenario) throws {
    let stage = try Stage(scenario)
    let count = try stage.trace([.allocate]).count
    var refused = 0
    let points = Rounds.sample(of: count, 6, full: 26, long: 130)
    for point in points {
      let fault = FaultPoint(calls: [.allocate], at: point, fate: .failure(ENOMEM, isLasting: false))
      try stage.expectSound(fault) { round in
        let what = "\(scenario.name), \(fault): \(round.fired?.description ?? "no fault")\n\(round.outcome)"
        #expect(round.outcome.signal == 0, "\(what)")
        #expect([0, 2, 75].contains(round.outcome.code), "\(what)")
        guard round.outcome.code != 0 else { return }
        refused += 1
        #expect(round.outcome.errors.hasPrefix("followspot: "), "\(what)")
      }
    }
    print("\(scenario.name): \(points.count) of \(count) allocations failed, \(refused) ended the run")
    #expect(refused > 0)
  }
}
