// SPDX-License-Identifier: MIT

/// Finds the known names that are similar to an unknown one, for error messages.
package enum NearestNames {
  /// Up to three of `known` with an edit distance of at most two, the closest first. A short name allows fewer edits,
  /// so that they cannot replace all of it.
  package static func of(_ name: String, among known: [String]) -> [String] {
    let most = min(2, name.count { $0.isLetter || $0.isNumber } - 1)
    return ranked(name, known).filter { $0.distance <= most }.prefix(3).map(\.name)
  }

  private static func ranked(_ name: String, _ known: [String]) -> [(name: String, distance: Int)] {
    var distance = EditDistance(to: Array(name.lowercased()))
    return known.map { (name: $0, distance: distance.distance(to: Array($0.lowercased())) ?? .max) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
  }
}
