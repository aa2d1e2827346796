// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Store

/// Whether a write-ahead log is empty decides whether a main file may be read alone.
@Suite struct EmptyLogTests {
  @Test func `a log is empty if it has no bytes or does not exist`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("films.store")
      #expect(CheckpointedFile.isLogEmpty(ofFileAt: path))
      _ = try directory.write("", to: "films.store-wal")
      #expect(CheckpointedFile.isLogEmpty(ofFileAt: path))
      _ = try directory.write("x", to: "films.store-wal")
      #expect(!CheckpointedFile.isLogEmpty(ofFileAt: path))
    }
  }

  @Test func `a log that cannot be looked at is not taken for an empty one`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("films.store")
      // A link to itself: stat fails with ELOOP.
      try FileManager.default.createSymbolicLink(atPath: path + "-wal", withDestinationPath: "films.store-wal")
      #expect(!CheckpointedFile.isLogEmpty(ofFileAt: path))
    }
  }
}
