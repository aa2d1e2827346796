// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// A terminal that `script` simulates.
enum Terminal {
  static let script = "/usr/bin/script"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: script) }

  /// All bytes that the shell command `command` writes to the terminal. In the command, `$F` is the program.
  static func run(
    _ bench: ShellFixture, _ command: String, columns: Int = 80,
    environment: [String: String] = ["FOLLOWSPOT_PAGER": ""]
  ) throws -> String {
    var shell = bench.shell
    shell.environment.merge(["TERM": "xterm", "SHELL": "/bin/sh", "F": Shell.program]) { $1 }
    shell.environment.merge(environment) { $1 }
    return try shell.run(["-qec", "stty cols \(columns); " + command, "/dev/null"], program: script).output
  }

  /// The output of `command`, split into lines.
  static func lines(
    _ bench: ShellFixture, _ command: String, columns: Int = 80,
    environment: [String: String] = ["FOLLOWSPOT_PAGER": ""]
  ) throws -> [String] {
    try run(bench, command, columns: columns, environment: environment)
      .replacingOccurrences(of: "\r\n", with: "\n").split(separator: "\n").map(String.init)
  }
}
