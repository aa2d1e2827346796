// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Failing calls: the disk is full, or has errors. The program reports that and ends. Nothing is lost, and the next run
/// continues.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct FailingCallTests {
  struct Failure: Sendable, CustomTestStringConvertible {
    let code: Int32
    let calls: [FaultPoint.Call]
    var isLasting = false

    var testDescription: String {
      let name = code == ENOSPC ? "ENOSPC" : "EIO"
      return "\(name) of \(calls.map(\.rawValue).joined(separator: ", "))\(isLasting ? ", lasting" : "")"
    }

    /// What a program that meets it may end with; 0 where the call was not needed.
    func exits(_ fired: FaultPoint.Line?, _ errors: String) -> Set<Int32> {
      guard code == ENOSPC else { return [0, 2] }
      // Xapian's own words hide why a new generation could not be written.
      if errors.contains("InvalidOperationError: cancel()") { return [2] }
      // SQLite tries once more for reading when it cannot make a file, and keeps the error of that alone.
      let isSQLites = fired?.call == "create" && fired?.path.hasPrefix("films.store.index") == false
      return isSQLites ? [0, 2, 75] : [0, 75]
    }
  }

  private static let failures = [
    Failure(code: ENOSPC, calls: [.write, .create, .link, .truncate]),
    Failure(code: ENOSPC, calls: [.write, .create, .link, .truncate], isLasting: true),
    Failure(code: EIO, calls: [.write]),
    Failure(code: EIO, calls: [.write], isLasting: true),
    Failure(code: EIO, calls: [.sync]),
    Failure(code: EIO, calls: [.sync], isLasting: true),
    Failure(code: EIO, calls: [.rename, .link]),
    Failure(code: EIO, calls: [.create]),
    Failure(code: EIO, calls: [.open]),
    Failure(code: EIO, calls: [.read]),
    Failure(code: EIO, calls: [.read], isLasting: true),
  ]

  @Test(
    arguments: Scenario.named("import into a new store", "import", "set", "first pass", "pass", "rebuild"), failures)
  func `a failing call is reported with the path, and nothing is lost`(_ scenario: Scenario, _ failure: Failure) throws
  {
    let stage = try Stage(scenario)
    let count = try stage.trace(failure.calls).count
    var refused = 0
    // Where the index cannot be read any more, Xapian must not try to commit: that crashes at few calls, and seldom.
    let isThorough = failure.calls == [.read] && failure.isLasting
    for point in Rounds.sample(of: count, isThorough ? 12 : 1, full: isThorough ? count : 2) {
      let fault = FaultPoint(
        calls: failure.calls, at: point, fate: .failure(failure.code, isLasting: failure.isLasting))
      try stage.expectSound(fault) { round in
        let what = "\(scenario.name), \(fault): \(round.fired?.description ?? "no fault")\n\(round.outcome)"
        #expect(round.outcome.signal == 0, "\(what)")
        #expect(failure.exits(round.fired, round.outcome.errors).contains(round.outcome.code), "\(what)")
        guard round.outcome.code != 0 else {
          // An index whose sync failed was never called durable.
          let isIndexSync = failure.calls == [.sync] && round.fired?.path.hasPrefix("films.store.index") == true
          #expect(!isIndexSync, "\(what)")
          return
        }
        refused += 1
        #expect(round.outcome.errors.hasPrefix("followspot: "), "\(what)")
        #expect(round.outcome.errors.contains(round.workspace.path), "\(what)")
        #expect(round.outcome.errors.contains("\nhint: "), "\(what)")
      }
    }
    print("\(scenario.name), \(failure.testDescription): \(refused) refusals, \(count) calls")
  }
}
