/// Known names that are close to an unknown one, for error messages.
package enum NearestNames {
  /// Up to three of `known` that are at most two edits away, the closest first. A name that the edits would replace
  /// entirely is not close.
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
