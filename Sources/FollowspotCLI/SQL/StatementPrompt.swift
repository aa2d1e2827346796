// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Glibc

/// Reads standard input, and stops at a signal.
struct StatementInput {
  /// Readable when a signal was caught.
  let wake: Int32

  /// The whole input.
  func all() throws -> String {
    var bytes: [UInt8] = []
    while let chunk = try next() { bytes += chunk }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The next bytes, which are a line on a terminal; nil at the end.
  func next() throws -> [UInt8]? {
    while true {
      try StopSignal.check()
      guard Descriptors.wait(for: [0, wake])[0] else { continue }
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(0, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(chunk[..<count]) : nil
    }
  }
}

/// The prompt of `sql` on a terminal: statements that end with a semicolon, and commands that begin with a dot.
struct StatementPrompt {
  private let statement: StoreStatement
  private let printer: StatementPrinter
  private let input: StatementInput

  init(_ statement: StoreStatement, _ printer: StatementPrinter, _ input: StatementInput) {
    (self.statement, self.printer, self.input) = (statement, printer, input)
  }

  func run() throws -> ExitCode {
    _ = try statement.tables()
    Console.note("SQL on the store; .tables lists tables, .schema columns, .quit ends")
    var text = ""
    while true {
      ask(text.isEmpty ? "sql> " : "...> ")
      do {
        guard let line = try input.next() else {
          Console.note("")
          guard !text.isEmpty else { return .success }
          ErrorReport.say(
            CommandError("the input ended inside a statement, which was not run", hint: "end a statement with ;"))
          return .failure
        }
        text += String(decoding: line, as: UTF8.self)
        let word = text.split(whereSeparator: \.isWhitespace)
        if word.isEmpty {
          text = ""
        } else if word[0].hasPrefix(".") {
          text = ""
          if [".quit", ".exit"].contains(word[0]) { return .success }
          try command(word.map(String.init))
        } else if SQLText.isComplete(text) {
          let complete = text
          text = ""
          _ = try printer.run(complete)
        }
      } catch let error as OperationError where error.code == .stopped {
        // Ctrl-C cancels the statement; other signals end the prompt.
        guard StopSignal.number == SIGINT else { throw error }
        StopSignal.forget()
        text = ""
        Console.note("")
      } catch {
        ErrorReport.say(error)
      }
    }
  }

  private func ask(_ prompt: String) {
    Console.write(prompt)
    Console.flush()
  }

  private func command(_ words: [String]) throws {
    let tables = try statement.tables()
    func find(_ name: String) throws -> StoreTables.Description {
      if let table = tables.first(where: { $0.name.lowercased() == name.lowercased() }) { return table }
      throw CommandError(
        "there is no table '\(name)'", hint: Hint.nearest(NearestNames.of(name, among: tables.map(\.name))))
    }
    switch words[0] {
    case ".tables": Console.write(tables.map { SQLText.name($0.name) + "\n" }.joined())
    case ".schema":
      let wanted = try words.count > 1 ? [find(words[1])] : tables
      Console.write(wanted.map { TableText.line($0) + "\n" }.joined())
    default:
      throw CommandError(
        "there is no command '\(words[0])'", hint: Hint.known([".tables", ".schema [TABLE]", ".quit"]))
    }
    Console.flush()
  }
}
