// SPDX-License-Identifier: MIT

import TestSupport

/// One store and index for all tests that only read.
enum SharedFilms {
  static let bench = Result {
    try TemporaryDirectory.shared {
      let bench = ShellFixture.empty()
      _ = try bench.importRecords(Films.lines, options: ["--kind", "Film", "--author", "test"])
      _ = try bench.shell.run("index")
      return bench
    }
  }
}
