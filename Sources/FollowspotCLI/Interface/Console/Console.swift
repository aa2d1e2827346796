// SPDX-License-Identifier: MIT

internal import Glibc

/// Standard output with a buffer, and standard error. If the reader of a pipe exits, the process ends without an error.
enum Console {
  nonisolated(unsafe) private static var buffer: [UInt8] = []

  static let isOutputTerminal = isatty(1) == 1
  static let isErrorTerminal = isatty(2) == 1
  static let isInputTerminal = isatty(0) == 1

  /// The name of the program, which diagnostics begin with.
  package nonisolated(unsafe) private(set) static var program = ""
  /// The signal that is to end the process; 0 if there was none.
  nonisolated(unsafe) private static var stopSignal: () -> Int32 = { 0 }
  /// Starts a shell command with a descriptor as its standard input. Returns its process; nil if that fails.
  nonisolated(unsafe) private(set) static var startShell: (_ command: String, _ input: Int32) -> Int32? = { _, _ in nil
  }

  /// Messages that are printed after the pager has released the terminal.
  nonisolated(unsafe) private static var deferred: [String] = []
  /// Whether the terminal shows a progress line.
  nonisolated(unsafe) private static var showsProgress = false
  /// A sentence about work that is complete, even if printing its result fails.
  package nonisolated(unsafe) static var accomplished: String?

  /// Call this before the first output.
  static func use(
    program: String, stopSignal: @escaping () -> Int32,
    startShell: @escaping (_ command: String, _ input: Int32) -> Int32?
  ) {
    (self.program, self.stopSignal, self.startShell) = (program, stopSignal, startShell)
  }

  /// The number of columns of the terminal; defaults to 80.
  static let width: Int = {
    var size = winsize()
    for descriptor: Int32 in [1, 2] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return 80
  }()

  // MARK: Output

  /// Writes to standard output. Only one thread may call this.
  static func write(_ text: String) { write(bytes: Array(text.utf8)) }

  static func write(line: String) { write(line + "\n") }

  /// What separates the columns of a line: spaces on a terminal, a TAB elsewhere.
  static var separator: String { isOutputTerminal ? "  " : "\t" }

  /// Writes a line of columns without control characters.
  static func write(cells: [String], separator: String = "\t") {
    write(line: cells.map(\.printable).joined(separator: separator))
  }

  static func write(bytes: [UInt8]) {
    buffer += bytes
    if buffer.count > 1 << 16 { flush() }
  }

  /// Writes help, wrapped to the width of a terminal.
  static func write(help text: String) {
    write(isOutputTerminal ? HelpText.fitted(text, width: width) : text)
  }

  static func flush() {
    progress(nil)
    if !buffer.isEmpty { Pager.start() }
    var start = 0
    while start < buffer.count {
      let count = buffer[start...].withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      if count < 0 {
        let code = errno
        if code == EINTR, stopSignal() == 0 || accomplished != nil { continue }
        buffer.removeAll()
        switch code {
        // The reader of the pipe reads no more.
        case EINTR: end(128 + stopSignal())
        case EPIPE: end(0)
        default: fail(String(cString: strerror(code)))
        }
      }
      start += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func fail(_ reason: String) -> Never {
    // After work that is complete, this is not a failure: a script that retries would repeat the change.
    let done = accomplished.map { "\($0); but " } ?? ""
    note("\(program): \(done)standard output cannot be written: \(reason)")
    exit((accomplished == nil ? ExitCode.failure : .success).rawValue)
  }

  /// Flushes the buffer, waits for the pager and ends the process.
  static func end(_ code: Int32) -> Never {
    flush()
    Pager.finish()
    for line in deferred { note(line) }
    // Threads of a stopped build may still run. `exit` would destroy objects that they use, so `_exit` ends the
    // process.
    if stopSignal() != 0 { _exit(code) }
    exit(code)
  }

  // MARK: Messages

  private static func writeError(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// Prints one line on standard error. If that is a terminal and a pager runs, the line waits for the pager's end.
  static func note(_ line: String) {
    guard !Pager.isRunning || !isErrorTerminal else { return deferred.append(line) }
    progress(nil)
    writeError(line + "\n")
  }

  /// Prints a diagnostic line: `PROGRAM: message`. On a terminal it is wrapped between words.
  static func say(_ message: String) {
    let line = "\(program): " + CommandHints.complete(message).printable
    note(isErrorTerminal ? WordWrap.paragraph(line).joined(separator: "\n") : line)
  }

  /// Prints a hint on one line, so that the user can copy a command from it.
  static func hint(_ text: String) { note("hint: " + CommandHints.complete(text).printable) }

  /// Asks the user a question on the terminal. Every answer except yes means no.
  static func asks(_ question: String) -> Bool {
    progress(nil)
    writeError(question + " [y/N] ")
    return readLine()?.lowercased().hasPrefix("y") == true
  }

  /// Shows a progress line that the next call overwrites. It is shown only on a terminal; nil removes it.
  static func progress(_ line: String?) {
    guard isErrorTerminal, line != nil || showsProgress else { return }
    showsProgress = line != nil
    writeError("\r\u{1b}[K" + (line ?? ""))
  }
}
