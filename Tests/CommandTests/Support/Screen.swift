import Foundation
import TestSupport

/// The screen of a tmux terminal after a command has ended.
struct Screen {
  static let program = "/usr/bin/tmux"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  let columns: Int
  let bench: Bench

  /// The lines of the screen, without empty lines at the end. The exit code follows the last line if it is not 0.
  func lines(after command: String) throws -> [String] {
    let server = try shell.start(options + ["-D"], program: Self.program)
    defer {
      _ = try? tmux(["kill-server"])
      _ = server.end(within: 10)
    }
    let end = "[exit "
    let session = ["new-session", "-d", "-x", "\(columns)", "-y", "100"]
    // The server has started when it accepts a command.
    let hasBegun = try eventually(within: 60) {
      try tmux(session + ["\(command); printf '\(end)%s]\\n' $?; exec sleep 600"]).code == 0
    }
    guard hasBegun else { return ["there is no session"] }
    var shown: [String] = []
    let hasEnded = try eventually(within: 60) {
      shown = try tmux(["capture-pane", "-p"]).output.components(separatedBy: "\n")
      return shown.contains { $0.hasPrefix(end) }
    }
    guard hasEnded else { return shown + ["the command does not end"] }
    return shown.filter { $0 != end + "0]" }.reversed().drop { $0.isEmpty }.reversed()
  }

  private var options: [String] { ["-u", "-L", "\(columns)", "-f", "/dev/null"] }

  private var shell: Shell {
    var shell = bench.shell
    // One server for each screen; its socket is among the files of the test.
    shell.environment["TMUX_TMPDIR"] = bench.directory.path
    shell.environment["SHELL"] = "/bin/sh"
    shell.environment["PATH"] = Shell.products + ":/usr/bin:/bin"
    return shell
  }

  /// Runs a tmux client. The client does not start a server, which would outlive it.
  private func tmux(_ arguments: [String]) throws -> Shell.Outcome {
    try shell.run(options + ["-N"] + arguments, program: Self.program)
  }
}
