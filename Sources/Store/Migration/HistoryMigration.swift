// SPDX-License-Identifier: MIT

internal import SQLite

/// Rewrites the recorded changes for another model: entity numbers, change bitmaps and tombstones. Transactions stay.
struct HistoryMigration {
  let plan: MigrationPlan
  let connection: Connection

  func run() throws {
    // Tombstone columns that an earlier model needed still exist and are empty.
    for column in 0..<plan.new.tombstoneColumns {
      let name = "ZTOMBSTONE\(column)"
      let known = try connection.integer("SELECT 1 FROM pragma_table_info('ACHANGE') WHERE name = '\(name)'")
      if known == nil { try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(name) BLOB") }
    }
    for entity in plan.removed {
      try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY = \(entity.number)")
    }
    for step in plan.steps { try moveTombstones(step) }
    try rewriteChanges()
  }

  /// Moves each preserved value to its column in the new layout.
  private func moveTombstones(_ step: MigrationPlan.EntityStep) throws {
    var assignments: [String] = []
    for column in 0..<max(plan.old.tombstoneColumns, plan.new.tombstoneColumns) {
      let name = "ZTOMBSTONE\(column)"
      let value = tombstone(column, step) ?? "NULL"
      if value != name { assignments.append("\(name) = \(value)") }
    }
    guard !assignments.isEmpty else { return }
    try connection.execute(
      """
      UPDATE ACHANGE SET \(assignments.joined(separator: ", ")) \
      WHERE ZENTITY = \(step.old.number) AND ZCHANGETYPE = \(ChangeKind.delete.rawValue)
      """)
  }

  /// The new value of a tombstone column, as SQL; nil for none.
  private func tombstone(_ column: Int, _ step: MigrationPlan.EntityStep) -> String? {
    guard step.new.tombstoneOrder.indices.contains(column), case let attribute = step.new.tombstoneOrder[column],
      let source = step.attributes[attribute], let oldColumn = step.old.tombstoneOrder.firstIndex(of: source)
    else { return nil }
    let type = step.old.entity.attributes[source].type
    return type.converted("ZTOMBSTONE\(oldColumn)", to: step.new.entity.attributes[attribute].type)
  }

  /// Rewrites entity numbers and bitmaps in one pass, by a table of the distinct combinations.
  private func rewriteChanges() throws {
    try connection.execute(
      """
      CREATE TEMP TABLE FOLLOWSPOT_REWRITE (
        entity INTEGER, bitmap BLOB, newEntity INTEGER, newBitmap BLOB, PRIMARY KEY (entity, bitmap))
      """)
    defer { try? connection.execute("DROP TABLE temp.FOLLOWSPOT_REWRITE") }
    let distinct = try connection.cursor("SELECT DISTINCT ZENTITY, ZCOLUMNS FROM ACHANGE")
    while try distinct.step() {
      let entity = Int(distinct.integer(at: 0))
      guard let step = plan.step(ofOld: entity) else { continue }
      let old = distinct.isNull(at: 1) ? nil : Array(distinct.bytes(at: 1))
      // NULL cannot be compared, so an empty blob represents it: it says as little.
      try connection.run(
        "INSERT OR IGNORE INTO temp.FOLLOWSPOT_REWRITE VALUES (?1, ?2, ?3, ?4)",
        [
          .integer(Int64(entity)), .blob(old ?? []), .integer(Int64(step.new.number)),
          old.flatMap { bitmap($0, step) }.map(Value.blob) ?? .null,
        ])
    }
    distinct.reset()
    try connection.execute(
      """
      UPDATE ACHANGE SET ZENTITY = r.newEntity, ZCOLUMNS = r.newBitmap FROM temp.FOLLOWSPOT_REWRITE r
      WHERE r.entity = ACHANGE.ZENTITY AND r.bitmap = ifnull(ACHANGE.ZCOLUMNS, x'')
      """)
  }

  /// The bitmap of the same properties in the new model; nil, which means "any property", if the old one is unreadable.
  private func bitmap(_ old: [UInt8], _ step: MigrationPlan.EntityStep) -> [UInt8]? {
    guard let properties = step.old.properties(of: old) else { return nil }
    var moved: Set<EntityLayout.Property> = []
    for property in properties {
      switch property {
      case .attribute(let index):
        for (new, source) in step.attributes where source == index { moved.insert(.attribute(new)) }
      case .relationship(let index):
        for (new, source) in step.relationships where source == index { moved.insert(.relationship(new)) }
      case .entityKey(let index):
        for (new, source) in step.relationships where source == index { moved.insert(.entityKey(new)) }
      case .orderKey(let index):
        for (new, source) in step.relationships where source == index { moved.insert(.orderKey(new)) }
      }
    }
    return step.new.bitmap(of: moved)
  }
}
