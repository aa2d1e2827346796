// SPDX-License-Identifier: MIT

/// Terms of numbers of which a document may have several, so that a slot cannot hold them. A query finds those in a range.
///
/// Each number has two terms: one of the number, and one of the interval that its first two bytes name, which is 1/16 of
/// the numbers between two powers of two. A range has the terms of the intervals inside it, and those of the numbers that
/// it shares an interval with at its ends.
package struct NumberTerms: Hashable, Sendable {
  private let number: [UInt8]
  private let interval: [UInt8]

  /// - Parameters:
  ///   - number: The prefix of the terms of numbers.
  ///   - interval: The prefix of the terms of intervals.
  package init(number: [UInt8], interval: [UInt8]) {
    self.number = number
    self.interval = interval
  }

  package func terms(of number: SortableNumber) -> [[UInt8]] {
    [self.number + number.bytes, interval + Self.interval(of: number.bytes)]
  }

  /// The documents that have a number in the range, among those of the reader.
  package func query(_ range: NumberRange, in reader: IndexReader) throws(IndexError) -> Query {
    guard !range.isEmpty else { return .nothing }
    let first = range.lower.map { _ in Self.interval(of: range.lowest) }
    let last = range.highest.map(Self.interval)
    var terms: [[UInt8]] = []
    if let first {
      let lowest = range.lowest
      terms += try numbers(in: first, upTo: range.highest, reader).filter {
        !$0.dropFirst(number.count).lexicographicallyPrecedes(lowest)
      }
    }
    terms += try found(reader, interval, from: first ?? []) { bytes in
      if let last, !bytes.lexicographicallyPrecedes(last) { return nil }
      return bytes != first
    }
    if let last, last != first { terms += try numbers(in: last, upTo: range.highest, reader) }
    return terms.count > 1 ? .or(terms.map(Query.term)) : terms.first.map(Query.term) ?? .nothing
  }

  /// The terms of the numbers of one interval.
  private func numbers(
    in interval: [UInt8], upTo highest: [UInt8]?, _ reader: IndexReader
  ) throws(IndexError) -> [[UInt8]] {
    // Numbers have no zero bytes at the end, so the least one of the interval may be shorter than its name.
    let least = Array(interval[..<((interval.lastIndex { $0 != 0 } ?? -1) + 1)])
    return try found(reader, number, from: least) { bytes in
      if let highest, highest.lexicographicallyPrecedes(bytes) { return nil }
      return Self.interval(of: bytes) == interval ? true : nil
    }
  }

  /// The terms with a prefix whose other bytes `isFound` accepts, until it returns nil.
  private func found(
    _ reader: IndexReader, _ prefix: [UInt8], from start: [UInt8], _ isFound: @escaping ([UInt8]) -> Bool?
  ) throws(IndexError) -> [[UInt8]] {
    final class Found { var terms: [[UInt8]] = [] }
    let found = Found()
    try reader.eachTerm(prefix: prefix, from: prefix + start) { term in
      guard let isIn = isFound(Array(term.dropFirst(prefix.count))) else { return false }
      if isIn { found.terms.append(Array(term)) }
      return true
    }
    return found.terms
  }

  private static func interval(of bytes: [UInt8]) -> [UInt8] {
    Array((bytes + [0, 0]).prefix(2))
  }
}
