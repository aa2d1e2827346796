// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Glibc

/// The pager for output that is longer than a screen. It starts at the first write to a terminal, and the program waits
/// for it at the end. The exit code is this program's, not the pager's.
enum Pager {
  nonisolated(unsafe) private static var wanted: String?
  nonisolated(unsafe) private static var process: pid_t?

  static var isRunning: Bool { process != nil }

  /// Sends all further output through a pager, if standard output is a terminal.
  static func use() {
    wanted = Console.isOutputTerminal ? command(ProcessInfo.processInfo.environment) : nil
  }

  /// The pager's command: `$PROGRAM_PAGER`, `$PAGER` or less; nil if no pager is used.
  private static func command(_ environment: [String: String]) -> String? {
    let named = environment[Console.program.uppercased() + "_PAGER"] ?? environment["PAGER"]
    let command = named ?? "less -FRX"
    let program = command.split(separator: " ").first.map(String.init) ?? ""
    guard !program.isEmpty, program != "cat", environment["TERM"] != "dumb" else { return nil }
    // A command with shell syntax is passed on unchecked, because only the shell can report its errors.
    guard program.allSatisfy({ $0.isLetter || $0.isNumber || "_-.+/".contains($0) }) else { return command }
    return FilePath.program(program).map { _ in command }
  }

  /// Starts the pager. If that fails, output goes directly to the terminal.
  static func start() {
    guard let command = wanted else { return }
    wanted = nil
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Default options for less: exit if the output fits on one screen, and keep colours.
    setenv("LESS", "FRX", 0)
    process = Console.startShell(command, ends[0])
    if process != nil { dup2(ends[1], 1) }
    for end in ends { close(end) }
    // The pager handles interrupts, because it controls the terminal.
    if process != nil { for number in [SIGINT, SIGQUIT] { signal(number, SIG_IGN) } }
  }

  /// Closes the pager's input and waits until the user quits the pager.
  static func finish() {
    guard let pid = process else { return }
    close(1)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    process = nil
  }
}
