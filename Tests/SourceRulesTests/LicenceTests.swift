// SPDX-License-Identifier: MIT

import Testing

@Suite struct LicenceTests {
  @Test(arguments: ["Sources", "Tests", "Index"])
  func `each source file names the licence`(_ directory: String) throws {
    for source in try SwiftSource.files(below: directory) {
      #expect(source.lines.first == "// SPDX-License-Identifier: MIT", "\(directory)/\(source.path)")
    }
  }
}
