// SPDX-License-Identifier: MIT

internal import Followspot
internal import FoundationEssentials
internal import SearchIndex
internal import Store

struct SchemaCommand: Verb {
  static let description = CommandDescription(
    name: "schema", summary: "print the model and the index definition as JSON",
    details: """
      You can edit the output and pass it back with --definition. For an ordinary SQLite database, `columns` says how the
      values of each column are read. If the choice is wrong, change it to one of these:
        \(ColumnReading.all.map(\.name).joined(separator: ", "))
      The list `relations` of the output says which columns refer to other tables, and why. In the definition, `relations`
      names the table for each column. Change it if it is wrong, or to null if the column refers to nothing.
      The tables in `joins` only join records, which have the titles of each other. Their rows are records if the
      definition names the table in `entities`.
      If a group or several stores are named, "stores" has the name and the schema of each.
      """,
    examples: ["followspot --store movies.store schema", "followspot --store movies.store schema > movies.json"],
    isPaged: true)

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    var members: [Printed.Member] = []
    var single: Printed?
    let code = try call.eachStore(takesRemotes: true) { call in
      let printed = try call.copy().map(Self.printed) ?? Self.printed(call)
      if let name = call.member { members.append(.init(name: name, schema: printed)) } else { single = printed }
      return .success
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let document =
      try single.map(encoder.encode)
      ?? encoder.encode(Printed.Group(format: FormatVersion.current, stores: members))
    // Line by line: line ends occur only between values, and must be kept.
    for line in String(decoding: document, as: UTF8.self).split(separator: "\n") {
      Console.write(line: JSONWriter.escapingControls(String(line)))
    }
    return code
  }

  /// The model and the definition of a store.
  private static func printed(_ call: Call) throws -> Printed {
    let directory = try call.indexDirectory()
    let store = try call.store()
    let serving = try directory.serving()
    var definition =
      try serving.map { try IndexState.read(path: $0.path).definition } ?? .inferred(from: store)
    let database = Database.of(store)
    definition.columns = database?.readings.effective.names ?? [:]
    definition.relations = database?.namedRelations ?? [:]
    return Printed(
      format: FormatVersion.current, store: Printed.Store(path: store.path, uuid: store.uuid), model: store.model,
      relations: database?.relations.map(Printed.Relation.init), joins: database.map { _ in store.joins },
      definition: definition)
  }

  /// The model and the definition that an index without its store contains.
  private static func printed(_ copy: IndexLocation) throws -> Printed {
    let state = try copy.open().state
    return Printed(
      format: FormatVersion.current,
      store: Printed.Store(path: copy.description, uuid: state.token?.storeUUID ?? ""),
      model: try copy.model(of: state),
      relations: nil, joins: nil, definition: state.definition)
  }

  private struct Printed: Encodable {
    struct Store: Encodable {
      let path: String
      let uuid: String
    }

    /// A relation of two tables of an ordinary database.
    struct Relation: Encodable {
      let entity: String
      let columns: [String]
      /// The value of another column with which the columns refer to the destination; nil if they always do.
      let condition: TableRelation.Condition?
      let relationship: String
      let destination: String
      let keys: [String]
      let reason: String

      init(entity: String, relationship: String, relation: TableRelation) {
        self.entity = entity
        self.relationship = relationship
        columns = relation.columns
        condition = relation.condition
        destination = relation.target
        keys = relation.keys
        reason = relation.reason
      }
    }

    struct Group: Encodable {
      let format: Int
      let stores: [Member]
    }

    struct Member: Encodable {
      let name: String
      let schema: Printed
    }

    let format: Int
    let store: Store
    let model: ModelDescription
    let relations: [Relation]?
    let joins: [String]?
    let definition: IndexDefinition
  }
}
