// SPDX-License-Identifier: MIT

internal import SQLite

/// SQL as text: what can be said of it without preparing it.
package enum SQLText {
  /// Whether the text ends with a semicolon that ends a statement, rather than one inside a string or comment.
  package static func isComplete(_ sql: String) -> Bool { Connection.isComplete(sql) }

  /// The name as statements must write it: in quotation marks unless it is a plain word.
  package static func name(_ name: String) -> String {
    guard let connection = try? Connection(path: ":memory:", access: .create), connection.isName(name) else {
      return quoted(name)
    }
    return name
  }

  /// The first word of a text after blanks, comments and semicolons; empty if nothing follows them.
  static func firstWord(of sql: String) -> String {
    var rest = Substring(sql)
    while let first = rest.first {
      if first.isWhitespace || first == ";" {
        rest.removeFirst()
      } else if rest.hasPrefix("--") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
      } else {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return String(word.isEmpty ? rest.prefix(1) : word)
      }
    }
    return ""
  }
}
