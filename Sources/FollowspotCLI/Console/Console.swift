// SPDX-License-Identifier: MIT

internal import Indexing

#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard output with a buffer, and standard error. If the reader of a pipe exits, the process ends without an error.
enum Console {
  nonisolated(unsafe) private static var buffer: [UInt8] = []

  static let isOutputTerminal = isatty(1) == 1
  static let isErrorTerminal = isatty(2) == 1
  static let isInputTerminal = isatty(0) == 1
  /// Messages that are printed after the pager has released the terminal.
  nonisolated(unsafe) private static var deferred: [String] = []

  /// Whether the terminal shows a progress line.
  nonisolated(unsafe) private static var showsProgress = false

  /// A sentence about work that is complete, even if printing its result fails.
  nonisolated(unsafe) static var accomplished: String?

  /// Writes help, wrapped to the width of a terminal.
  static func write(help text: String) {
    write(isOutputTerminal ? HelpText.fitted(text, width: width) : text)
  }

  /// The number of columns of the terminal; defaults to 80.
  static let width: Int = {
    var size = winsize()
    for descriptor: Int32 in [1, 2] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return 80
  }()

  /// Writes to standard output. Only one thread may call this.
  static func write(_ text: String) { write(bytes: Array(text.utf8)) }

  static func write(bytes: [UInt8]) {
    buffer += bytes
    if buffer.count > 1 << 16 { flush() }
  }

  static func flush() {
    progress(nil)
    if !buffer.isEmpty { Pager.start() }
    var start = 0
    while start < buffer.count {
      let count = buffer[start...].withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR {
          guard StopSignal.isRaised, accomplished == nil else { continue }
          // The reader of the pipe reads no more.
          buffer.removeAll()
          end(128 + StopSignal.number)
        }
        if errno == EPIPE {
          buffer.removeAll()
          end(0)
        }
        let reason = String(cString: strerror(errno))
        buffer.removeAll()
        guard let accomplished else {
          note("followspot: standard output cannot be written: \(reason)")
          exit(ExitCode.failure.rawValue)
        }
        // This is not a failure: a script that retries would repeat the change.
        note("followspot: \(accomplished); but standard output cannot be written: \(reason)")
        exit(ExitCode.success.rawValue)
      }
      start += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Flushes the buffer, waits for the pager and ends the process.
  static func end(_ code: Int32) -> Never {
    flush()
    Pager.finish()
    for line in deferred { note(line) }
    // Threads of a stopped build may still run. `exit` would destroy objects that they use, so `_exit` ends the
    // process.
    if StopSignal.number != 0 { _exit(code) }
    exit(code)
  }

  /// Prints one line on standard error. If that is a terminal and a pager runs, the line waits for the pager's end.
  static func note(_ line: String) {
    guard !Pager.isRunning || !isErrorTerminal else { return deferred.append(line) }
    progress(nil)
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// Prints a diagnostic line: `followspot: message`. On a terminal it is wrapped between words.
  static func say(_ message: String) {
    let line = "followspot: " + Visible.line(Advice.complete(message))
    note(isErrorTerminal ? WordWrap.paragraph(line).joined(separator: "\n") : line)
  }

  /// Prints a hint on one line, so that the user can copy a command from it.
  static func hint(_ text: String) { note("hint: " + Visible.line(Advice.complete(text))) }

  /// Asks the user a question on the terminal. Every answer except yes means no.
  static func asks(_ question: String) -> Bool {
    progress(nil)
    let bytes = Array((question + " [y/N] ").utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
    return readLine()?.lowercased().hasPrefix("y") == true
  }

  /// Shows a progress line that the next call overwrites. It is shown only on a terminal; nil removes it.
  static func progress(_ line: String?) {
    guard isErrorTerminal, line != nil || showsProgress else { return }
    showsProgress = line != nil
    let bytes = Array(("\r\u{1b}[K" + (line ?? "")).utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
