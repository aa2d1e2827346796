// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Glibc

/// What the events of saved searches are delivered to: standard output, or a shell command.
enum SavedReceiver {
  case output(SavedEventPrinter)
  case command(String, milliseconds: Int)

  /// Delivers all events that a watch has found.
  ///
  /// - Parameter store: The name of the store in its group; nil if there is no group.
  /// - Returns: The number of events.
  /// - Throws: `CommandError` if the command fails.
  func receive(_ watch: SavedWatch, in store: String?) throws -> Int {
    let name = watch.search.name
    switch self {
    case .output(let printer):
      return try watch.deliver {
        Console.write(bytes: try printer.line($0, of: name, in: store))
      } finish: {
        Console.flush()
      }
    case .command(let command, let milliseconds):
      // A file, because a command that does not read would block a pipe. It is created with the first event.
      var file: UnsafeMutablePointer<FILE>?
      defer { if let file { fclose(file) } }
      return try watch.deliver { event in
        if file == nil { file = tmpfile() }
        let line = try SavedEventPrinter(format: .ndjson).line(event, of: name, in: store)
        guard let file, fwrite(line, 1, line.count, file) == line.count else { throw Self.unwritable }
      } finish: {
        guard let file, fflush(file) == 0, lseek(fileno(file), 0, SEEK_SET) == 0 else { throw Self.unwritable }
        try Self.run(command, input: fileno(file), milliseconds: milliseconds)
      }
    }
  }

  private static var unwritable: CommandError {
    CommandError("the events cannot be written to a temporary file: \(String(cString: strerror(errno)))")
  }

  private static func run(_ command: String, input: Int32, milliseconds: Int) throws {
    let pid = try ChildProcess.start("/bin/sh", ["sh", "-c", command], input: input, isGroup: true)
    let code = ChildProcess.wait(forGroup: pid, milliseconds: milliseconds)
    try StopSignal.check()
    guard code != 0 else { return }
    let reason = code.map { "failed with exit code \($0)" } ?? "was ended after \(Double(milliseconds) / 1_000) s"
    throw CommandError("the command \(reason); its events will be passed to it again")
  }
}
