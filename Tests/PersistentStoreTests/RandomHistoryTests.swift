// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// Random saves of several authors, compared with a dictionary of the expected contents.
@Suite(.overlapping, .temporaryDirectory)
struct RandomHistoryTests {
  /// The expected contents of the store, computed without the product's code.
  private struct Model {
    var rows: [Int64: [Value]] = [:]
    var highest: Int64 = 0
    /// `highest` after the last save with changes. A save without changes releases its keys.
    var savedHighest: Int64 = 0
    /// The saved transactions as lines with sorted changes.
    var history: [String] = []
    // The changes of the open save.
    var inserted: Set<Int64> = []
    var updated: [Int64: Set<String>] = [:]
    var deleted: [Int64: Value] = [:]

    mutating func end(author: String?) {
      let changes =
        inserted.map { "insert \($0)" }
        + updated.map { "update \($0.key) \($0.value.sorted().joined(separator: ","))" }
        + deleted.map { "delete \($0.key) \(StoreFixture.text($0.value))" }
      if changes.isEmpty {
        highest = savedHighest
      } else {
        savedHighest = highest
        history.append("\(history.count + 1) \(author ?? "-"): \(changes.sorted().joined(separator: "; "))")
      }
      (inserted, updated, deleted) = ([], [:], [:])
    }
  }

  private static let names = Catalogue.entity.attributes.map(\.name)

  @Test(arguments: Rounds.seeds(3, full: 12, long: 12))
  func `rows and history equal the model after every save`(_ seed: Int) throws {
    let bench = try StoreFixture(Catalogue.model)
    var catalogue = Catalogue(seed: seed)
    let film = bench.store.layout.entities[0]
    let writers = [bench.store, try PersistentStore.open(bench.path, access: .readWrite)]
    let reader = try PersistentStore.open(bench.path)
    var model = Model()
    for _ in 0..<25 {
      let author = catalogue.chance(3) ? nil : catalogue.pick(["anna", "bert"])
      let writer = writers[catalogue.number(0...1)]
      try writer.save(author: author) { save in
        for _ in 0..<catalogue.number(0...8) { try Self.step(save, film, &catalogue, &model) }
      }
      model.end(author: author)
      let rows = try Self.rows(of: reader, film)
      #expect(rows == model.rows)
      let history = try Self.history(of: reader, film)
      #expect(history == model.history)
      let newest = try reader.newest()
      #expect(newest == Int64(model.history.count))
    }
    #expect(try bench.rows("PRAGMA integrity_check") == ["ok"])
  }

  private static func step(
    _ save: Save, _ film: EntityLayout, _ catalogue: inout Catalogue, _ model: inout Model
  ) throws {
    let key = catalogue.pick(model.rows.keys.sorted())
    switch (catalogue.number(0...3), key) {
    case (2, let key?):
      let new = catalogue.film(plotWords: 5).map { $0 ?? .null }
      let chosen = names.indices.filter { _ in catalogue.chance(3) }
      let different = chosen.filter { model.rows[key]?[$0] != stored(new[$0], $0) }
      let changed = try save.update(film, key: key, chosen.map { (attribute: $0, value: new[$0]) })
      #expect(changed == !different.isEmpty)
      for attribute in different { model.rows[key]?[attribute] = stored(new[attribute], attribute) }
      if changed, !model.inserted.contains(key) {
        model.updated[key, default: []].formUnion(different.map { names[$0] })
      }
    case (3, let key?):
      #expect(try save.delete(film, key: key))
      if model.inserted.remove(key) == nil {
        model.updated[key] = nil
        model.deleted[key] = model.rows[key]?[8]
      }
      model.rows[key] = nil
    default:
      let new = catalogue.film(plotWords: 5).map { $0 ?? .null }
      let row = try save.insert(film, new)
      model.highest += 1
      #expect(row == RowIdentifier(entity: 1, key: model.highest))
      model.rows[row.key] = new.indices.map { stored(new[$0], $0) }
      model.inserted.insert(row.key)
    }
  }

  /// SQLite keeps an integral number in a TIMESTAMP column as an integer.
  private static func stored(_ value: Value, _ attribute: Int) -> Value {
    guard names[attribute] == "released", case .real(let number) = value else { return value }
    return Int64(exactly: number).map { .integer($0) } ?? value
  }

  private static func rows(of store: PersistentStore, _ film: EntityLayout) throws -> [Int64: [Value]] {
    let cursor = try store.rows(of: film, attributes: Array(names.indices))
    var rows: [Int64: [Value]] = [:]
    while let row = try cursor.next() { rows[row.key] = names.indices.map { row.value($0) } }
    return rows
  }

  private static func history(of store: PersistentStore, _ film: EntityLayout) throws -> [String] {
    let sorted = names.sorted()
    var lines: [String] = []
    try store.transactions { transaction in
      let changes = transaction.changes.map { change in
        switch change.kind {
        case .insert: return "insert \(change.row.key)"
        case .delete: return "delete \(change.row.key) \(change.tombstone.map { StoreFixture.text($0) }.joined())"
        case .update:
          let bitmap = change.bitmap ?? []
          let bits = (0..<(bitmap.count * 8)).filter { (bitmap[$0 / 8] << ($0 % 8)) & 0x80 != 0 }
          return "update \(change.row.key) \(bits.map { sorted[$0] }.joined(separator: ","))"
        }
      }
      lines.append(
        "\(transaction.number) \(transaction.author ?? "-"): \(changes.sorted().joined(separator: "; "))")
    }
    return lines
  }
}
