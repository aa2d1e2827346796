// SPDX-License-Identifier: MIT

internal import Store

/// The SQL functions and collations that compiled predicates and sort orders call. Every `StoreSession` defines them for
/// its connection.
enum TextFunctions {
  static func define(in store: PersistentStore) throws {
    try store.use(
      StandardText(isEnglish: isEnglish) { text, other in
        text.localizedStandardContains(other)
      } compare: { text, other in
        text.localizedStandardCompare(other).rawValue
      })
    try store.define(function: "text_contains") { contains($0, $1) }
    try store.define(function: "text_starts") { starts($0, $1) }
    try store.define(measure: "text_count") { count($0) }
    try store.define(number: "json_number") { Double(text($0)) }
    try store.define(function: "decimal_before") { order(decimal($0), decimal($1)) < 0 }
    try store.define(function: "localized_before") { text($0).localizedCompare(text($1)) == .orderedAscending }
    try store.define(function: "case_insensitive_before") {
      text($0).caseInsensitiveCompare(text($1)) == .orderedAscending
    }
    try store.define(collation: "decimal") { order(decimal($0), decimal($1)) }
    try store.define(collation: "localized") { text($0).localizedCompare(text($1)).rawValue }
  }

  private static var isEnglish: Bool { Locale.current.language.languageCode?.identifier == "en" }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

  /// By characters, as Swift's `contains`.
  static func contains(_ whole: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    guard isPlain(whole), isPlain(part) else { return holds(text(whole), text(part)) }
    guard let first = part.first else { return true }
    guard whole.count >= part.count else { return false }
    for start in 0...(whole.count - part.count) where whole[start] == first {
      if whole[start..<(start + part.count)].elementsEqual(part) { return true }
    }
    return false
  }

  /// The standard library's search, which finds the empty text everywhere; Foundation's own for texts does not.
  private static func holds<Whole: Collection, Part: Collection>(_ whole: Whole, _ part: Part) -> Bool
  where Whole.Element: Equatable, Whole.Element == Part.Element { whole.contains(part) }

  /// By characters, as Swift's `starts(with:)`.
  static func starts(_ whole: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> Bool {
    guard isPlain(whole), isPlain(prefix) else { return text(whole).starts(with: text(prefix)) }
    return whole.starts(with: prefix)
  }

  static func count(_ bytes: UnsafeRawBufferPointer) -> Int { isPlain(bytes) ? bytes.count : text(bytes).count }

  /// Whether each byte is a character: ASCII without the pair of carriage return and line feed, which is one.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 < 0x80 && $0 != 0x0d }
  }

  private static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
    Decimal(string: text(bytes), locale: Locale(identifier: "en_US_POSIX"))
  }

  private static func order(_ left: Decimal?, _ right: Decimal?) -> Int {
    guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
    return left < right ? -1 : left > right ? 1 : 0
  }
}
