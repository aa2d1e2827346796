internal import Followspot

#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard output, buffered, and standard error. A reader that goes away ends the process quietly.
enum Console {
  nonisolated(unsafe) private static var buffer: [UInt8] = []

  static let isOutputTerminal = isatty(1) == 1
  static let isErrorTerminal = isatty(2) == 1
  static let isInputTerminal = isatty(0) == 1
  /// Messages that wait while a pager has the terminal.
  nonisolated(unsafe) private static var deferred: [String] = []

  /// Whether the terminal shows a line of progress.
  nonisolated(unsafe) private static var showsProgress = false

  /// A sentence about what was done and stays done, even if the output that reports it fails.
  nonisolated(unsafe) static var accomplished: String?

  /// Help, fitted to a terminal.
  static func write(help text: String) {
    write(isOutputTerminal ? HelpText.fitted(text, width: width) : text)
  }

  /// Columns of the terminal; 80 where it does not say.
  static let width: Int = {
    var size = winsize()
    for descriptor: Int32 in [1, 2] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return 80
  }()

  /// Writes to standard output. One thread only.
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
        if errno == EINTR { continue }
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
        // Not a failure: a script that tried again would do it twice.
        note("followspot: \(accomplished); but standard output cannot be written: \(reason)")
        exit(ExitCode.success.rawValue)
      }
      start += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes what is left, waits for the pager and ends the process.
  static func end(_ code: Int32) -> Never {
    flush()
    Pager.finish()
    for line in deferred { note(line) }
    // Threads of a build that was stopped may still run: what `exit` destroys must not go beneath them.
    if StopSignal.number != 0 { _exit(code) }
    exit(code)
  }

  /// One line on standard error; behind the pager's end where that is on a terminal too.
  static func note(_ line: String) {
    guard !Pager.isRunning || !isErrorTerminal else { return deferred.append(line) }
    progress(nil)
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// One line of diagnostics: `followspot: what`. On a terminal it is broken between words.
  static func say(_ message: String) {
    let line = "followspot: " + Visible.line(Advice.complete(message))
    note(isErrorTerminal ? WordWrap.paragraph(line).joined(separator: "\n") : line)
  }

  /// What the user may do, on one line, so that a command in it can be copied.
  static func hint(_ text: String) { note("hint: " + Visible.line(Advice.complete(text))) }

  /// Asks on the terminal; every answer but yes counts as no.
  static func asks(_ question: String) -> Bool {
    progress(nil)
    let bytes = Array((question + " [y/N] ").utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
    return readLine()?.lowercased().hasPrefix("y") == true
  }

  /// One line on a terminal that the next call overwrites; nothing elsewhere.
  static func progress(_ line: String?) {
    guard isErrorTerminal, line != nil || showsProgress else { return }
    showsProgress = line != nil
    let bytes = Array(("\r\u{1b}[K" + (line ?? "")).utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
