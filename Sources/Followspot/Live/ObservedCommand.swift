// SPDX-License-Identifier: MIT

internal import Base

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
    let terminal: Int32? = isatty(0) == 1 && tcgetpgrp(0) == getpgrp() ? 0 : nil
    stop = StopSignal.catchFromNow()
    do {
      // The command has the terminal before it runs, so that Ctrl-C never reaches this process instead.
      group = try ChildProcess.start(
        words[0], words, output: 2, withErrors: false, isGroup: true, terminal: terminal,
        signals: [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGTTOU])
    } catch {
      if let terminal { Self.give(terminal, to: getpgrp()) }
      throw OperationError(.usage, String(describing: error))
    }
    self.terminal = terminal
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
