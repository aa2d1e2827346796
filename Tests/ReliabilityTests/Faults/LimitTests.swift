// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Limits that a shell sets for a process.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct LimitTests {
  @Test func `a rebuild without enough memory reports that, and can be repeated`() throws {
    let specimen = try Specimen(seed: 3, films: 400)
    let rounds = Rounds.count(10, long: 60)
    var short = 0
    for round in 0..<rounds {
      let kilobytes = 36_000 + round * 70_000 / rounds
      try specimen.withCopy { copy in
        let outcome = try copy.shell.runToEnd(
          ["-c", "ulimit -v \(kilobytes) && exec \"$0\" \"$@\"", Shell.program, "rebuild"], program: "/bin/sh",
          "\(kilobytes) KiB")
        // The loader itself needs some: 127 is its own.
        #expect(outcome.signal == 0 && [0, 75, 127].contains(outcome.code), "\(kilobytes) KiB: \(outcome)")
        if outcome.code == 75 {
          short += 1
          #expect(
            outcome.errors.contains("out of memory") && outcome.errors.contains("\nhint: "),
            "\(kilobytes) KiB: \(outcome)")
        }
        try copy.shell.runInContract(["index"], codes: [0], "\(kilobytes) KiB")
        try copy.shell.runInContract(["verify"], codes: [0], "\(kilobytes) KiB")
      }
    }
    #expect(short > 0)
  }

  @Test func `a lack of descriptors is never reported as another writer`() throws {
    let specimen = try Specimen(seed: 4, films: 400)
    for limit in 6..<30 {
      try specimen.withCopy { copy in
        let outcome = try copy.shell.runToEnd(
          ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", Shell.program, "rebuild"], program: "/bin/sh", "\(limit)")
        #expect([0, 75, 127].contains(outcome.code), "\(limit) descriptors: \(outcome)")
        #expect(!outcome.errors.contains("another process"), "\(limit) descriptors: \(outcome)")
        if outcome.code == 75 {
          #expect(outcome.errors.lowercased().contains("too many open files"), "\(limit) descriptors: \(outcome)")
        }
      }
    }
  }
}
