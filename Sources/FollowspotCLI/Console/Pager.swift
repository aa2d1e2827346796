// SPDX-License-Identifier: MIT

internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

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

  /// The pager's command: `$FOLLOWSPOT_PAGER`, `$PAGER` or less; nil if no pager is used.
  private static func command(_ environment: [String: String]) -> String? {
    let named = environment["FOLLOWSPOT_PAGER"] ?? environment["PAGER"]
    let command = named ?? "less -FRX"
    let program = command.split(separator: " ").first.map(String.init) ?? ""
    guard !program.isEmpty, program != "cat", environment["TERM"] != "dumb" else { return nil }
    // A command with shell syntax is passed on unchecked, because only the shell can report its errors.
    guard program.allSatisfy({ $0.isLetter || $0.isNumber || "_-.+/".contains($0) }) else { return command }
    return isInstalled(program, environment["PATH"] ?? "/usr/bin:/bin") ? command : nil
  }

  private static func isInstalled(_ program: String, _ path: String) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// Starts the pager. If that fails, output goes directly to the terminal.
  static func start() {
    guard let command = wanted else { return }
    wanted = nil
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    process = spawn(command, input: ends[0])
    if process != nil { dup2(ends[1], 1) }
    for end in ends { close(end) }
    // The pager handles interrupts, because it controls the terminal.
    if process != nil { for number in [SIGINT, SIGQUIT] { signal(number, SIG_IGN) } }
  }

  private static func spawn(_ command: String, input: Int32) -> pid_t? {
    var pid: pid_t = 0
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    // This program ignores these signals; the pager must not inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    // Default options for less: exit if the output fits on one screen, and keep colours.
    setenv("LESS", "FRX", 0)
    var arguments = ["sh", "-c", command].map { (word: String) in strdup(word) } + [nil]
    defer { for argument in arguments { free(argument) } }
    return posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, environ) == 0 ? pid : nil
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
