// SPDX-License-Identifier: MIT

internal import SQLite

/// The cases of an enumeration that is stored by its raw value.
///
/// A key path into an enumeration, and the enumeration's order, are its own Swift code: SQL gets their results as a
/// table, one line a case.
struct EnumerationCases {
  private let values: [Any]
  private let columns: [Value]
  private let type: Any.Type

  /// nil for a type that is not an enumeration, and for one with associated values.
  init?(_ type: Any.Type) {
    guard let values = Self.values(type), let columns = try? values.map(ConstantValue.column) else { return nil }
    self.type = type
    self.values = values
    self.columns = columns
  }

  /// SQL that gives each case's position in the enumeration's order, the column itself where that is the same; nil for an
  /// enumeration without an order.
  func ranked() -> ((String) -> String)? {
    guard let order = Self.order(values, type) else { return nil }
    let numbers = order.map { index -> Int64? in
      if case .integer(let number) = columns[index] { return number }
      return nil
    }
    if !numbers.contains(nil), zip(numbers, numbers.dropFirst()).allSatisfy({ $0! < $1! }) { return { $0 } }
    var lines = ""
    for (rank, index) in order.enumerated() { lines += " WHEN \(columns[index].literal) THEN \(rank)" }
    return { "(CASE \($0)\(lines) END)" }
  }

  /// SQL that gives what a key path reads of each case; nil where it reads something that is not a column. The column
  /// itself where the key path reads the raw value.
  func read(_ keyPath: AnyKeyPath, of column: Scalar, _ compilation: PredicateCompilation) throws -> Scalar? {
    let results = values.map { value in value[keyPath: keyPath].flatMap { try? ConstantValue.column($0) } }
    guard !results.contains(nil) else { return nil }
    let result = Swift.type(of: keyPath).valueType
    let type = OptionalTypes.unwrapped(result)
    if results.map({ $0! }) == columns, !columns.isEmpty {
      var raw = Scalar(column.sql, type, isNullable: column.isNullable, reads: column.reads)
      raw.filter = column.filter
      return raw
    }
    let lines = zip(columns, results).map { " WHEN \($0.literal) THEN \(compilation.bind($1!))" }.joined()
    return Scalar("(CASE \(column.sql)\(lines) END)", type, isNullable: result is any OptionalProtocol.Type)
  }

  /// Whether `read` gives each case's raw value, which the column holds.
  func areRawValues(_ read: (Any) -> Any?) -> Bool {
    !values.isEmpty
      && zip(values, columns).allSatisfy { value, column in
        read(value).flatMap { try? ConstantValue.column($0) } == column
      }
  }

  // MARK: Cases

  private static func values(_ type: Any.Type) -> [Any]? {
    func all<Content>(_ type: Content.Type) -> [Any]? {
      guard let count = caseCount(type) else { return nil }
      switch MemoryLayout<Content>.size {
      case 0 where count == 1: return [unsafeBitCast((), to: type)]
      case 1 where count <= 256: return (0..<count).map { unsafeBitCast(UInt8($0), to: type) }
      case 2 where count <= 65_536: return (0..<count).map { unsafeBitCast(UInt16($0), to: type) }
      default: return nil
      }
    }
    return _openExistential(type, do: all)
  }

  /// The number of cases of an enumeration whose values are the cases' numbers. Source: Swift's TypeMetadata.rst, enum
  /// metadata and enum context descriptors.
  private static func caseCount(_ type: Any.Type) -> Int? {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let enumKind = 0x201
    guard metadata.load(as: Int.self) == enumKind else { return nil }
    let descriptor = metadata.load(fromByteOffset: MemoryLayout<Int>.size, as: UnsafeRawPointer.self)
    let payloads = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xff_ffff
    let count = descriptor.load(fromByteOffset: 24, as: UInt32.self)
    return payloads == 0 ? Int(count) : nil
  }

  /// The indexes of the values, in ascending order of the values.
  private static func order(_ values: [Any], _ type: Any.Type) -> [Int]? {
    func sorted<Content: Comparable>(_ type: Content.Type) -> [Int] {
      values.indices.sorted { (values[$0] as! Content) < (values[$1] as! Content) }
    }
    guard let comparable = type as? any Comparable.Type else { return nil }
    return sorted(comparable)
  }
}
