// SPDX-License-Identifier: MIT

internal import Foundation

/// The usual averages over the queries that have a relevant document.
struct Quality {
  private(set) var averagePrecision = 0.0
  private(set) var discountedGain = 0.0
  private(set) var precision = 0.0

  /// - Parameter runs: Documents by query, the best first.
  init(of runs: [String: [String]], by gains: [String: [String: Double]]) {
    for (query, gains) in gains {
      let hits = runs[query] ?? []
      averagePrecision += Self.averagePrecision(hits, gains) / Double(gains.count)
      let ideal = Self.discounted(gains.values.sorted(by: >))
      discountedGain += Self.discounted(hits.map { gains[$0] ?? 0 }) / ideal
      precision += Double(hits.prefix(10).count { gains[$0] != nil }) / 10
    }
    let judged = Double(max(1, gains.count))
    averagePrecision /= judged
    discountedGain /= judged
    precision /= judged
  }

  /// The reciprocal rank of the first wanted hit; 0 if there is none.
  static func reciprocalRank(_ areWanted: [Bool]) -> Double {
    areWanted.firstIndex(of: true).map { 1 / Double($0 + 1) } ?? 0
  }

  /// The share of the wanted records that is found among as many hits, of `depth` at most.
  static func share(_ areWanted: [Bool], of wanted: Int, depth: Int) -> Double {
    let most = min(depth, wanted)
    return Double(areWanted.prefix(most).count(where: \.self)) / Double(most)
  }

  /// The sum of the precisions at each relevant hit.
  private static func averagePrecision(_ hits: [String], _ gains: [String: Double]) -> Double {
    var found = 0
    var sum = 0.0
    for (place, hit) in hits.enumerated() where gains[hit] != nil {
      found += 1
      sum += Double(found) / Double(place + 1)
    }
    return sum
  }

  private static func discounted(_ gains: [Double]) -> Double {
    gains.prefix(10).enumerated().reduce(0) { $0 + $1.element / log2(Double($1.offset + 2)) }
  }
}
