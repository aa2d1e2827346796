// SPDX-License-Identifier: MIT

import Base
import Foundation
import SearchIndex
import TestSupport
import Testing

/// Locks in a process with several threads.
@Suite(.overlapping, .temporaryDirectory)
struct LockTests {
  @Test func `a refused lock closes its own file and no other`() async throws {
    let directory = TemporaryDirectory()
    let index = IndexDirectory(path: directory.path)
    let held = try FileLock(.update, in: index, verb: "test")
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<5_000 {
          #expect(throws: OperationError.self) { try FileLock(.update, in: index, verb: "test") }
        }
      }
      group.addTask {
        // A number that somebody else has closed is free for a third one's file.
        var lost = 0
        for _ in 0..<50_000 {
          let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
          for _ in 0..<20 where fcntl(descriptor, F_GETFD) < 0 { lost += 1 }
          if close(descriptor) != 0 { lost += 1 }
        }
        #expect(lost == 0)
      }
    }
    withExtendedLifetime(held) {}
  }
}
