// SPDX-License-Identifier: MIT

internal import Foundation

/// A program that measures: it prints its usage for `--help`, and errors as `followspot` does.
package enum MeasuringProgram {
  /// A call that is not valid, or a measurement that failed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package var hint: String?

    package init(_ description: String, hint: String? = nil) {
      self.description = description
      self.hint = hint
    }
  }

  private static let name = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent

  /// Runs `body` with the arguments of the process, or ends the process with exit code 2 and the error.
  package static func run(usage: String, _ body: ([String]) async throws -> Void) async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard !arguments.contains("--help") else { return print(usage) }
    do { try await body(arguments) } catch {
      let hint = (error as? Failure)?.hint.map { "hint: \($0)\n" } ?? ""
      FileHandle.standardError.write(Data("\(name): \(message(error))\n\(hint)".utf8))
      exit(2)
    }
  }

  private static func message(_ error: any Error) -> String {
    guard let error = error as? CocoaError else { return String(describing: error) }
    return [error.filePath, error.localizedDescription].compactMap(\.self).joined(separator: ": ")
  }

  /// A call that is not valid.
  package static func refusal(_ message: String) -> Failure { Failure(message, hint: "\(name) --help") }

  /// Divides arguments into the values of options, which all take one, and the others.
  ///
  /// - Throws: `Failure` for an unknown option, and for an option without its value.
  package static func divided(
    _ arguments: [String], options known: Set<String>
  ) throws -> (options: [String: String], others: [String]) {
    var (options, others): ([String: String], [String]) = ([:], [])
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        others.append(argument)
        continue
      }
      guard known.contains(argument) else { throw refusal("there is no option '\(argument)'") }
      guard let value = rest.popFirst() else { throw refusal("\(argument) needs a value") }
      options[argument] = value
    }
    return (options, others)
  }

  /// - Throws: `Failure` for anything but an integer above 0.
  package static func number(_ text: String, for name: String) throws -> Int {
    guard let number = Int(text), number > 0 else {
      throw refusal("\(name) must be an integer above 0, not '\(text)'")
    }
    return number
  }
}
