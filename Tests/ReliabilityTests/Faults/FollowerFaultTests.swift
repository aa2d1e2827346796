// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// After a failing call a follower discards its writer, tries again, and ends equal.
@Suite(.overlapping(minutes: 60))
struct FollowerFaultTests {
  private static let calls: [FaultPoint.Call] = [.write, .sync, .rename, .create, .open]

  /// Runs a follower on an existing index beside five saves. Returns its calls.
  private func follow(_ fault: FaultPoint) throws -> [FaultPoint.Line] {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 1, films: 20)
      let shell = Shell(in: directory)
      #expect(try shell.run("index").code == 0)
      let trace = directory.file("trace")
      var faulty = shell
      faulty.environment.merge(try fault.environment(directory: bench.index.path, trace: trace)) { $1 }
      var follower = try faulty.start(["index", "--follow"])
      if !follower.waitForError("following ") {
        // What is wrong from the beginning is said and ends the follower; it is started again.
        let ended = follower.wait()
        #expect(ended.code == 2 && ended.errors.contains(bench.index.path), "\(fault): \(ended)")
        follower = try shell.start(["index", "--follow"])
        #expect(follower.waitForError("following "))
      }
      for _ in 0..<3 {
        for _ in 0..<3 { try bench.saveRandomly() }
        let waited = try shell.run("wait", "--timeout", "60s")
        #expect(waited.code == 0, "\(fault): \(waited)\n\(follower.errors)")
      }
      #expect(try bench.dump() == (try bench.expectedDump()), "\(fault)")
      follower.signal(SIGTERM)
      let ended = follower.wait()
      #expect(ended.code == 0, "\(fault): \(ended)")
      let verified = try shell.run("verify")
      #expect(verified.code == 0, "\(fault): \(verified)")
      return FaultPoint.trace(trace)
    }
  }

  @Test func `after one failing call a follower ends equal, and never repeats a failed sync of a file`() throws {
    let calm = try follow(FaultPoint(calls: Self.calls))
    var met = 0
    for point in Rounds.sample(of: calm.count, 3, full: 10) {
      let trace = try follow(FaultPoint(calls: Self.calls, at: point, fate: .failure(EIO, isLasting: false)))
      guard let fault = trace.firstIndex(where: \.isFault) else { continue }
      met += 1
      guard trace[fault].call.hasSuffix("sync") else { continue }
      // Xapian's files are opened anew, its draft of the version file and the directory are not kept open at all.
      let path = trace[fault].path
      let later = trace[(fault + 1)...].first { $0.path == path && ["open to write", "fdatasync"].contains($0.call) }
      #expect(
        !path.hasSuffix(".glass") || later?.call == "open to write",
        "\(trace[fault]), then \(String(describing: later))")
    }
    print("a follower met \(met) failing calls of \(calm.count)")
    #expect(met > 0)
  }
}
