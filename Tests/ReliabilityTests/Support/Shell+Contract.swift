// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

extension Shell {
  /// Runs a command that has to end by itself: one that hangs is killed, and an issue.
  func runToEnd(
    _ arguments: [String], program: String = Shell.program, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let running = try start(arguments, program: program)
    let end = Date().addingTimeInterval(60)
    while running.isRunning, Date() < end { usleep(2_000) }
    if running.isRunning {
      running.signal(SIGKILL)
      Issue.record("\(arguments) hangs: \(what)", sourceLocation: sourceLocation)
    }
    return running.wait()
  }

  /// Runs a command under a fault: it ends by itself, with a code of the contract and, where that is an error, with a
  /// sentence and a hint.
  @discardableResult
  func runInContract(
    _ arguments: [String], codes: Set<Int32>, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let outcome = try runToEnd(arguments, what, sourceLocation: sourceLocation)
    #expect(
      outcome.signal == 0 && codes.contains(outcome.code), "\(arguments), \(what): \(outcome)",
      sourceLocation: sourceLocation)
    if ![0, 1, 4].contains(outcome.code) {
      #expect(
        outcome.errors.contains("followspot: ") && outcome.errors.contains("\nhint: "),
        "\(arguments), \(what): \(outcome)", sourceLocation: sourceLocation)
    }
    return outcome
  }
}
