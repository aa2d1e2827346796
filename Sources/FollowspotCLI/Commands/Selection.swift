internal import Followspot
internal import PersistentStore

/// The rows that `set` and `delete` are about: one by its identifier, or the hits of a query.
struct Selection {
  let identifiers: [PersistentIdentifier]

  /// - Returns: nil where there are several and nobody agreed.
  static func of(_ words: [String], _ call: Invocation, verb: String) throws -> Selection? {
    guard !words.isEmpty else {
      throw FollowspotError(.usage, "\(verb) takes a query or an identifier", hint: "followspot help \(verb)")
    }
    let direct = words.compactMap(PersistentIdentifier.init)
    if direct.count == words.count { return try agreed(direct, call, verb: verb) }
    var request = SearchRequest(query: words.joined(separator: " "))
    request.words = .all
    request.limit = try call.integer("-n").flatMap { $0 == 0 ? nil : $0 }
    if !call.has("-n") { request.limit = nil }
    let searcher = try Searcher(storePath: try call.storePath(), directory: try call.indexDirectory())
    let result = try searcher.search(request)
    for note in result.notes { Console.say(note) }
    return try agreed(result.hits.map(\.identifier), call, verb: verb)
  }

  private static func agreed(
    _ identifiers: [PersistentIdentifier], _ call: Invocation, verb: String
  ) throws -> Selection? {
    if identifiers.count > 1, !call.has("--yes") {
      guard Console.isInputTerminal, Console.isErrorTerminal else {
        throw FollowspotError(
          .usage, "\(identifiers.count) records match; nothing was done",
          hint: "--yes to \(verb) them all, -n 1 for the best hit only")
      }
      guard Console.asks("\(verb) \(identifiers.count) records?") else { return nil }
    }
    return Selection(identifiers: identifiers)
  }

  /// Runs `change` on each row in one transaction; rows that are gone are passed over.
  ///
  /// - Parameter change: Whether the row was there, and whether it changed.
  func save(
    _ call: Invocation, _ change: (Save, EntityLayout, Int64) throws -> Bool
  ) throws -> (result: SaveResult, found: Int) {
    let store = try PersistentStore.open(try call.storePath(), access: .readWrite)
    var found = 0
    let result = try store.save(author: call.value("--author")) { save in
      for identifier in identifiers {
        if let uuid = identifier.storeUUID, uuid != store.uuid {
          throw FollowspotError(.usage, "\(identifier.uri) belongs to another store; this one is \(store.uuid)")
        }
        guard let entity = store.layout.entity(named: identifier.entityName) else {
          let known = store.layout.entities.map(\.entity.name).joined(separator: ", ")
          throw FollowspotError(.usage, "the store has no entity \(identifier.entityName); it has \(known)")
        }
        guard try store.exists(entity, key: identifier.key) else { continue }
        found += 1
        _ = try change(save, entity, identifier.key)
      }
    }
    return (result, found)
  }
}

extension CommandDescription {
  static let selectionOptions = [
    OptionDescription("-n", "N", "the best N hits only"),
    OptionDescription("--author", "NAME", "who saves, for the history"),
    OptionDescription("--yes", nil, "change several records without asking"),
  ]
}
