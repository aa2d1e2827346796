// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// One store and index for all tests that only read. They are removed at the end of the process.
enum SharedFilms {
  static let bench: Result<Bench, any Error> = Result {
    let directory = try TemporaryDirectory()
    let bench = Bench(directory: directory, shell: Shell(in: directory))
    _ = try bench.importRecords(Films.lines, options: ["--kind", "Film", "--author", "test"])
    _ = try bench.shell.run("index")
    atexit { if case .success(let bench) = SharedFilms.bench { bench.directory.remove() } }
    return bench
  }
}
