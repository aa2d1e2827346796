// SPDX-License-Identifier: MIT

internal import Indexing

/// An error as a person reads it.
enum ErrorReport {
  /// Prints an error with its position and its hint.
  static func say(_ error: any Error) {
    Console.say(String(describing: error))
    if let marked = (error as? QueryError)?.marked {
      Console.note(marked.split(separator: "\n").map { Visible.line(String($0)) }.joined(separator: "\n"))
    }
    if let hint = Hint.of(error) { Console.hint(hint) }
  }
}
