// SPDX-License-Identifier: MIT

internal import CSupport
internal import Indexing

#if canImport(Glibc)
  internal import Glibc
#endif

/// A command that runs in a process group of its own, so that all of its processes can be ended. Its standard output
/// goes to standard error.
package struct ObservedCommand {
  package enum End: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
    /// It was ended because the time was over.
    case timeout
  }

  private let group: pid_t
  /// The terminal on standard input, whose foreground the command has; nil if there is none.
  private let terminal: Int32?
  /// Becomes readable at a stop signal.
  private let stop: Int32

  /// Milliseconds between looks at the command.
  private static let pause: Int32 = 10
  /// Time for a command to end after SIGTERM, or after a signal that was passed to it.
  private static let grace = Duration.seconds(5)

  /// Starts a program that is looked up in PATH.
  package init(_ words: [String]) throws {
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, 2, 1)
    terminal = isatty(0) == 1 && tcgetpgrp(0) == getpgrp() ? 0 : nil
    // The command has the terminal before it runs, so that Ctrl-C never reaches this process instead.
    if let terminal { _ = cs_add_foreground(&actions, terminal) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, 0)
    // This program ignores some signals, and a process inherits that.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGTTOU] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
    stop = StopSignal.catchFromNow()
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, environ)
    guard code == 0 else {
      if let terminal { Self.give(terminal, to: getpgrp()) }
      throw OperationError(.usage, "\(words[0]) cannot be started: \(String(cString: strerror(code)))")
    }
    group = pid
  }

  /// Gives the terminal to the command, and continues it.
  private func resume() {
    guard terminal != nil else { return }
    giveTerminal(to: group)
    kill(-group, SIGCONT)
  }

  private func giveTerminal(to group: pid_t) {
    if let terminal { Self.give(terminal, to: group) }
  }

  private static func give(_ terminal: Int32, to group: pid_t) {
    let before = signal(SIGTTOU, SIG_IGN)
    tcsetpgrp(terminal, group)
    signal(SIGTTOU, before)
  }

  /// Waits until the command ends. A stop signal is passed to the command.
  ///
  /// - Parameter limit: Milliseconds after which the command and its processes are ended; nil for no limit.
  package func wait(limit: Int?) -> End {
    defer { giveTerminal(to: getpgrp()) }
    let clock = ContinuousClock()
    let deadline = limit.map { clock.now + .milliseconds($0) }
    while true {
      if let end = ended() { return end }
      if StopSignal.isRaised {
        return end(with: StopSignal.number == 0 ? SIGTERM : StopSignal.number)
      }
      if let deadline, clock.now >= deadline {
        _ = end(with: SIGTERM)
        return .timeout
      }
      var polled = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
      _ = poll(&polled, 1, Self.pause)
    }
  }

  /// nil while the command runs. If the user stops it from the terminal, this process is stopped, too.
  private func ended() -> End? {
    var status: Int32 = 0
    var code: pid_t
    repeat { code = waitpid(group, &status, WNOHANG | WUNTRACED) } while code < 0 && errno == EINTR
    guard code == group else { return nil }
    guard status & 0xff != 0x7f else {
      if terminal != nil, status >> 8 & 0xff == SIGTSTP {
        giveTerminal(to: getpgrp())
        raise(SIGSTOP)
        resume()
      }
      return nil
    }
    return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
  }

  /// Sends a signal to all processes of the command, and kills those that remain.
  private func end(with number: Int32) -> End {
    kill(-group, number)
    // A command that is stopped receives the signal when it continues.
    kill(-group, SIGCONT)
    let clock = ContinuousClock()
    let deadline = clock.now + Self.grace
    while clock.now < deadline {
      if let end = ended() {
        kill(-group, SIGKILL)
        return end
      }
      usleep(UInt32(Self.pause) * 1_000)
    }
    kill(-group, SIGKILL)
    while true {
      if let end = ended() { return end }
      usleep(UInt32(Self.pause) * 1_000)
    }
  }
}
