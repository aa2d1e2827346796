// SPDX-License-Identifier: MIT

internal import CSupport

#if canImport(Glibc)
  internal import Glibc
#endif

/// Programs that this one starts.
package enum ChildProcess {
  /// Starts a program with the environment of this process.
  ///
  /// - Parameters:
  ///   - path: The program; a name without a slash is looked up in PATH.
  ///   - output: The descriptor for standard output; nil for that of this process.
  ///   - withErrors: Whether standard error goes to `output`, too.
  ///   - errors: The file for standard error.
  ///   - input: The descriptor for standard input; nil for that of this process.
  ///   - isGroup: Whether the program is the first of a new process group, which can be ended as a whole.
  ///   - terminal: The terminal whose foreground the group has before the program runs; nil for none.
  ///   - signals: The signals that have their default effect. This program ignores some, and a program that it starts
  ///     would inherit that.
  package static func start(
    _ path: String, _ words: [String], output: Int32? = nil, withErrors: Bool = true, errors: String? = nil,
    input: Int32? = nil, isGroup: Bool = false, terminal: Int32? = nil, signals: [Int32] = [SIGPIPE, SIGXFSZ]
  ) throws -> Int32 {
    var pid: pid_t = 0
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      for descriptor: Int32 in 1...(withErrors ? 2 : 1) {
        posix_spawn_file_actions_adddup2(&actions, output, descriptor)
      }
    }
    if let errors { posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY, 0) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    if let terminal { _ = cs_add_foreground(&actions, terminal) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in signals { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | (isGroup ? POSIX_SPAWN_SETPGROUP : 0)))
    let code = posix_spawnp(&pid, path, &actions, &attributes, &arguments, environ)
    guard code == 0 else {
      throw OperationError(.file, "\(words[0]) cannot be started: \(String(cString: strerror(code)))")
    }
    return pid
  }

  /// Waits until the process ends, and returns whether its exit code was 0.
  package static func wait(_ pid: Int32) -> Bool { status(of: pid) == 0 }

  private static func status(of pid: Int32) -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return exitCode(status)
  }

  private static func exitCode(_ status: Int32) -> Int32 {
    status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }

  /// Waits until the first process of a group ends, for a time. Then, or at a stop signal, all processes of the group are
  /// ended: by SIGTERM, and half a second later by SIGKILL.
  ///
  /// - Returns: Its exit code, 128 and more for a signal; nil if it was ended here.
  package static func wait(forGroup pid: Int32, milliseconds: Int) -> Int32? {
    func isOver(within milliseconds: Int, _ isStopped: () -> Bool = { false }) -> Int32? {
      let deadline = ContinuousClock.now + .milliseconds(milliseconds)
      var status: Int32 = 0
      while true {
        if waitpid(pid, &status, WNOHANG) == pid { return exitCode(status) }
        guard ContinuousClock.now < deadline, !isStopped() else { return nil }
        usleep(2_000)
      }
    }
    if let code = isOver(within: milliseconds, { StopSignal.isRaised }) { return code }
    kill(-pid, SIGTERM)
    let isEnded = isOver(within: 500) != nil
    // Other processes of the group may still run.
    kill(-pid, SIGKILL)
    if !isEnded { _ = status(of: pid) }
    return nil
  }

  /// Runs a program to its end. Returns what it printed, errors included, and whether its exit code was 0.
  package static func run(_ path: String, _ words: [String]) throws -> (output: String, isSuccess: Bool) {
    let (output, status) = try capture(path, words, withErrors: true)
    return (output, status == 0)
  }

  /// Runs a program to its end.
  ///
  /// - Returns: What it printed, and its exit code; 128 and more for a signal.
  package static func capture(
    _ path: String, _ words: [String], withErrors: Bool = false
  ) throws -> (output: String, status: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw OperationError(.file, "a pipe cannot be created: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let started = Result { try start(path, words, output: ends[1], withErrors: withErrors) }
    close(ends[1])
    let pid = try started.get()
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    return (String(decoding: output, as: UTF8.self), status(of: pid))
  }
}
