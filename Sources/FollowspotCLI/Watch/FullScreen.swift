// SPDX-License-Identifier: MIT

internal import Glibc

/// A view that covers the terminal and is drawn in place. `close` restores the terminal.
final class FullScreen {
  private var saved: termios?
  private var shown: [String] = []
  private var shownSize: (columns: Int, rows: Int) = (0, 0)
  private var readsKeys = false

  init() {
    var settings = termios()
    if Console.isInputTerminal, tcgetattr(0, &settings) == 0 {
      saved = settings
      readsKeys = true
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      // A suspended or aborted process would leave its view on the terminal.
      withUnsafeMutableBytes(of: &settings.c_cc) { for key in [VSUSP, VQUIT] { $0[Int(key)] = 0 } }
      tcsetattr(0, TCSADRAIN, &settings)
    }
    write("\u{1b}[?1049h\u{1b}[?25l")
  }

  /// Restores the terminal.
  func close() {
    write("\u{1b}[?25h\u{1b}[?1049l")
    if var saved { tcsetattr(0, TCSADRAIN, &saved) }
  }

  /// The present size of the terminal; it may change while the view is open.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (Console.width, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws the lines that differ from the last call. The first one is bold.
  func draw(_ lines: [String]) {
    let size = size
    var text = ""
    if size != shownSize {
      text = "\u{1b}[2J"
      shown = []
      shownSize = size
    }
    let fitted = lines.prefix(size.rows).map { DisplayWidth.truncate($0, to: size.columns) }
    for row in 0..<max(fitted.count, shown.count) {
      let line = row < fitted.count ? fitted[row] : ""
      guard row >= shown.count || shown[row] != line else { continue }
      text += "\u{1b}[\(row + 1);1H\u{1b}[K" + (row == 0 ? Style.bold(line) : line)
    }
    shown = fitted
    if !text.isEmpty { write(text) }
  }

  /// Waits for a key, for at most `milliseconds`; nil if none was pressed or if `stopDescriptor` became readable.
  func key(milliseconds: Int32, stopDescriptor: Int32) -> UInt8? {
    guard Descriptors.wait(for: [stopDescriptor, readsKeys ? 0 : -1], milliseconds: milliseconds)[1] else { return nil }
    var key: UInt8 = 0
    // At its end, standard input is always readable.
    if read(0, &key, 1) != 1 { readsKeys = false }
    return readsKeys ? key : nil
  }

  private func write(_ text: String) {
    Console.write(text)
    Console.flush()
  }
}
