// SPDX-License-Identifier: MIT

internal import SQLite

/// Enumerates the strings inside a JSON value with SQLite's JSON parser. Not thread-safe.
package final class JSONStrings {
  private let connection: Connection
  private var repaired: [UInt8] = []

  package init() throws {
    connection = try Connection(path: ":memory:", access: .create)
  }

  /// The part of `path` below `keys`, or the whole path if `keys` is empty. nil if the path neither equals `keys` nor
  /// is below them.
  package static func keys(of path: String, below keys: String) -> String? {
    guard !keys.isEmpty else { return path }
    if path == keys { return "" }
    return path.hasPrefix(keys + ".") ? String(path.dropFirst(keys.count + 1)) : nil
  }

  /// Calls `visit` with each string, in the order of the text, and with its path: the keys that lead to it, joined by
  /// dots. Array indices are not part of the path.
  ///
  /// - Parameter withOthers: Whether to visit numbers and booleans too, as they are written.
  /// - Returns: false if the bytes are not valid JSON. Then nothing was visited.
  package func each(
    in json: UnsafeRawBufferPointer, withOthers: Bool = false,
    _ visit: (_ path: String, _ text: UnsafeRawBufferPointer) -> Void
  ) throws -> Bool {
    try eachValue(in: json, withOthers: withOthers) { path, text, _ in visit(path, text) }
  }

  /// Calls `visit` with each string, number and boolean, and with its path, as `each` does.
  ///
  /// - Parameter withOthers: Whether to visit numbers and booleans. Their texts are those that SQLite gives them.
  /// - Returns: false if the bytes are not valid JSON. Then nothing was visited.
  package func eachValue(
    in json: UnsafeRawBufferPointer, withOthers: Bool = true,
    _ visit: (_ path: String, _ text: UnsafeRawBufferPointer, _ isString: Bool) -> Void
  ) throws -> Bool {
    if let strings = Self.plainStrings(in: json) {
      for range in strings { visit("", UnsafeRawBufferPointer(rebasing: json[range]), true) }
      return true
    }
    let statement = try connection.statement("SELECT type, atom, key, id, parent FROM json_tree(?1)")
    defer { statement.reset() }
    if Self.holdsEscapedNUL(json) {
      repaired = Self.replacingEscapedNULs(json)
      try repaired.withUnsafeBytes { try statement.bind(utf8: $0, at: 1) }
    } else {
      try statement.bind(utf8: json, at: 1)
    }
    var paths: [Int64: String] = [:]
    do {
      while try statement.step() {
        let isText = statement.bytes(at: 0).elementsEqual("text".utf8)
        let isContainer = !isText && statement.isNull(at: 1)
        guard isText || isContainer || withOthers else { continue }
        let outer = statement.isNull(at: 4) ? "" : paths[statement.integer(at: 4)] ?? ""
        var path = outer
        if statement.storageClass(at: 2) == .text {
          path += (path.isEmpty ? "" : ".") + statement.text(at: 2)
        }
        if isContainer { paths[statement.integer(at: 3)] = path }
        if isText {
          visit(path, statement.bytes(at: 1), true)
        } else if !isContainer {
          // SQLite returns booleans as numbers. The names of their types, `true` and `false`, are their texts.
          let isTruth = ["true", "false"].contains { statement.bytes(at: 0).elementsEqual($0.utf8) }
          visit(path, statement.bytes(at: isTruth ? 0 : 1), false)
        }
      }
    } catch {
      guard error.isStatementError else { throw error }
      return false
    }
    return true
  }

  /// The ranges of the strings in an array that contains only strings without escapes, as most lists do. nil for any
  /// other value, which SQLite has to parse.
  static func plainStrings(in json: UnsafeRawBufferPointer) -> [Range<Int>]? {
    var strings: [Range<Int>] = []
    var at = 0
    func skipSpace() { while at < json.count, [0x20, 0x09, 0x0a, 0x0d].contains(json[at]) { at += 1 } }
    func take(_ byte: UInt8) -> Bool {
      skipSpace()
      guard at < json.count, json[at] == byte else { return false }
      at += 1
      return true
    }
    guard take(UInt8(ascii: "[")) else { return nil }
    repeat {
      guard take(UInt8(ascii: "\"")) else { return nil }
      let start = at
      while at < json.count, json[at] != UInt8(ascii: "\"") {
        guard json[at] >= 0x20, json[at] != UInt8(ascii: "\\") else { return nil }
        at += 1
      }
      strings.append(start..<at)
      guard take(UInt8(ascii: "\"")) else { return nil }
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { return nil }
    skipSpace()
    return at == json.count ? strings : nil
  }

  // MARK: NUL

  /// Whether the text contains an escaped NUL, at which SQLite 3.40 truncates a string. A space replaces it, which
  /// separates words just as well.
  private static func holdsEscapedNUL(_ json: UnsafeRawBufferPointer) -> Bool {
    json.contains(UInt8(ascii: "\\")) && firstEscapedNUL(in: json, from: 0) != nil
  }

  package static func firstEscapedNUL(in json: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var at = start
    while at < json.count {
      guard json[at] == UInt8(ascii: "\\") else {
        at += 1
        continue
      }
      if at + 5 < json.count, json[(at + 1)..<(at + 6)].elementsEqual("u0000".utf8) { return at }
      at += 2
    }
    return nil
  }

  private static func replacingEscapedNULs(_ json: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes = Array(json)
    var at = 0
    while let found = firstEscapedNUL(in: json, from: at) {
      bytes.replaceSubrange((found + 1)..<(found + 6), with: "u0020".utf8)
      at = found + 6
    }
    return bytes
  }
}
