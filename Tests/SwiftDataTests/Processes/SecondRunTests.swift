// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

/// A program that is run again on the file that its last run left.
@Suite(.overlapping, .temporaryDirectory) struct SecondRunTests {
  private let directory = TemporaryDirectory()

  @Test func `every run finds the objects of earlier runs by text, order, section and token`() throws {
    func visit() throws -> [String] {
      let outcome = try Shell(in: directory).start(
        [directory.file("diary.store"), "owner", "visit"], program: Shell.products + "/ModelWriter"
      ).wait()
      try #require(outcome.code == 0, "\(outcome)")
      return outcome.output.split(separator: "\n").map(String.init)
    }
    #expect(
      try visit() == [
        "left: ", "found: item 9 of run 1, Item 10 of run 1", "with comments: item 9 of run 1",
        "sections: capital 1, Small 1", "undone: undone, as before", "authors: clerk, owner, owner",
      ])
    #expect(
      try visit() == [
        "left: item 9 of run 1, Item 10 of run 1",
        "found: item 9 of run 1, item 9 of run 2, Item 10 of run 1, Item 10 of run 2",
        "with comments: item 9 of run 2, item 9 of run 1", "sections: capital 2, Small 2",
        "undone: undone, as before", "authors: clerk, owner, owner",
      ])
  }
}
