// SPDX-License-Identifier: MIT

import SQLite

/// Reads a store's file by plain SQL and `PlainNames`.
struct PlainDecoder {
  /// An object as read from the file. Related objects of an unordered relationship are sorted.
  struct Object: Equatable {
    var lock: Int64 = 1
    var values: [String: Value] = [:]
    var related: [String: [String]] = [:]
  }

  private typealias Line = [String: Value]

  let names: PlainNames
  let connection: Connection

  init(_ sketch: Sketch, _ connection: Connection) {
    names = PlainNames(sketch)
    self.connection = connection
  }

  private func lines(_ table: String) throws -> [Line] {
    let statement = try connection.cursor("SELECT * FROM \"\(table)\"")
    var lines: [Line] = []
    while try statement.step() {
      let columns = (0..<Int32(statement.columnCount)).map { (statement.columnName(at: $0), statement.value(at: $0)) }
      lines.append(Dictionary(uniqueKeysWithValues: columns))
    }
    return lines
  }

  private static func integer(_ value: Value?) -> Int64? {
    guard case .integer(let number) = value else { return nil }
    return number
  }

  // MARK: Objects

  /// All objects by `Entity/p1`, and the faults of the file.
  func objects() throws -> (objects: [String: Object], faults: [String]) {
    var tables: [String: [Line]] = [:]
    for entity in names.entities where tables[names.table(entity.name)] == nil {
      tables[names.table(entity.name)] = try lines(names.table(entity.name))
    }
    for pairs in names.pairs.values where tables[pairs.table] == nil { tables[pairs.table] = try lines(pairs.table) }
    let linesByKey = tables.mapValues { lines in
      Dictionary(lines.compactMap { line in Self.integer(line["Z_PK"]).map { ($0, line) } }) { $1 }
    }
    var objects: [String: Object] = [:]
    var faults: [String] = []
    func name(_ key: Int64?, _ entity: String) -> String? {
      guard let key, let line = linesByKey[names.table(entity)]?[key], let number = Self.integer(line["Z_ENT"]),
        names.entities.indices.contains(Int(number) - 1)
      else { return nil }
      return "\(names.entities[Int(number) - 1].name)/p\(key)"
    }
    for entity in names.entities {
      for line in tables[names.table(entity.name)] ?? []
      where line["Z_ENT"] == .integer(Int64(names.number(entity.name))) {
        let key = Self.integer(line["Z_PK"]) ?? 0
        var object = Object(lock: Self.integer(line["Z_OPT"]) ?? 0)
        for holder in names.sketch.lineage(entity.name) {
          for (property, _) in PlainNames.attributes(holder) {
            object.values[property] = line[names.columns["\(holder.name).\(property)"] ?? ""]
          }
          for relationship in holder.relationships {
            let property = "\(holder.name).\(relationship.name)"
            let destination = relationship.destination
            var found: [(order: Int64, name: String)] = []
            if let pairs = names.pairs[property] {
              for pair in tables[pairs.table] ?? [] where pair[pairs.own] == .integer(key) {
                guard let other = name(Self.integer(pair[pairs.other]), destination) else {
                  faults.append("\(pairs.table) leads from \(entity.name)/p\(key) to nothing")
                  continue
                }
                found.append((pairs.order.flatMap { Self.integer(pair[$0]) } ?? 0, other))
              }
            } else if relationship.isToMany {
              let inverse = names.sketch.inverse(of: relationship)
              let back = inverse.map { "\(destination).\($0.name)" } ?? property
              let column = names.columns[back] ?? ""
              for other in tables[names.table(destination)] ?? [] where other[column] == .integer(key) {
                guard let name = name(Self.integer(other["Z_PK"]), destination) else { continue }
                if let column = names.columns[back + "#entity"], other[column] != line["Z_ENT"] {
                  faults.append("\(column) of \(name) is not \(entity.name)")
                }
                found.append((names.columns[back + "#order"].flatMap { Self.integer(other[$0]) } ?? 0, name))
              }
            } else if let target = name(Self.integer(line[names.columns[property] ?? ""]), destination) {
              found.append((0, target))
            }
            found.sort { ($0.order, Self.key($0.name)) < ($1.order, Self.key($1.name)) }
            object.related[relationship.name] = found.map(\.name)
          }
        }
        objects["\(entity.name)/p\(key)"] = object
      }
    }
    return (objects, faults)
  }

  static func key(_ name: String) -> Int64 {
    name.lastIndex(of: "p").flatMap { Int64(name[name.index(after: $0)...]) } ?? 0
  }

  // MARK: History

  /// The changes of one transaction as sorted lines, and their kinds in the order in which they were written.
  func changes(of transaction: Int64) throws -> (lines: [String], kinds: [Int64]) {
    var found: [String] = []
    let changes = try lines("ACHANGE").filter { $0["ZTRANSACTIONID"] == .integer(transaction) }
      .sorted { (Self.integer($0["Z_PK"]) ?? 0) < (Self.integer($1["Z_PK"]) ?? 0) }
    for change in changes {
      let entity = names.entities[Int(Self.integer(change["ZENTITY"]) ?? 1) - 1].name
      let object = "\(entity)/p\(Self.integer(change["ZENTITYPK"]) ?? 0)"
      let preserved = names.preserved(entity)
      let tombstone = change.filter { $0.key.hasPrefix("ZTOMBSTONE") }
      switch change["ZCHANGETYPE"] {
      case .integer(0): found.append("insert \(object)")
      case .integer(1):
        guard case .blob(let bytes) = change["ZCOLUMNS"] else { continue }
        found.append("update \(object) \(Self.read(bytes, names.bits(entity)).sorted().joined(separator: " "))")
      default:
        let values = preserved.indices.map { StoreFixture.text(tombstone["ZTOMBSTONE\($0)"] ?? .null) }
        found.append("delete \(object) \(values.joined(separator: "|"))")
      }
    }
    return (found.sorted(), changes.compactMap { Self.integer($0["ZCHANGETYPE"]) })
  }

  private static func read(_ bytes: [UInt8], _ names: [String]) -> [String] {
    guard bytes.count == (names.count + 7) / 8 else { return ["length \(bytes.count)"] }
    return bytes.enumerated().flatMap { index, byte in
      (0..<8).filter { byte >> (7 - $0) & 1 == 1 }.map { bit in
        names.indices.contains(index * 8 + bit) ? names[index * 8 + bit] : "bit \(index * 8 + bit)"
      }
    }
  }

  func highestKey(_ root: String) throws -> Int64? {
    try lines("Z_PRIMARYKEY").first { $0["Z_NAME"] == .text(root) }.flatMap { Self.integer($0["Z_MAX"]) }
  }
}
