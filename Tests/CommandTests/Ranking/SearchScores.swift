// SPDX-License-Identifier: MIT

import Testing

/// The scores of some searches, each from 0 to 1.
struct SearchScores {
  private static let mostShown = 40

  private var scores: [Double] = []
  /// The searches that did not find all that they should.
  private var missed: [(score: Double, search: String)] = []

  /// - Parameters:
  ///   - search: The query and its kind.
  ///   - found: The best hits.
  ///   - wanted: Some of what is right.
  mutating func add(_ score: Double, _ search: String, found: [String], wanted: some Sequence<String>) {
    scores.append(score)
    guard score < 1 else { return }
    let text = "\(search)\n      found \(found.prefix(4)), wanted \(wanted.sorted().prefix(4))"
    missed.append((score, text))
  }

  var mean: Double { scores.reduce(0, +) / Double(max(1, scores.count)) }

  /// Prints the mean, and fails with the worst searches if it is below a threshold.
  func expect(atLeast least: Double, of set: String, sourceLocation: SourceLocation = #_sourceLocation) {
    func shown(_ number: Double) -> String { String(Double(Int((number * 10_000).rounded())) / 10_000) }
    print("ranking of \(set): \(shown(mean)) of \(scores.count) searches, threshold \(shown(least))")
    let worst = missed.sorted { $0.score < $1.score }.prefix(Self.mostShown).map { "\(shown($0.score))  \($0.search)" }
    #expect(
      !scores.isEmpty && mean >= least, "\(set) scores \(shown(mean)):\n\(worst.joined(separator: "\n"))",
      sourceLocation: sourceLocation)
  }
}

extension Array {
  /// The first element and every tenth after it.
  var tenth: [Element] { stride(from: 0, to: count, by: 10).map { self[$0] } }
}
