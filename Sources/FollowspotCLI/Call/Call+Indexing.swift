// SPDX-License-Identifier: MIT

internal import Followspot
internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// What building an index may use.
struct BuildingOptions: OptionGroup {
  @Option(bytes: "--memory", "SIZE", "memory that building an index may use (default: 256M; 0 = as little as possible)")
  private var memory: Int?
  @Option(
    "--threads", "N", "threads that build an index (default: one per usable core, as far as --memory allows)",
    atLeast: 1)
  private var threads: Int?

  func limits() throws -> IndexBuilder.Limits {
    var limits = IndexBuilder.Limits()
    if let memory { limits.memory = memory }
    guard let threads else { return limits }
    guard threads <= IndexBuilder.Limits.mostThreads else {
      throw CommandError("--threads takes at most \(IndexBuilder.Limits.mostThreads), not '\(threads)'")
    }
    limits.threads = threads
    return limits
  }
}

struct DefinitionOptions: OptionGroup {
  @Option("--definition", "FILE", "index definition to use; it is kept in the index") var file: String?
}

extension Call {
  /// The index definition.
  ///
  /// - Parameter file: Its file; defaults to the profile's, for verbs that can build an index.
  func definition(_ file: String? = nil) throws -> IndexDefinition? {
    if let file { return try Self.readDefinition(file) }
    guard command.options.contains(where: { ["--definition", "--build"].contains($0.name) }) else { return nil }
    return try namedStore()?.profile?.definition.map(Self.readDefinition)
  }

  private static func readDefinition(_ path: String) throws -> IndexDefinition {
    let data = Data(try InputFile.open(path).copy())
    do {
      let definition = try IndexDefinition(json: data)
      let languages = [definition.language] + definition.entities.values.flatMap { $0.fields.flatMap(\.languages) }
      for language in languages where language != "none" && !Stemmer.exists(language) {
        throw DefinitionError("language", "there is no stemmer for '\(language)'; 'none' disables stemming")
      }
      return definition
    } catch let error as DefinitionError {
      throw DefinitionError(error.location.isEmpty ? path : "\(path): \(error.location)", error.reason)
    }
  }

  func indexerOptions(
    definition: IndexDefinition? = nil, limits: IndexBuilder.Limits = .init()
  ) throws -> Indexer.Options {
    var options = Indexer.Options(storePath: try storePath(), directory: try indexDirectory())
    options.definition = definition
    options.building = limits
    options.report = { Console.say($0) }
    options.progress = ProgressLine.show
    return options
  }

  /// The options for one store of a group. Its messages begin with its name.
  static func indexerOptions(of store: GroupedStore, limits: IndexBuilder.Limits) throws -> Indexer.Options {
    var options = Indexer.Options(storePath: store.path, directory: store.directory)
    options.definition = try store.definition.map(readDefinition)
    options.building = limits
    options.report = { Console.say("\(store.name): \($0)") }
    return options
  }

  private static let mostRelationLines = 5

  /// The file by which a program locks the directory that a database and its index are in, as package managers and
  /// browsers do; nil if there is none.
  private static func lockFile(beside options: Indexer.Options) throws -> String? {
    let directory = URL(filePath: options.storePath).deletingLastPathComponent()
    guard URL(filePath: options.directory.path).deletingLastPathComponent().path == directory.path else { return nil }
    return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().first { name in
      let name = name.lowercased()
      return ["lock", ".parentlock", "singletonlock"].contains(name) || name.hasPrefix(".") && name.hasSuffix(".lock")
    }
  }

  /// Says where a new index is, how large, and which relations of tables were inferred.
  static func sayBuilt(_ options: Indexer.Options, in duration: Duration) throws {
    guard let index = try Status(storePath: options.storePath, directory: options.directory).index else { return }
    Console.say(
      "built the index \(index.path) in \(HumanText.elapsed(duration)): "
        + "\(HumanText.count(index.documents, "record")), \(HumanText.bytes(index.bytes))")
    let store = try StoreFile.open(options.storePath, readings: options.directory.readings)
    if let lock = store.isOwn ? nil : try lockFile(beside: options) {
      Console.say(
        "another program keeps \(lock) beside the database, and may replace the directory and the index in it")
      Console.hint("--index DIR keeps the index elsewhere")
    }
    let relations = RelationList.lines(of: store, areInferred: true)
    for line in relations.prefix(mostRelationLines) { Console.say("relations of " + line) }
    if relations.count > mostRelationLines {
      Console.say("and of \(relations.count - mostRelationLines) more tables")
      Console.hint("followspot schema prints all relations")
    }
  }
}
