internal import SQLite

extension PersistentStore {
  /// Calls `body` with the key and a 64-bit digest of each row, in key order. For ordinary databases only.
  package func eachRowDigest(of entity: EntityLayout, _ body: (Int64, UInt64) throws -> Void) throws {
    guard let table = database?.sources[entity.entity.name]?.table else { return }
    try Self.translating(path) {
      let statement = try connection.statement(
        "SELECT \(table.key), t.* FROM \(table.rows)\(table.keyCondition) ORDER BY \(table.key)")
      defer { statement.reset() }
      let columns = Int32(statement.columnCount)
      var bytes: [UInt8] = []
      while try statement.step() {
        try body(statement.integer(at: 0), statement.digest(of: 1..<columns, using: &bytes))
      }
    }
  }
}

extension Statement {
  /// A 64-bit digest of the values of some columns of the row.
  ///
  /// - Parameter bytes: A buffer that is reused for many rows.
  func digest(of columns: Range<Int32>, using bytes: inout [UInt8]) -> UInt64 {
    bytes.removeAll(keepingCapacity: true)
    for column in columns { append(column, to: &bytes) }
    return FileMarks.hash(bytes)
  }

  /// Appends the storage class and the value, so that different rows give different bytes.
  private func append(_ column: Int32, to bytes: inout [UInt8]) {
    func append(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    switch storageClass(at: column) {
    case .null: bytes.append(0)
    case .integer:
      bytes.append(1)
      append(UInt64(bitPattern: integer(at: column)))
    case .real:
      bytes.append(2)
      append(double(at: column).bitPattern)
    case .text:
      let text = self.bytes(at: column)
      bytes.append(3)
      append(UInt64(text.count))
      bytes += text
    case .blob:
      let blob = self.bytes(at: column)
      bytes.append(4)
      append(UInt64(blob.count))
      bytes += blob
    }
  }
}
