// SPDX-License-Identifier: MIT

import Testing

@testable import Followspot

@Suite struct RankingWeightsTests {
  @Test func `weights that no line sets are the standard ones`() throws {
    #expect(try RankingWeights(lines: "", of: "weights") == RankingWeights())
    var wanted = RankingWeights()
    (wanted.link, wanted.otherForm) = (-1.25, 2)
    #expect(try RankingWeights(lines: " link=-1.25\r\n# otherForm = 3\n\n\totherForm = 2", of: "weights") == wanted)
  }

  @Test(arguments: ["weight = 1", "= 1", "link", "link = ", "link = nan", "link = 1 2", "link = 1\nlink = 1"])
  func `a line that sets no weight is refused`(line: String) {
    #expect(throws: (any Error).self) { try RankingWeights(lines: line, of: "weights") }
  }
}
