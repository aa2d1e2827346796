// SPDX-License-Identifier: MIT

internal import Following
internal import PersistentStore
internal import SearchIndex
internal import Searching
internal import ShellInterface

extension Invocation {
  /// Opens the index for a search without building it.
  func searcher() throws -> Searcher {
    if let replica = try replicaDirectory() { return try Searcher(replica: replica) }
    return try Searcher(storePath: try storePath(), directory: try indexDirectory())
  }

  /// The replica that `--index` or the environment names; nil if it is not a replica, or if `--store` names the store.
  func replicaDirectory() throws -> IndexDirectory? {
    guard !has("--store"), hasIndexDirectory else { return nil }
    let directory = try indexDirectory()
    return directory.isReplica ? directory : nil
  }

  /// Opens the index for a search. A missing index is built first, if standard error is a terminal or `--build` is
  /// given.
  func searcherBuildingIndex() throws -> Searcher {
    if let replica = try replicaDirectory() { return try Searcher(replica: replica) }
    do {
      return try Searcher(storePath: try storePath(), directory: try indexDirectory())
    } catch let error as IndexError where error.code == .missing {
      guard has("--build") || Console.isErrorTerminal else {
        throw CommandError(error.message, hint: line(adding: "--build"), code: .missing)
      }
      try buildIndex()
      return try Searcher(storePath: try storePath(), directory: try indexDirectory())
    }
  }

  private func buildIndex() throws {
    let options = try indexerOptions()
    Console.say("\(options.storePath) has no index yet; building it")
    try Self.sayBuilt(options, in: Pass.run(options).duration)
  }

  /// Says where a new index is, and how large.
  static func sayBuilt(_ options: Indexer.Options, in duration: Duration) throws {
    guard let index = try Status(storePath: options.storePath, directory: options.directory).index else { return }
    Console.say(
      "built the index \(index.path) in \(HumanText.elapsed(duration)): "
        + "\(HumanText.count(index.documents, "record")), \(HumanText.bytes(index.bytes))")
  }
}
