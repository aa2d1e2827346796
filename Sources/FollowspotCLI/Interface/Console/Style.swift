// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// Terminal styles: colour and weight, if the terminal and `--color` permit them.
enum Style {
  /// The value of `--color`. It is set before the first output.
  enum When: String, CaseIterable { case auto, always, never }

  package nonisolated(unsafe) static var when = When.auto

  /// Whether the terminal has no capabilities.
  static let isDumb = ["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM", default: ""])

  private static let isWanted =
    Console.isOutputTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  static var isOn: Bool { when == .always || (when == .auto && isWanted) }

  static func bold(_ text: String) -> String { isOn ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
  static func underlined(_ text: String) -> String { isOn ? "\u{1b}[4m\(text)\u{1b}[0m" : text }
  static func added(_ text: String) -> String { isOn ? "\u{1b}[32m\(text)\u{1b}[0m" : text }
  static func removed(_ text: String) -> String { isOn ? "\u{1b}[31m\(text)\u{1b}[0m" : text }
  static func dim(_ text: String) -> String { isOn ? "\u{1b}[2m\(text)\u{1b}[0m" : text }
}
