// SPDX-License-Identifier: MIT

/// A pattern for words in which `*` stands for any letters, such as `lib*ssl` and `*ssl*`.
struct WordPattern {
  /// What every matching word starts with.
  let start: [UInt8]
  private let inner: [[UInt8]]
  private let end: [UInt8]

  /// - Parameter text: Folded, in lower case, with at least one `*`.
  init(_ text: String) {
    let parts = text.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
    start = parts.first ?? []
    inner = parts.dropFirst().dropLast().filter { !$0.isEmpty }
    end = parts.last ?? []
  }

  /// Whether a word consists of the parts of the pattern in their order, with any letters between them.
  func matches(_ word: UnsafeRawBufferPointer) -> Bool {
    guard word.starts(with: start) else { return false }
    var at = start.count
    for part in inner {
      guard let found = word.offset(of: part, from: at) else { return false }
      at = found + part.count
    }
    return word.count - at >= end.count && word.suffix(end.count).elementsEqual(end)
  }
}
