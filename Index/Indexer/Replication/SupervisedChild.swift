// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// A running program whose output is kept, and which is ended together with this object.
final class SupervisedChild {
  private let pid: Int32
  private let output: Int32
  private var text: [UInt8] = []
  private(set) var status: Int32?

  /// Starts a program that ends when this process does.
  init(_ path: String, _ words: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw OperationError.system("a pipe cannot be created", errno)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let bound = XapianProgram.bound(path, words)
    let started = Result { try ChildProcess.start(bound.path, bound.words, output: ends[1], isGroup: true) }
    close(ends[1])
    output = ends[0]
    do { pid = try started.get() } catch {
      close(ends[0])
      throw error
    }
  }

  deinit {
    _ = end()
    close(output)
  }

  /// Whether the program still runs. Call it repeatedly: it also reads the program's output.
  var isRunning: Bool {
    read()
    guard status == nil else { return false }
    var code: Int32 = 0
    guard waitpid(pid, &code, WNOHANG) == pid else { return true }
    status = code & 0x7f == 0 ? code >> 8 & 0xff : 128 + code & 0x7f
    read()
    return false
  }

  /// Bytes that the program has read and written, to see whether it makes progress; nil if the system does not say it.
  var moved: Int? {
    guard let lines = try? String(contentsOfFile: "/proc/\(pid)/io", encoding: .utf8).split(separator: "\n") else {
      return nil
    }
    return lines.prefix(2).compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
  }

  /// Waits for the end of the program for a time, which may be cut short by a stop signal.
  func wait(milliseconds: Int32) {
    var polled = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    // The end of the program closes its output.
    _ = poll(&polled, 1, milliseconds)
  }

  /// Ends the program and those that it started, and returns the last line that it printed, if any.
  @discardableResult
  func end() -> String? {
    if isRunning {
      kill(-pid, SIGTERM)
      let deadline = ContinuousClock.now + .milliseconds(500)
      while isRunning, ContinuousClock.now < deadline { usleep(5_000) }
    }
    kill(-pid, SIGKILL)
    while isRunning { usleep(1_000) }
    return lastLine
  }

  /// The last line that the program printed, without its name; nil if it printed nothing.
  var lastLine: String? {
    guard let line = String(decoding: text, as: UTF8.self).split(separator: "\n").last else { return nil }
    return line.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? String(line)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(output, &buffer, buffer.count)
      guard count > 0 else { return }
      text = (text + buffer[..<count]).suffix(8_192)
    }
  }
}
