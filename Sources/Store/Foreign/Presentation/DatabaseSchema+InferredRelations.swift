// SPDX-License-Identifier: MIT

internal import SQLite

/// Relations that names and values suggest.
extension DatabaseSchema {
  /// - Parameters:
  ///   - isWhole: Whether all rows decide.
  ///   - isKnown: Whether an attribute was considered before. A relation needs one that was not.
  func inferredRelations(
    _ connection: Connection, besides found: [Relation], isWhole: Bool, isKnown: (String, String) -> Bool
  ) throws -> [Relation] {
    let names = entityNames.filter { sources[$0]?.table.isVirtual == false }
    guard names.contains(where: { name in sources[name]?.columns.keys.contains { !isKnown(name, $0) } == true }) else {
      return []
    }
    let tables = names.compactMap { sources[$0]?.table }
    var candidates = RelationCandidates(tables)
    try candidates.compareValues(connection) { sources[names[$0]]?.mayRefer($1, readings) == true }
    let sizes = TableSizes(tables, connection)
    let lists = Dictionary(grouping: found, by: \.entityName).mapValues { Set($0.map(\.known.columnList)) }
    var inferred: [Relation] = []
    for child in tables.indices {
      guard let source = sources[names[child]] else { continue }
      let chosen = try polymorphicRelations(
        of: child, candidates, names, isWhole: isWhole, isKnown: isKnown, connection
      )
      .filter { lists[names[child]]?.contains($0.known.columnList) != true }
      inferred += chosen
      let typed = Set(chosen.flatMap { $0.references.columns.map(\.name) })
      let suggested = candidates.candidates(of: child) {
        source.mayRefer($0, readings) && !typed.contains($0.name)
      }.compactMap {
        candidate -> (RelationCandidate, Relation)? in
        let relation = relation(
          names[child], candidate.columns.columns, names[candidate.target], candidate.columns.keys, .inferred)
        guard var relation, lists[names[child]]?.contains(relation.known.columnList) != true,
          !relation.known.columns.allSatisfy({ isKnown(names[child], $0) })
            || !relation.known.keys.allSatisfy({ isKnown(relation.targetName, $0) })
        else { return nil }
        relation.known.strength = candidate.strength
        return (candidate, relation)
      }
      guard !suggested.isEmpty else { continue }
      inferred += try confirmed(suggested, of: source.table, child, isWhole: isWhole, candidates, sizes, connection)
    }
    // Few tables have references of several columns.
    let wide = Set((found + inferred).filter { $0.known.columns.count > 1 }.map(\.entityName))
    var kept = inferred
    for relation in inferred where wide.contains(relation.entityName) && isImplied(relation, by: found + kept) {
      kept.removeAll { $0.entityName == relation.entityName && $0.known.columnList == relation.known.columnList }
    }
    return kept
  }

  /// The relations of columns that hold keys of several tables, one for each name of a table in another column.
  private func polymorphicRelations(
    of child: Int, _ candidates: RelationCandidates, _ names: [String], isWhole: Bool,
    isKnown: (String, String) -> Bool, _ connection: Connection
  ) throws -> [Relation] {
    let name = names[child]
    guard let source = sources[name] else { return [] }
    let pairs = PolymorphicColumns.pairs(of: source.table) { source.mayRefer($0, readings) }.filter { pair in
      ![pair.key, pair.type].compactMap(source.attribute).allSatisfy { isKnown(name, $0) }
    }
    return try pairs.flatMap { pair -> [Relation] in
      let targets = try candidates.polymorphic(connection).targets(of: pair, in: child)
      let found = try targets.compactMap { value, target -> Relation? in
        let relations = (sources[names[target]]?.table.singleKeys ?? []).compactMap { key, _ in
          relation(name, [pair.key], names[target], [key], .inferred, if: (pair.type, value))
        }
        let counts = try ReferenceCount.counts(
          of: relations.map(\.references), in: source.table, isWhole: isWhole, connection)
        return zip(relations, counts).lazy.map { relation, count in
          var relation = relation
          (relation.known.rows, relation.known.dangling) = (count.rows, count.dangling)
          (relation.known.strength, relation.known.isSampled) = (RelationCandidate.strengthOfType, !isWhole)
          return relation
        }.first(where: \.known.isAllowed)
      }
      guard let any = found.first else { return [] }
      // A few values that are names of tables by chance, such as kinds of goods, say nothing.
      let all = try pair.count(in: source.table, as: any.references, isWhole: isWhole, connection)
      return found.reduce(0) { $0 + $1.known.rows } * 2 >= all ? found : []
    }
  }

  /// Whether a reference of several columns says the same: the record that it leads to, of another table, refers to the same
  /// record by the key that equals the column.
  private func isImplied(_ relation: Relation, by others: [Relation]) -> Bool {
    guard relation.known.columns.count == 1, let column = relation.known.columns.first else { return false }
    return others.contains { wider in
      guard wider.entityName == relation.entityName, wider.targetName != relation.entityName,
        wider.known.columns.count > 1, let place = wider.known.columns.firstIndex(of: column),
        // A row without one of its values has the other reference alone.
        wider.references.columns.allSatisfy({ $0.isNotNull || $0.primaryKeyIndex > 0 })
      else { return false }
      return others.contains {
        $0.entityName == wider.targetName && $0.targetName == relation.targetName
          && $0.known.columns == [wider.known.keys[place]]
      }
    }
  }

  /// Those of a table's candidates whose values are keys: at most one for the same columns.
  ///
  /// - Parameter child: The position of the table.
  private func confirmed(
    _ suggested: [(candidate: RelationCandidate, relation: Relation)], of table: DatabaseTable, _ child: Int,
    isWhole: Bool, _ candidates: RelationCandidates, _ sizes: TableSizes, _ connection: Connection
  ) throws -> [Relation] {
    func counted(
      _ some: [(candidate: RelationCandidate, relation: Relation)], isWhole: Bool
    ) throws -> [(candidate: RelationCandidate, relation: Relation)] {
      let counts = try ReferenceCount.counts(of: some.map(\.candidate.columns), in: table, isWhole: isWhole, connection)
      return zip(some, counts).compactMap { suggestion, count in
        var relation = suggestion.relation
        (relation.known.rows, relation.known.dangling) = (count.rows, count.dangling)
        relation.known.isSampled = !isWhole
        return (suggestion.candidate, relation)
      }
    }
    let isSmall = try ReferenceCount.isSmall(table, connection)
    // Without all rows, nothing is known of coverage.
    let covering = isWhole || isSmall ? try covering(suggested, of: table, sizes, connection) : [:]
    let possible = suggested.filter {
      $0.candidate.strength != RelationCandidate.strengthOfCoverage
        || covering[$0.relation.known.columns]?.contains($0.candidate.target) == true
    }
    guard !possible.isEmpty else { return [] }
    var open = try counted(possible, isWhole: isSmall)
    if !isSmall {
      // Values that are no keys at all need no second look.
      open = open.filter { $0.relation.known.dangling * 2 <= $0.relation.known.rows }
      if isWhole, !open.isEmpty { open = try counted(open, isWhole: true) }
    }
    open = try open.filter { candidate, relation in
      try relation.known.isAllowed
        && (!candidates.extends(candidate) || sizes[candidate.target] > sizes[child])
    }
    // Two tables whose keys are all used say nothing about which of them is meant.
    let covered = open.filter { $0.candidate.strength == RelationCandidate.strengthOfCoverage }
    let times = Dictionary(grouping: covered, by: \.relation.known.columns)
    open.removeAll {
      $0.candidate.strength == RelationCandidate.strengthOfCoverage && times[$0.relation.known.columns]?.count != 1
    }
    var chosen: [[String]: (candidate: RelationCandidate, relation: Relation)] = [:]
    for (candidate, relation) in open {
      guard let best = chosen[relation.known.columns] else {
        chosen[relation.known.columns] = (candidate, relation)
        continue
      }
      let (old, new) = (Self.order(best), Self.order((candidate, relation)))
      // Of equally clear names, the smaller table. Equal values alone lead to the larger one: the other extends it.
      let isSmaller = try sizes[candidate.target] < sizes[best.candidate.target]
      if new > old || new == old && isSmaller != (candidate.strength == RelationCandidate.strengthOfValues) {
        chosen[relation.known.columns] = (candidate, relation)
      }
    }
    return chosen.values.map(\.relation).sorted {
      ($0.known.columns.count, $0.known.columnList) < ($1.known.columns.count, $1.known.columnList)
    }
  }

  /// The tables that have about as many keys as a column has values, by the columns that may be keys of any table.
  private func covering(
    _ suggested: [(candidate: RelationCandidate, relation: Relation)], of table: DatabaseTable, _ sizes: TableSizes,
    _ connection: Connection
  ) throws -> [[String]: Set<Int>] {
    let some = suggested.filter { $0.candidate.strength == RelationCandidate.strengthOfCoverage }
    var found: [[String]: Set<Int>] = [:]
    for (columns, targets) in Dictionary(grouping: some, by: \.relation.known.columns) {
      let column = targets[0].candidate.columns
      let values = try connection.cursor(
        "SELECT count(*), count(DISTINCT \(column.columns[0].sql(of: "t"))) FROM \(table.quotedName) t "
          + "WHERE \(column.isSet) AND \(column.columns[0].sql(of: "t")) <> 0")
      guard try values.step() else { continue }
      let (rows, distinct) = (Int(values.integer(at: 0)), Int(values.integer(at: 1)))
      // A unique `id` is that of its own table, though no key is declared.
      guard rows > distinct || targets[0].candidate.isSide else { continue }
      found[columns] = Set(
        try targets.map(\.candidate.target).filter { target in
          let keys = try sizes[target]
          return (TableSizes.fewestCovered..<TableSizes.most).contains(keys) && distinct * 10 >= keys * 9
            && distinct * 100 <= keys * 101
        })
    }
    return found
  }

  /// Greater for the better of two candidates: by name, then by values, then by key.
  private static func order(_ suggestion: (candidate: RelationCandidate, relation: Relation)) -> (Int, Int, Int) {
    let (candidate, known) = (suggestion.candidate, suggestion.relation.known)
    return (candidate.strength, known.dangling == 0 ? 1 : 0, candidate.isPrimary ? 1 : 0)
  }
}

/// The numbers of rows of tables, as far as they decide.
private final class TableSizes {
  /// Rows are counted up to this number.
  static let most = 100_000
  /// The least number of keys that are nearly all used by a column that refers to them.
  static let fewestCovered = 8

  private let tables: [DatabaseTable]
  private let connection: Connection
  private var known: [Int: Int] = [:]

  init(_ tables: [DatabaseTable], _ connection: Connection) { (self.tables, self.connection) = (tables, connection) }

  subscript(table: Int) -> Int {
    get throws {
      if let size = known[table] { return size }
      let size = try ReferenceCount.rows(of: tables[table], atMost: Self.most, connection)
      known[table] = size
      return size
    }
  }
}
