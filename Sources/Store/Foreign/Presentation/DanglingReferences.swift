// SPDX-License-Identifier: MIT

internal import SQLite

/// Notices that later rows break an inferred relation: rows that are read refer to nothing that exists. A few may, so all
/// rows are counted before the relation is called broken.
final class DanglingReferences {
  /// The SQL function that the views call for such a row.
  static let function = "followspot_dangling"

  /// In a table of at most as many rows, each reference that dangles has all counted.
  private static let mostCounted = 10_000

  /// How many rows were read since the last count, by entity and relationship.
  private var seen: [String: [String: Int]] = [:]
  private var broken: [String: [String: TableRelation]] = [:]

  func define(on connection: Connection) throws {
    try connection.define(observer: Self.function) { [unowned self] entity, relationship in
      let name = String(decoding: entity, as: UTF8.self)
      seen[name, default: [:]][String(decoding: relationship, as: UTF8.self), default: 0] += 1
    }
  }

  /// The relations of which more rows dangle than allowed, with the present numbers.
  func broken(in schema: DatabaseSchema, _ connection: Connection) -> [(entity: String, relation: TableRelation)] {
    let open = seen
    seen = [:]
    for (entity, counts) in open {
      guard let source = schema.sources[entity] else { continue }
      for relation in source.relations where broken[entity]?[relation.name] == nil {
        guard let new = counts[relation.name] else { continue }
        guard relation.known.rows <= Self.mostCounted || new * 1_000 >= relation.known.rows else {
          seen[entity, default: [:]][relation.name] = new
          continue
        }
        // Where the rows cannot be counted now, the next row that is read tells again.
        let count = try? ReferenceCount.counts(
          of: [relation.references], in: source.table, isWhole: true, connection
        ).first
        guard let count, !TableRelation.allows(count.dangling, of: count.rows) else { continue }
        var known = relation.known
        (known.rows, known.dangling) = (count.rows, count.dangling)
        broken[entity, default: [:]][relation.name] = known
      }
    }
    return broken.sorted { $0.key < $1.key }.flatMap { entity, relations in
      relations.sorted { $0.key < $1.key }.map { (entity, $0.value) }
    }
  }
}
