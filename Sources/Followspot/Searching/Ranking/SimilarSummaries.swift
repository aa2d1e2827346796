// SPDX-License-Identifier: MIT

/// Finds hits whose summaries are much like that of a better hit.
struct SimilarSummaries {
  /// The share of the words of two summaries from which they are alike.
  let alike: Double

  private var numbers: [ArraySlice<UInt8>: Int] = [:]
  /// The distinct words of each better summary, as ascending numbers. Each hit is compared with all better ones.
  private var better: [[Int]] = []

  init(alike: Double) { self.alike = alike }

  /// Whether a better hit has much the same words. The hits are passed in their order, the best first.
  mutating func isLikeBetterOne(_ summary: RankingText) -> Bool {
    let words = Set((0..<summary.count).map { number(of: summary[$0]) }).sorted()
    defer { better.append(words) }
    return better.contains { areAlike($0, words) }
  }

  private mutating func number(of word: ArraySlice<UInt8>) -> Int {
    if let number = numbers[word] { return number }
    numbers[word] = numbers.count
    return numbers.count - 1
  }

  private func areAlike(_ one: [Int], _ other: [Int]) -> Bool {
    guard Double(min(one.count, other.count)) >= alike * Double(max(one.count, other.count)) else { return false }
    var (shared, first, second) = (0, 0, 0)
    while first < one.count, second < other.count {
      if one[first] == other[second] {
        (shared, first, second) = (shared + 1, first + 1, second + 1)
      } else if one[first] < other[second] {
        first += 1
      } else {
        second += 1
      }
    }
    return Double(shared) >= alike * Double(one.count + other.count - shared)
  }
}
