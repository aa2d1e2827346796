// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Store alone names the tables and columns of Core Data's layout.
@Suite struct StoreNameTests {
  @Test(arguments: ["Sources/SwiftData"])
  func `SQL of SwiftData does not name Core Data's columns`(_ directory: String) throws {
    for source in try SwiftSource.files(below: directory) {
      for (index, line) in source.lines.enumerated() where !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
        #expect(
          !line.contains(#/\bZ_[A-Z]|\b[a-z]\w*\.Z[A-Z]|\bA(?:TRANSACTION|CHANGE)/#),
          "\(source.path):\(index + 1): \(line)")
      }
    }
  }
}
