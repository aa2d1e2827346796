// SPDX-License-Identifier: MIT

internal import SQLite

/// Relations that an index definition names.
extension DatabaseSchema {
  /// The relations that the definition names.
  ///
  /// - Parameter isChecked: Whether all rows are read, to see that the values are keys.
  mutating func givenRelations(_ connection: Connection, isChecked: Bool) throws -> [Relation] {
    var given: [Relation] = []
    for (name, relations) in readings.givenRelations.sorted(by: { $0.key < $1.key }) {
      for (columns, target) in relations.sorted(by: { $0.key < $1.key }) where target != "none" {
        switch try givenRelation(name, columns, target, connection, isChecked: isChecked) {
        case .success(let relation): given.append(relation)
        case .failure(let fault):
          relationFaults.append(fault)
          if let relation = fault.relation { given.append(relation) }
        }
      }
    }
    return given
  }

  private func givenRelation(
    _ name: String, _ list: String, _ target: String, _ connection: Connection, isChecked: Bool
  ) throws -> Result<Relation, RelationFault> {
    let location = "relations.\(name).\(list)"
    func fault(_ reason: String, _ relation: Relation? = nil) -> Result<Relation, RelationFault> {
      .failure(RelationFault(location: location, reason: reason, relation: relation))
    }
    let attributes = list.split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init)
    guard let (columns, condition) = columnsAndCondition(attributes, of: name), !columns.isEmpty else {
      return fault("the database has no such table or column")
    }
    guard let table = sources[target]?.table else { return fault("no table is called \"\(target)\"") }
    let keys = columns.count == 1 ? table.singleKeys.map(\.column) : table.primaryKeyOfSeveralColumns ?? []
    guard columns.count == 1 ? !keys.isEmpty : keys.count == columns.count else {
      return fault("\(target) has no key of \(columns.count == 1 ? "one column" : "\(columns.count) columns")")
    }
    let options = columns.count == 1 ? keys.map { [$0] } : [keys]
    let relations = options.compactMap { relation(name, columns, target, $0, .given, if: condition) }
    guard var relation = relations.first, let source = sources[name] else { return fault("\(target) has no key") }
    guard isChecked else { return .success(relation) }
    let counts = try ReferenceCount.counts(
      of: relations.map(\.references), in: source.table, isWhole: true, connection)
    let best = relations.indices.min { counts[$0].dangling < counts[$1].dangling } ?? 0
    relation = relations[best]
    (relation.known.rows, relation.known.dangling) = (counts[best].rows, counts[best].dangling)
    guard !TableRelation.allows(counts[best].dangling, of: counts[best].rows) else { return .success(relation) }
    let names = columns.map { "t.\(quoted($0.name))" }.joined(separator: ", ")
    let first = try connection.firstRow(
      "SELECT \(names) FROM \(source.table.quotedName) t WHERE \(relation.references.dangles) LIMIT 1"
    ) { row in KeyText.text(row.values(columns.count), affinities: columns.map(\.affinity)) }
    return fault(
      "\(counts[best].dangling) of \(counts[best].rows) values are not keys of \(target), the first is \(first ?? "NULL")",
      relation)
  }
}

extension DatabaseSchema {
  /// The columns of `author_id` or of `item_type=Photo,item_id`; nil if one does not exist.
  private func columnsAndCondition(
    _ attributes: [String], of name: String
  ) -> ([DatabaseTable.Column], (column: DatabaseTable.Column, value: String)?)? {
    if let columns = columns(attributes, of: name) { return (columns, nil) }
    guard let typed = attributes.first?.split(separator: "=", maxSplits: 1).map(String.init), typed.count == 2,
      let type = columns([typed[0]], of: name), let columns = columns(Array(attributes.dropFirst()), of: name)
    else { return nil }
    return (columns, (type[0], typed[1]))
  }
}

/// Why a relation that the definition names is none.
struct RelationFault: Error {
  let location: String
  let reason: String
  /// The relation, if only its values are wrong.
  var relation: DatabaseSchema.Relation?
}
