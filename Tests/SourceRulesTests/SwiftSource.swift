// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// One source file of the package, read as text.
struct SwiftSource {
  /// Below the directory that was searched.
  let path: String
  let lines: [String]

  /// The Swift files below a directory of the package, such as `Sources/SwiftData`.
  static func files(below directory: String) throws -> [SwiftSource] {
    let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let root = package.appendingPathComponent(directory).path
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
    try #require(!paths.isEmpty, "\(root) holds no Swift files")
    return try paths.sorted().map { path in
      let text = try String(contentsOfFile: root + "/" + path, encoding: .utf8)
      return SwiftSource(path: path, lines: text.components(separatedBy: "\n"))
    }
  }

  /// The text of a file of the package; nil if it cannot be read.
  static func text(of path: String) -> String? {
    let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try? String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
  }

  /// The text without imports, comments and string literals; what strings interpolate stays.
  var code: String {
    let lines = lines.filter { !$0.contains(#/^ *(?:@?\w+ )*import \w+$/#) }
    return lines.joined(separator: "\n").replacing(#/\/\/.*|"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"/#) { found -> String in
      guard found.output.hasPrefix("\"") else { return "" }
      return found.output.matches(of: #/\\\(([^)]*)\)/#).map { String($0.output.1) }.joined(separator: " ")
    }
  }
}
