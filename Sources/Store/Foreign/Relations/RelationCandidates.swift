// SPDX-License-Identifier: MIT

internal import SQLite

/// A relation that names or some values suggest. All values decide whether it is one.
struct RelationCandidate {
  /// Less than that of every clear name.
  static let strengthOfValues = 25
  /// That of values whose column also has the initials of the table, such as `nid` for notes.
  static let strengthOfInitials = 26
  /// That of values that are keys of the table of the column. Programs often take both from the clock.
  static let strengthOfOwnValues = 24
  /// That of a column that only the name of its own table explains.
  static let strengthOfSides = 22
  /// That of a column beside one with the names of tables.
  static let strengthOfType = 45
  /// That of a column that is called only a key. Its values have to be nearly all keys of the table.
  static let strengthOfCoverage = 15
  static let strengthsOfValuesAlone: Set<Int> = [strengthOfValues, strengthOfOwnValues, strengthOfCoverage]

  /// Positions of the tables.
  let child: Int
  let target: Int
  let columns: ReferenceColumns
  let strength: Int
  /// Whether the keys are the primary key of the table.
  let isPrimary: Bool
  /// Whether the column is a side of a table that joins others.
  var isSide = false
}

/// Finds relations that the names of tables and columns suggest, and those that telling values do. Each column looks up its
/// words and values, so that the time grows linearly with the number of columns.
struct RelationCandidates {
  private struct Key {
    let table: Int
    let column: DatabaseTable.Column
    let name: RelationName.Column
    let isPrimary: Bool
    /// Whether it is a primary key that is called nothing else.
    var isBare: Bool { isPrimary && !name.name.isMeaningful }
  }

  private let tables: [DatabaseTable]
  private let names: [RelationName.Table]
  private var keys: [Key] = []
  private var keysOfTable: [[Int]]
  private var bareKeys: [Int] = []
  /// Tables by the root of their last word, and by each end of it.
  private var tablesByRoot: [String: [Int]] = [:]
  private var tablesByEnd: [String: [Int]] = [:]
  private var tablesByJoinedRoot: [String: [Int]] = [:]
  private var tablesByRoots: [[String]: Int] = [:]
  private var keysByRoot: [String: [Int]] = [:]
  /// Keys with the values of a column, by table and name of the column.
  private var keysWithValues: [Int: [String: [Int]]] = [:]

  init(_ tables: [DatabaseTable]) {
    self.tables = tables
    names = tables.map { RelationName.Table($0.name, columns: $0.columns.map(\.name)) }
    keysOfTable = tables.map { _ in [] }
    for (position, table) in tables.enumerated() {
      for (column, isPrimary) in table.singleKeys {
        let key = Key(
          table: position, column: column, name: RelationName.Column(column.name), isPrimary: isPrimary)
        keysOfTable[position].append(keys.count)
        if key.isBare { bareKeys.append(keys.count) }
        if key.name.name.isMeaningful {
          let roots = Set([key.name.name.roots.last, key.name.bare.roots.last].compactMap(\.self))
          for root in roots { keysByRoot[root, default: []].append(keys.count) }
        }
        keys.append(key)
      }
      guard let root = names[position].name.roots.last else { continue }
      tablesByRoots[names[position].name.roots] = position
      tablesByRoot[root, default: []].append(position)
      for end in Self.ends(of: root) { tablesByEnd[end, default: []].append(position) }
      tablesByJoinedRoot[names[position].name.joinedRoot, default: []].append(position)
    }
  }

  /// The word itself, and its ends of three letters or more.
  private static func ends(of word: String) -> [String] {
    word.count < 4 ? [word] : (0...(word.count - 3)).map { String(word.dropFirst($0)) }
  }

  /// The candidates of the columns of a table, the clearest of each column first.
  ///
  /// - Parameter isReference: Whether the values of a column may be keys on their own.
  func candidates(of child: Int, where isReference: (DatabaseTable.Column) -> Bool) -> [RelationCandidate] {
    let sides = TableSides(of: child, names, tablesByRoots)
    return tables[child].columns.filter(isReference).flatMap { candidates(of: $0, in: child, sides) }
      + keysOfSeveralColumns(referredBy: child)
  }

  func polymorphic(_ connection: Connection) -> PolymorphicColumns {
    PolymorphicColumns(tables, tablesByRoots, connection)
  }

  // MARK: Keys of one column

  /// Looks for keys that have the values of columns.
  ///
  /// - Parameter isReference: Whether the values of a column of a table may be keys on their own.
  mutating func compareValues(
    _ connection: Connection, where isReference: (Int, DatabaseTable.Column) -> Bool
  ) throws {
    var columns: [(table: Int, column: DatabaseTable.Column)] = []
    for (position, table) in tables.enumerated() {
      let own = Set(table.singleKeys.map(\.column.name))
      columns += table.columns.filter { !own.contains($0.name) && isReference(position, $0) }.map { (position, $0) }
    }
    let pairs = try TellingValues.pairs(
      columns.map { (tables[$0.table], $0.column) }, keys.map { (tables[$0.table], $0.column) }, connection)
    for pair in pairs {
      let column = columns[pair.column]
      keysWithValues[column.table, default: [:]][column.column.name, default: []].append(pair.key)
    }
  }

  private func candidates(
    of column: DatabaseTable.Column, in child: Int, _ sides: TableSides
  ) -> [RelationCandidate] {
    let name = RelationName.Column(column.name)
    guard let word = name.name.roots.last, let bareWord = name.bare.roots.last else { return [] }
    var suggested = Set(keysOfTable[child])
    for end in Self.ends(of: word) { suggested.formUnion(keysByRoot[end] ?? []) }
    let found =
      Self.ends(of: bareWord).flatMap { tablesByRoot[$0] ?? [] } + (tablesByEnd[bareWord] ?? [])
      + name.name.joinedStems.flatMap { tablesByJoinedRoot[$0] ?? [] }
    for table in found { suggested.formUnion(keysOfTable[table]) }
    suggested.formUnion(keysWithValues[child]?[column.name] ?? [])
    let side = sides.table(of: name)
    if let side { suggested.formUnion(keysOfTable[side]) }
    let isSide = sides.isUnnamed(name)
    let mayBeAny = side == nil && (isSide || isIdOfAnother(name, in: child))
    if mayBeAny { suggested.formUnion(bareKeys) }
    return suggested.sorted().compactMap { number -> RelationCandidate? in
      var found = candidate(column, name, in: child, number, side, mayBeAny: mayBeAny)
      found?.isSide = isSide
      return found
    }
    .sorted { ($0.strength, $0.isPrimary ? 1 : 0) > ($1.strength, $1.isPrimary ? 1 : 0) }
  }

  private func candidate(
    _ column: DatabaseTable.Column, _ name: RelationName.Column, in child: Int, _ number: Int,
    _ side: Int?, mayBeAny: Bool
  ) -> RelationCandidate? {
    let key = keys[number]
    let isOwn = key.table == child
    guard !isOwn || column.name.sqlName != key.column.name.sqlName else { return nil }
    let strength = max(
      RelationName.strength(
        name, to: names[key.table], key: key.name, isOwn: isOwn, isNumber: column.affinity != "TEXT"),
      strengthOfValues(of: column, name, in: child, number),
      key.table == side ? RelationCandidate.strengthOfSides : 0,
      mayBeAny && !isOwn && key.isBare ? RelationCandidate.strengthOfCoverage : 0)
    guard strength > 0 else { return nil }
    // A key that is named after its own table refers to nothing; another one may be that of a table it extends.
    if keysOfTable[child].contains(where: { keys[$0].column.name.sqlName == column.name.sqlName }) {
      guard !isOwn, name.bare != names[child].name,
        strength >= 40 || RelationName.isKey(key.name, ofTableNamed: names[key.table])
      else { return nil }
    }
    let columns = ReferenceColumns(columns: [column], target: tables[key.table], keys: [key.column])
    // A name in the singular that equals the table's as written is clearer than one that only has the same root.
    let isExact = name.bare.words == names[key.table].name.words
    return RelationCandidate(
      child: child, target: key.table, columns: columns, strength: strength + (isExact ? 1 : 0),
      isPrimary: key.isPrimary)
  }

  /// 0 if the values do not say that a column has those of a key.
  private func strengthOfValues(
    of column: DatabaseTable.Column, _ name: RelationName.Column, in child: Int, _ number: Int
  ) -> Int {
    guard keysWithValues[child]?[column.name]?.contains(number) == true else { return 0 }
    let table = keys[number].table
    if table == child { return RelationCandidate.strengthOfOwnValues }
    return name.hasInitials(of: names[table])
      ? RelationCandidate.strengthOfInitials : RelationCandidate.strengthOfValues
  }

  /// Whether a column is called only a key, but is none of its own table: an `id` beside a value.
  private func isIdOfAnother(_ name: RelationName.Column, in child: Int) -> Bool {
    name.name.words == ["id"] && keysOfTable[child].isEmpty
  }

  /// Whether a column is the key of a table that has the same name as this one, so that only the numbers of rows tell
  /// which of both extends the other.
  func extends(_ candidate: RelationCandidate) -> Bool {
    let table = tables[candidate.child]
    guard candidate.columns.columns.count == 1, let key = table.primaryKey,
      key.name.sqlName == candidate.columns.columns[0].name.sqlName
    else { return false }
    return names[candidate.child].name.ends(with: RelationName.Column(key.name).bare)
  }

  // MARK: Keys of several columns

  private func keysOfSeveralColumns(referredBy child: Int) -> [RelationCandidate] {
    let columns = tables[child].columns.map { ($0, NameRoots($0.name)) }
    var byName: [[String]: DatabaseTable.Column] = [:]
    for (column, name) in columns { byName[name.words] = byName[name.words] ?? column }
    var candidates: [RelationCandidate] = []
    for target in tables.indices where target != child {
      guard let keys = tables[target].primaryKeyOfSeveralColumns else { continue }
      let names = keys.map { NameRoots($0.name) }
      for found in options(names, byName, columns, child, target) {
        let references = ReferenceColumns(columns: found, target: tables[target], keys: keys)
        candidates.append(
          RelationCandidate(child: child, target: target, columns: references, strength: 40, isPrimary: true))
      }
    }
    return candidates
  }

  /// The columns that are called like the key of a table, with or without the table's name.
  private func options(
    _ keys: [NameRoots], _ byName: [[String]: DatabaseTable.Column],
    _ columns: [(column: DatabaseTable.Column, name: NameRoots)], _ child: Int, _ target: Int
  ) -> [[DatabaseTable.Column]] {
    var options: [[DatabaseTable.Column]] = []
    func add(_ names: [[String]]) {
      let found = names.compactMap { byName[$0] }
      if found.count == keys.count, Set(found.map(\.name)).count == keys.count { options.append(found) }
    }
    let table = names[target].name
    let isKeyOfChild =
      Set(tables[child].primaryKeyOfSeveralColumns?.map { NameRoots($0.name).words } ?? []) == Set(keys.map(\.words))
    if !isKeyOfChild, keys.allSatisfy(\.isMeaningful), keys.contains(where: \.namesKey) { add(keys.map(\.words)) }
    if keys.filter({ !$0.isMeaningful }).count == 1 {
      add(keys.map { $0.isMeaningful ? $0.words : table.words })
    }
    for (_, name) in columns where name.words.count > keys[0].words.count {
      guard Array(name.words.suffix(keys[0].words.count)) == keys[0].words else { continue }
      let prefix = Array(name.words.dropLast(keys[0].words.count))
      let roots = Array(name.roots.prefix(prefix.count))
      guard roots.suffix(table.roots.count) == table.roots[...] || table.roots.suffix(roots.count) == roots[...] else {
        continue
      }
      add(keys.map { prefix + $0.words })
    }
    return options
  }
}

extension DatabaseTable {
  /// The columns that are keys of rows on their own. An index finds a row by each.
  var singleKeys: [(column: Column, isPrimary: Bool)] {
    var keys: [(column: Column, isPrimary: Bool)] = []
    if let rowidAlias { keys.append((rowidAlias, true)) }
    for (columns, isPrimary) in keyIndexes where columns.count == 1 && columns[0].hasKnownCollation {
      guard let column = column(named: columns[0].name), !keys.contains(where: { $0.column.name == column.name }) else {
        continue
      }
      keys.append((column, isPrimary))
    }
    return keys
  }

  /// The primary key in the order of its columns; nil if it has one column or none.
  var primaryKeyOfSeveralColumns: [Column]? {
    let key = columns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
    return key.count > 1 ? key : nil
  }
}
