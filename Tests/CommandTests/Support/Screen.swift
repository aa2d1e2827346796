// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// The screen of a tmux terminal.
struct Screen {
  static let program = "/usr/bin/tmux"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  /// Whether fzf, which `pick` runs, is installed.
  static var hasFinder: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/fzf") }

  let columns: Int
  var rows = 100
  /// The shell that runs the commands.
  var commandShell = "/bin/sh"
  let bench: ShellFixture

  private static let end = "[exit "

  /// The lines of the screen after a command, without empty lines at the end. The exit code follows the last line if it is
  /// not 0.
  func lines(after command: String) throws -> [String] {
    var shown: [String] = []
    let hasBegun = try run("\(command); printf '\(Self.end)%s]\\n' $?; exec sleep 600") { session in
      let hasEnded = try eventually(within: 60) {
        shown = try session.lines()
        return shown.contains { $0.hasPrefix(Self.end) }
      }
      if !hasEnded { shown.append("the command does not end") }
    }
    guard hasBegun else { return ["there is no session"] }
    return shown.filter { $0 != Self.end + "0]" }.reversed().drop { $0.isEmpty }.reversed()
  }

  /// Runs a command in a terminal of its own for as long as `body` runs.
  ///
  /// - Returns: Whether the terminal has started.
  @discardableResult
  func run(_ command: String, _ body: (Session) throws -> Void) throws -> Bool {
    let server = try shell.start(options + ["-D"], program: Self.program)
    defer {
      _ = try? tmux(["kill-server"])
      _ = server.end(within: 10)
    }
    let session = ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
    // The server has started when it accepts a command.
    guard try eventually(within: 60, { try tmux(session + [command]).code == 0 }) else { return false }
    try body(Session(screen: self))
    return true
  }

  /// A terminal in which a command runs.
  struct Session {
    fileprivate let screen: Screen

    func lines() throws -> [String] { try screen.tmux(["capture-pane", "-p"]).output.components(separatedBy: "\n") }

    /// Types keys, by their names in tmux (`Enter`, `M-s`), or text.
    func type(_ keys: String...) throws { _ = try screen.tmux(["send-keys"] + keys) }

    func resize(columns: Int, rows: Int) throws {
      _ = try screen.tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Waits until a condition holds for the lines of the screen, and returns them.
    func wait(until condition: ([String]) -> Bool) throws -> (lines: [String], isMet: Bool) {
      var shown: [String] = []
      let isMet = try eventually(within: 60) {
        shown = try lines()
        return condition(shown)
      }
      return (shown, isMet)
    }
  }

  private var options: [String] { ["-u", "-L", "\(columns)", "-f", "/dev/null"] }

  private var shell: Shell {
    var shell = bench.shell
    // One server for each screen; its socket is among the files of the test.
    shell.environment["TMUX_TMPDIR"] = bench.directory.path
    shell.environment["SHELL"] = commandShell
    shell.environment["PATH"] = Shell.programDirectory + ":/usr/bin:/bin"
    return shell
  }

  /// Runs a tmux client. The client does not start a server, which would outlive it.
  private func tmux(_ arguments: [String]) throws -> Shell.Outcome {
    try shell.run(options + ["-N"] + arguments, program: Self.program)
  }
}
