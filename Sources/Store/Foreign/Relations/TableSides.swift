// SPDX-License-Identifier: MIT

/// The tables that the name of another one is composed of: `issue_keyword` joins issues and keywords, and
/// `item_attributes` describes items. Columns such as `nodeid`, `entity_id` and `value` then need no name of their own.
struct TableSides {
  /// Positions of tables; nil if the name does not begin, or does not end, with that of a table.
  let first: Int?
  let second: Int?
  private let names: [RelationName.Table]

  /// Words at the end of a name that say that the table joins others.
  private static let linkWords: Set<String> = ["link", "map", "rel", "relation", "xref", "join", "assoc"]
  private static let firstWords: Set<String> = ["node", "source", "src", "from", "left", "entity", "object", "owner"]
  private static let secondWords: Set<String> = ["link", "target", "dst", "dest", "to", "right", "value"]

  /// - Parameters:
  ///   - child: The position of the table.
  ///   - tablesByRoots: Positions by the roots of all words of their names.
  init(of child: Int, _ names: [RelationName.Table], _ tablesByRoots: [[String]: Int]) {
    self.names = names
    let name = names[child].name
    var roots = name.roots
    if roots.count > 2, let last = name.words.last, Self.linkWords.contains(last) { roots.removeLast() }
    let parts = (1..<max(1, roots.count)).reversed()
    first = parts.lazy.compactMap { tablesByRoots[Array(roots.prefix($0))] }.first { $0 != child }
    second = parts.lazy.compactMap { tablesByRoots[Array(roots.suffix($0))] }.first { $0 != child }
  }

  /// Whether a column stands for the side whose table the name does not have, while it has the other one:
  /// `issue_nosy(nodeid, linkid)`.
  func isUnnamed(_ column: RelationName.Column) -> Bool {
    guard (first == nil) != (second == nil) else { return false }
    return !words(of: column).isDisjoint(with: first == nil ? Self.firstWords : Self.secondWords)
  }

  private func words(of column: RelationName.Column) -> Set<String> {
    Set(column.name.joinedStems + (column.bare.words.count == 1 ? column.bare.words : []))
  }

  /// The side that a column stands for; nil for none.
  func table(of column: RelationName.Column) -> Int? {
    let words = words(of: column)
    if let first, !words.isDisjoint(with: Self.firstWords) { return first }
    if let second, !words.isDisjoint(with: Self.secondWords) { return second }
    guard column.namesKey, let start = column.bare.roots.last, column.bare.roots.count == 1, start.count > 2 else {
      return nil
    }
    return [first, second].compactMap(\.self).first { names[$0].name.roots.last?.hasPrefix(start) == true }
  }
}
