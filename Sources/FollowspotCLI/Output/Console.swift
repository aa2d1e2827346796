#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard output, buffered, and standard error. A reader that goes away ends the process quietly.
enum Console {
  nonisolated(unsafe) private static var buffer: [UInt8] = []

  static let isOutputTerminal = isatty(1) == 1
  static let isErrorTerminal = isatty(2) == 1
  static let isInputTerminal = isatty(0) == 1

  /// Writes to standard output. One thread only.
  static func write(_ text: String) { write(bytes: Array(text.utf8)) }

  static func write(bytes: [UInt8]) {
    buffer += bytes
    if buffer.count > 1 << 16 { flush() }
  }

  static func flush() {
    var start = 0
    while start < buffer.count {
      let count = buffer[start...].withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { exit(0) }
        let reason = String(cString: strerror(errno))
        buffer.removeAll()
        note("followspot: standard output cannot be written: \(reason)")
        exit(2)
      }
      start += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// One line on standard error.
  static func note(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// One line of diagnostics: `followspot: what`.
  static func say(_ message: String) { note("followspot: " + Visible.line(message)) }

  /// Asks on the terminal; anything but yes is no.
  static func asks(_ question: String) -> Bool {
    let bytes = Array((question + " [y/N] ").utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
    return readLine()?.lowercased().hasPrefix("y") == true
  }

  /// One line on a terminal that the next call overwrites; nothing elsewhere.
  static func progress(_ line: String?) {
    guard isErrorTerminal else { return }
    let bytes = Array(("\r\u{1b}[K" + (line ?? "")).utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
