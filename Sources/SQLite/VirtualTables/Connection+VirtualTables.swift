// SPDX-License-Identifier: MIT

internal import CSQLite

extension Connection {
  /// Makes a virtual table available to statements. The connection keeps it until it is closed.
  ///
  /// - Parameter failed: Receives the errors of the table; SQLite only reports that a statement failed.
  package func define(_ table: any VirtualTable, failed: @escaping (any Error) -> Void) throws(SQLiteError) {
    let code = sqlite3_create_module_v2(
      handle, table.name, Self.module, Unmanaged.passRetained(Module(table, failed)).toOpaque(),
      { Unmanaged<Module>.fromOpaque($0!).release() })
    guard code == SQLITE_OK else { throw error(code, "defining \(table.name)") }
  }

  /// The functions that SQLite calls for any virtual table. Without `xCreate`, a table exists under the name of its
  /// module and in no schema.
  nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    module.pointee.xConnect = { database, object, _, _, result, _ in
      let module = Unmanaged<Module>.fromOpaque(object!).takeUnretainedValue()
      let code = sqlite3_declare_vtab(database, module.table.declaration)
      guard code == SQLITE_OK else { return code }
      let made = UnsafeMutablePointer<csqlite_vtab>.allocate(capacity: 1)
      made.initialize(to: csqlite_vtab(base: sqlite3_vtab(), object: object))
      result!.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.pointee.xDisconnect = { table in
      UnsafeMutableRawPointer(table)!.assumingMemoryBound(to: csqlite_vtab.self).deallocate()
      return SQLITE_OK
    }
    module.pointee.xBestIndex = { table, info in Connection.module(of: table).choose(info!) }
    module.pointee.xOpen = { table, result in
      let made = UnsafeMutablePointer<csqlite_vtab_cursor>.allocate(capacity: 1)
      let cursor = Unmanaged.passRetained(Cursor(Connection.module(of: table).table.cursor())).toOpaque()
      made.initialize(to: csqlite_vtab_cursor(base: sqlite3_vtab_cursor(), object: cursor))
      result!.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.pointee.xClose = { cursor in
      let made = UnsafeMutableRawPointer(cursor)!.assumingMemoryBound(to: csqlite_vtab_cursor.self)
      Unmanaged<Cursor>.fromOpaque(made.pointee.object).release()
      made.deallocate()
      return SQLITE_OK
    }
    module.pointee.xFilter = { cursor, number, _, count, values in
      let module = Connection.module(of: cursor!.pointee.pVtab)
      return module.catching {
        let arguments = (0..<Int(count)).map { Connection.value(values![$0]!) }
        try Connection.cursor(cursor).start(module.plans[Int(number)], arguments)
      }
    }
    module.pointee.xNext = { cursor in
      Connection.module(of: cursor!.pointee.pVtab).catching { try Connection.cursor(cursor).next() }
    }
    module.pointee.xEof = { cursor in Connection.cursor(cursor).isAtEnd ? 1 : 0 }
    module.pointee.xColumn = { cursor, context, column in
      Connection.module(of: cursor!.pointee.pVtab).catching {
        try Connection.cursor(cursor).column(Int(column), ColumnResult(context: context!))
      }
    }
    module.pointee.xRowid = { cursor, result in
      result!.pointee = Connection.cursor(cursor).rowid
      return SQLITE_OK
    }
    return UnsafePointer(module)
  }()

  private static func module(of table: UnsafeMutablePointer<sqlite3_vtab>?) -> Module {
    let made = UnsafeMutableRawPointer(table)!.assumingMemoryBound(to: csqlite_vtab.self)
    return Unmanaged<Module>.fromOpaque(made.pointee.object).takeUnretainedValue()
  }

  private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> any VirtualCursor {
    let made = UnsafeMutableRawPointer(cursor)!.assumingMemoryBound(to: csqlite_vtab_cursor.self)
    return Unmanaged<Cursor>.fromOpaque(made.pointee.object).takeUnretainedValue().cursor
  }

  static func value(_ value: OpaquePointer) -> Value {
    func bytes(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
    return switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: .real(sqlite3_value_double(value))
    case SQLITE_TEXT: .text(String(decoding: bytes(UnsafeRawPointer(sqlite3_value_text(value))), as: UTF8.self))
    case SQLITE_BLOB: .blob(Array(bytes(sqlite3_value_blob(value))))
    default: .null
    }
  }
}

/// A cursor as an object of a concrete class, which C can refer to.
private final class Cursor {
  let cursor: any VirtualCursor
  init(_ cursor: any VirtualCursor) { self.cursor = cursor }
}

/// A virtual table as SQLite knows it: with numbered plans, and with calls that return codes.
private final class Module {
  let table: any VirtualTable
  let failed: (any Error) -> Void
  /// The plans that SQLite may choose from, by number.
  private(set) var plans: [ScanPlan] = []

  init(_ table: any VirtualTable, _ failed: @escaping (any Error) -> Void) {
    self.table = table
    self.failed = failed
  }

  /// Runs `body` and keeps its error, because SQLite only takes a code.
  func catching(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return SQLITE_OK
    } catch {
      failed(error)
      return (error as? SQLiteError)?.extendedCode ?? SQLITE_ERROR
    }
  }

  func choose(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> Int32 {
    var conditions: [ScanCondition] = []
    var places: [Int] = []
    for index in 0..<Int(info.pointee.nConstraint) {
      let constraint = info.pointee.aConstraint[index]
      guard let operation = Self.operation(constraint.op), constraint.iColumn >= 0 else { continue }
      let collation = sqlite3_vtab_collation(info, Int32(index)).map { String(cString: $0) }
      conditions.append(
        ScanCondition(
          column: Int(constraint.iColumn), operation: operation, isBinary: collation == "BINARY",
          isUsable: constraint.usable != 0))
      places.append(index)
    }
    let order = info.pointee.nOrderBy == 1 ? info.pointee.aOrderBy[0] : nil
    let request = ScanRequest(
      conditions: conditions, columns: info.pointee.colUsed,
      order: order.map { (Int($0.iColumn), $0.desc != 0) })
    guard var plan = table.plan(request) else { return SQLITE_CONSTRAINT }
    plan.columns = info.pointee.colUsed
    for (argument, chosen) in plan.used.enumerated() {
      info.pointee.aConstraintUsage[places[chosen]].argvIndex = Int32(argument) + 1
      info.pointee.aConstraintUsage[places[chosen]].omit = plan.exact.contains(chosen) ? 1 : 0
    }
    plan.conditions = plan.used.map { conditions[$0] }
    plan.number = plans.count
    info.pointee.idxNum = Int32(plan.number)
    plans.append(plan)
    info.pointee.idxStr = csqlite_copy(plan.text)
    info.pointee.needToFreeIdxStr = 1
    info.pointee.estimatedCost = plan.cost
    info.pointee.estimatedRows = plan.rows
    info.pointee.idxFlags = plan.isUnique ? SQLITE_INDEX_SCAN_UNIQUE : 0
    info.pointee.orderByConsumed = plan.isOrdered ? 1 : 0
    return SQLITE_OK
  }

  private static func operation(_ code: UInt8) -> ScanCondition.Operation? {
    switch Int32(code) {
    case SQLITE_INDEX_CONSTRAINT_EQ: .equal
    case SQLITE_INDEX_CONSTRAINT_LT: .less
    case SQLITE_INDEX_CONSTRAINT_LE: .lessOrEqual
    case SQLITE_INDEX_CONSTRAINT_GT: .greater
    case SQLITE_INDEX_CONSTRAINT_GE: .greaterOrEqual
    default: nil
    }
  }
}
