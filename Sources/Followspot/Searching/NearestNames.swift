/// Names that are close to one that is not known, for error messages.
package enum NearestNames {
  /// Up to three of `known`, the closest first: two mistakes away at most, and of short names one.
  package static func of(_ name: String, among known: [String]) -> [String] {
    ranked(name, known).filter { $0.distance <= (name.count < 3 ? 1 : 2) }.prefix(3).map(\.name)
  }

  /// The closest of `known`, however far it is.
  package static func closest(to name: String, among known: [String]) -> String? { ranked(name, known).first?.name }

  /// What to say of them; nil where there are none.
  package static func hint(_ nearest: [String]) -> String? {
    nearest.isEmpty ? nil : "did you mean \(nearest.joined(separator: ", "))?"
  }

  private static func ranked(_ name: String, _ known: [String]) -> [(name: String, distance: Int)] {
    var alignment = Alignment(to: Array(name.lowercased()))
    return known.map { (name: $0, distance: alignment.distance(to: Array($0.lowercased())) ?? .max) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
  }
}
