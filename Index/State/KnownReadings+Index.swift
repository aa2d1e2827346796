// SPDX-License-Identifier: MIT

internal import FoundationEssentials
package import Store

/// How an index keeps the readings and the relations of a database's columns, so that they stay the same whichever rows come
/// and go.
extension KnownReadings {
  private struct JSON: Codable {
    let given: [String: [String: String]]
    let inferred: [String: [String: String]]
    let assumed: [String: Set<String>]
    let relations: [String: [TableRelation]]?
    let givenRelations: GivenRelations?
  }

  func encoded() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = JSON(
      given: given.names, inferred: inferred.names, assumed: assumed, relations: relations,
      givenRelations: givenRelations)
    return String(decoding: try encoder.encode(json), as: UTF8.self)
  }

  /// nil where the JSON is not such an object.
  init?(json: String) throws {
    guard let json = try? JSONDecoder().decode(JSON.self, from: Data(json.utf8)) else { return nil }
    self.init(
      given: try ColumnReadings(names: json.given), inferred: try ColumnReadings(names: json.inferred),
      assumed: json.assumed)
    relations = json.relations ?? [:]
    givenRelations = json.givenRelations ?? [:]
  }
}

extension ColumnReadings {
  /// The readings' names, as an index definition has them.
  package var names: [String: [String: String]] { mapValues { $0.mapValues(\.name) } }

  /// - Throws: `DefinitionError` for a name that no reading has.
  package init(names: [String: [String: String]]) throws {
    self = try names.reduce(into: [:]) { readings, entity in
      readings[entity.key] = try entity.value.reduce(into: [:]) { columns, column in
        guard let reading = ColumnReading(name: column.value) else {
          let known = ColumnReading.all.map(\.name).joined(separator: ", ")
          throw DefinitionError(
            "columns.\(entity.key).\(column.key)", "no reading is named \"\(column.value)\"; valid values are \(known)")
        }
        columns[column.key] = reading
      }
    }
  }
}

extension IndexDirectory {
  /// For opening the database that the index is of.
  package var readings: ReadingChoice {
    .known {
      guard let serving = try? serving() else { return nil }
      return try? IndexState.read(path: serving.path).readings
    }
  }
}

extension IndexDefinition {
  /// The same definition with only those `columns` and `relations` that differ from the inferred ones. They are the person's
  /// own choice; any other changes when a value does not fit it.
  func keepingOwnColumns(beside known: KnownReadings?) throws -> IndexDefinition {
    guard var known else { return self }
    known.setGiven(try ColumnReadings(names: columns))
    known.setGiven(relations)
    var kept = self
    kept.columns = known.given.names
    kept.relations = known.givenRelations
    return kept
  }

  /// - Throws: `DefinitionError` where `columns` or `relations` name what the database does not have, and, after a survey,
  ///   where the values of a relation are not keys.
  func validateColumns(in store: PersistentStore) throws {
    for (entity, attributes) in columns.sorted(by: { $0.key < $1.key }) {
      for attribute in attributes.keys.sorted() where Database.of(store)?.readings.inferred[entity]?[attribute] == nil {
        let reason =
          Database.of(store)?.readings == nil
          ? "the store has types of its own; only columns of an ordinary database are read in different ways"
          : "the database has no such table or column"
        throw DefinitionError("columns.\(entity).\(attribute)", reason)
      }
    }
    guard let database = Database.of(store) else {
      guard relations.isEmpty else {
        throw DefinitionError("relations", "the store has relationships of its own; only databases need them")
      }
      return
    }
    if let fault = database.relationFaults.first { throw DefinitionError(fault.location, fault.reason) }
  }
}

extension PersistentStore {
  /// That values were read which do not fit their columns' types, or which break relations, as a sentence without its full
  /// stop; nil where all fit.
  package var misfitSentence: String? {
    let mismatched = Self.list(Database.of(self)?.mismatchedColumns).map {
      "values of \($0) do not fit the type that the index has for the column"
    }
    let broken = Database.of(self)?.brokenRelations.map { entity, relation in
      "\(relation.dangling) of \(relation.rows) values of \(entity).\(relation.columnList) are not in \(relation.target)"
    }
    let sentences = [mismatched].compactMap(\.self) + (broken ?? [])
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  /// The same of columns whose readings the definition gives.
  var ignoredValuesSentence: String? {
    Self.list(Database.of(self)?.columnsWithIgnoredValues).map {
      "values of \($0) do not fit the reading in `columns`, and are left out"
    }
  }

  /// What the definition says wrongly of relations, each as a sentence without its full stop.
  var relationFaultSentences: [String] {
    (Database.of(self)?.relationFaults ?? []).map { "\($0.location): \($0.reason)" }
  }

  private static func list(_ columns: [String: Set<String>]?) -> String? {
    let names = (columns ?? [:]).sorted { $0.key < $1.key }
      .flatMap { entity, attributes in attributes.sorted().map { entity + "." + $0 } }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }
}
