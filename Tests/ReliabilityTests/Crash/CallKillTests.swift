// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// kill -9 at each call that changes a file. The effects of the calls before it remain.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct CallKillTests {
  @Test(arguments: Scenario.all)
  func `a kill before any call leaves a valid state`(_ scenario: Scenario) throws {
    let stage = try Stage(scenario)
    let calls = try stage.trace(FaultPoint.changes)
    let points = Rounds.sample(of: calls.count, 15, full: 90)
    var cut = 0
    for point in points {
      try stage.expectSound(FaultPoint(calls: FaultPoint.changes, at: point)) { round in
        // A call more or less is possible: stamps have random bits, and pages fill up by them.
        if round.fired != nil { cut += 1 }
        #expect(round.outcome.signal == (round.fired == nil ? 0 : SIGKILL), "\(round.outcome)")
      }
    }
    print("\(scenario.name): killed at \(cut) of \(calls.count) calls")
    #expect(calls.count >= scenario.leastCalls)
    #expect(cut >= min(scenario.leastCalls, points.count - 2))
  }

  @Test(arguments: Scenario.all)
  func `a kill after half of a write leaves a valid state`(_ scenario: Scenario) throws {
    let stage = try Stage(scenario)
    let calls = try stage.trace([.write])
    var cut = 0
    for point in Rounds.sample(of: calls.count, 4, full: 15) {
      try stage.expectSound(FaultPoint(calls: [.write], at: point, fate: .torn)) { round in
        if round.fired != nil { cut += 1 }
        #expect(round.outcome.signal == (round.fired == nil ? 0 : SIGKILL), "\(round.outcome)")
      }
    }
    print("\(scenario.name): torn in \(cut) of \(calls.count) writes")
    #expect(cut > 0)
  }
}
