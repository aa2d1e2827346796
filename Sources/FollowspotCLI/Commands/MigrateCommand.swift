// SPDX-License-Identifier: MIT

internal import Followspot
internal import FoundationEssentials
internal import SearchIndex
internal import Store

struct MigrateCommand: Verb {
  static let description = CommandDescription(
    name: "migrate", arguments: "MODEL.json", summary: "migrate the store to a new model, or create a store from it",
    details: """
      MODEL.json is an edited copy of the output of `schema`. You can add and remove entities, attributes and
      relationships, and rename them with "originalName". An integer can become a double, and a number a string. A
      required attribute can become optional. Rows and history are rewritten in one transaction. A running follower
      continues with the new model. The last line on standard output says what was done.
      """,
    examples: [
      "followspot --store movies.store schema > model.json; followspot --store movies.store migrate model.json --dry-run",
      "followspot --store new.store migrate model.json",
    ])

  @Option("--dry-run", "report what would be done, and do nothing") var isDryRun: Bool

  func run(_ call: Call) throws -> ExitCode {
    let model = try ModelFile.read(call.onlyArgument("file"))
    let path = try call.storePath()
    var outcome = MigrationOutcome()
    do {
      outcome = try StoreFile.open(path, access: .readWrite).migrate(to: model, isDryRun: isDryRun)
    } catch let error as StoreError where error.code == .missing {
      try model.validate()
      if !isDryRun { _ = try PersistentStore.create(path, model: model) }
      outcome.addedEntities = model.entities.map(\.name).sorted()
    }
    if !isDryRun { Console.accomplished = "the migration is complete" }
    try JSONObject(outcome, isDryRun: isDryRun).print()
    return .success
  }
}

/// A model file in JSON: the model itself, or an object with the key `model`, as `schema` prints it.
private struct ModelFile: Decodable {
  private enum Key: String, CodingKey { case model }

  let model: ModelDescription

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    model =
      container.contains(.model)
      ? try container.decode(ModelDescription.self, forKey: .model) : try ModelDescription(from: decoder)
  }

  static func read(_ path: String) throws -> ModelDescription {
    let data = Data(try InputFile.open(path).copy())
    do {
      return try JSONDecoder().decode(ModelFile.self, from: data).model
    } catch let error as DecodingError {
      throw CommandError(
        "\(path) is not a model: \(DefinitionError(error))",
        hint: "followspot schema prints one that can be edited")
    }
  }
}
