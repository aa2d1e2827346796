// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// The characters of graphs: blocks where the locale is UTF-8, otherwise ASCII.
enum Glyphs {
  /// The variable that names the locale, and its value; nil if none is set.
  static func locale(_ environment: [String: String]) -> (variable: String, name: String)? {
    for variable in ["LC_ALL", "LC_CTYPE", "LANG"] {
      if let name = environment[variable], !name.isEmpty { return (variable, name) }
    }
    return nil
  }

  static func isUTF8(locale name: String) -> Bool {
    let encoding = name.lowercased()
    return encoding.contains("utf-8") || encoding.contains("utf8")
  }

  static let hasBlocks = locale(ProcessInfo.processInfo.environment).map { isUTF8(locale: $0.name) } ?? false

  /// A bar of `length` columns. A bar of any length above 0 is visible.
  static func bar(_ length: Double) -> String {
    guard length > 0 else { return "" }
    guard hasBlocks else { return String(repeating: "#", count: max(1, Int(length.rounded()))) }
    let eighths = max(1, Int((length * 8).rounded()))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  /// A graph of one character for each value, scaled to the highest one.
  static func sparkline(_ values: [Int]) -> String {
    let steps = Array(hasBlocks ? "▁▂▃▄▅▆▇█" : "_.-=+*%#")
    let highest = max(1, values.max() ?? 0)
    return String(
      values.map { value in
        let height = Double(max(0, value)) / Double(highest) * Double(steps.count - 1)
        // Any lag is visible.
        return steps[value > 0 ? max(1, Int(height.rounded())) : 0]
      })
  }
}
