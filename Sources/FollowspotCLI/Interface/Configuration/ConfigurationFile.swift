// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// The syntax of a configuration file: sections in brackets, `key = value` lines, and comment lines that start with `#`
/// or `;`.
enum ConfigurationFile {
  enum Line {
    /// The words between the brackets, at most two: the kind of the section, and its name.
    case section([Substring])
    case entry(key: String, value: String)
  }

  /// The path `$XDG_CONFIG_HOME/PROGRAM/config`; nil if the environment does not name a home directory. A directory that
  /// is not an absolute path is ignored, as the XDG base directory specification says.
  static func path(_ environment: [String: String]) -> String? {
    let directory = absolute(environment["XDG_CONFIG_HOME"]) ?? home(environment).map { $0 + "/.config" }
    return directory.map { "\($0)/\(Console.program)/config" }
  }

  static func home(_ environment: [String: String]) -> String? { absolute(environment["HOME"]) }

  private static func absolute(_ path: String?) -> String? { path.flatMap { $0.hasPrefix("/") ? $0 : nil } }

  /// Parses a line without blanks at its ends; nil for an empty line or a comment.
  ///
  /// - Throws: `CommandError` without the place of the line.
  static func parse(_ line: Substring) throws -> Line? {
    guard let first = line.first, first != "#", first != ";" else { return nil }
    if first == "[" {
      guard line.last == "]" else { throw CommandError("the section's ] is missing") }
      return .section(trimmed(line.dropFirst().dropLast()).split(separator: " ", maxSplits: 1))
    }
    guard let equals = line.firstIndex(of: "=") else {
      throw CommandError("'\(line)' is neither [section] nor key = value", hint: "comments begin with #")
    }
    let value = try unquoted(trimmed(line[line.index(after: equals)...]))
    return .entry(key: trimmed(line[..<equals]).lowercased(), value: value)
  }

  /// The text without quotation marks around it.
  static func unquoted(_ text: Substring) throws -> String {
    guard text.first == "\"" else { return String(text) }
    guard text.count > 1, text.last == "\"" else { throw CommandError("a quotation mark is missing") }
    return String(text.dropFirst().dropLast())
  }

  static func trimmed(_ text: Substring) -> Substring {
    // Most texts have no blanks at their ends.
    if let first = text.utf8.first, let last = text.utf8.last, (0x21..<0x7f).contains(first),
      (0x21..<0x7f).contains(last)
    {
      return text
    }
    let start = text.drop(while: \.isWhitespace)
    return start.prefix(upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)
  }
}
