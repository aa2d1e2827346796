/// Names that are close to one that is not known, for error messages.
package enum NearestNames {
  /// Up to three of `known`, the closest first; those that share nothing with `name` are left out.
  package static func of(_ name: String, among known: [String]) -> [String] {
    ranked(name, known).filter { $0.distance <= max(2, name.count / 2) }.prefix(3).map(\.name)
  }

  /// The closest of `known`, however far it is.
  package static func closest(to name: String, among known: [String]) -> String? { ranked(name, known).first?.name }

  private static func ranked(_ name: String, _ known: [String]) -> [(name: String, distance: Int)] {
    let wanted = Array(name.lowercased())
    return known.map { (name: $0, distance: distance(wanted, Array($0.lowercased()))) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
  }

  /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var previous = Array(0...right.count)
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var best = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, before[j - 1] + 1) }
        row.append(best)
      }
      before = previous
      previous = row
    }
    return previous[right.count]
  }
}
