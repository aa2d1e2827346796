// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import Store

/// The metadata of an index generation, which the commits of its documents write.
package struct IndexState: Sendable {
  package enum Origin: String, Sendable {
    /// From the rows at the newest transaction.
    case null
    /// By replaying the history from the first transaction.
    case replay
  }

  /// The last reconciliation, for `status`.
  package struct Reconciliation: Codable, Equatable, Sendable {
    package var reason: String
    package var added: Int
    package var updated: Int
    package var removed: Int
    /// ISO 8601, UTC.
    package var at: String

    /// Without a full stop.
    package var sentence: String { "reconciled: \(added) added, \(updated) updated, \(removed) removed" }
    /// Whether it found rows that a program had changed without triggers.
    package var foundUnexplained: Bool {
      reason == TokenVerdict.unexplained.sentence(token: nil) && added + updated + removed > 0
    }
  }

  package var format = DocumentLayout.format
  package var token: StoreToken?
  /// The newest transaction from which a document may come; nil if that is the token. Rows are read in their present
  /// state, and the commits of a large batch keep the old token until its last one. If the store loses a transaction up
  /// to this mark, its history has diverged from the documents.
  package var highWaterMark: StoreToken?
  /// The order-independent sum of all documents' identities and digests.
  package var checksum: UInt128 = 0
  package var definition: IndexDefinition
  /// The definition as the metadata have it; nil if it was not read from them.
  package private(set) var definitionText: String?
  /// Whether the definition was inferred from the model, not given by the user.
  package var isStandardDefinition: Bool
  /// The number of records of each entity when the definition was inferred.
  var inferredFrom: [String: Int] = [:]
  /// How the columns of an ordinary database are read; nil for a store.
  package var readings: KnownReadings?
  /// The model of the store as the metadata have it; empty in an older index.
  private(set) var modelText = ""
  /// The entities of an ordinary database whose rows are named by an integer, which replicas cannot see in a document.
  package private(set) var namedByNumber: Set<String> = []
  package var builtFrom: Origin
  package var lastReconcile: Reconciliation?
  /// The number of updates that changed no indexed attribute.
  package var skippedUpdates = 0
  /// The rows without a document, as the last pass counted them.
  package var leftOut = LeftOutRows()
  /// Up to where the writes to an attached database are accounted for; nil if that is not known.
  var accounted: WriteMark?
  /// The newest change of the log when all rows of an attached database were compared last, or when the index was built.
  private(set) var compared: Int64?
  /// When rows of an attached database are compared again.
  package var pause = ComparisonPause()

  package init(definition: IndexDefinition, isStandardDefinition: Bool, builtFrom: Origin) {
    self.definition = definition
    self.isStandardDefinition = isStandardDefinition
    self.builtFrom = builtFrom
  }

  package var checksumText: String { ContentDigest(value: checksum).hexadecimal }

  // MARK: Metadata

  private enum Key {
    static let format = "followspot"
    static let token = "token"
    static let highWaterMark = "highWaterMark"
    static let checksum = "checksum"
    static let definition = "definition"
    static let definitionDigest = "definitionDigest"
    static let entityDigests = "entityDigests"
    static let isStandard = "definitionIsStandard"
    static let inferredFrom = "inferredFrom"
    static let readings = "readings"
    static let model = "model"
    static let namedByNumber = "namedByNumber"
    static let builtFrom = "builtFrom"
    static let lastReconcile = "lastReconcile"
    static let skippedUpdates = "skippedUpdates"
    static let leftOut = "leftOut"
    static let accounted = "accounted"
    static let compared = "compared"
    static let pause = "comparisonPause"
  }

  /// The metadata that change with every commit.
  func movingMetadata() throws -> [String: String] {
    func text(_ value: (some Encodable)?) throws -> String {
      try value.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) } ?? ""
    }
    return [
      Key.token: token?.text ?? "", Key.highWaterMark: highWaterMark?.text ?? "", Key.checksum: checksumText,
      Key.skippedUpdates: String(skippedUpdates),
      Key.lastReconcile: try text(lastReconcile), Key.leftOut: leftOut.word, Key.accounted: try text(accounted),
      Key.compared: try text(compared), Key.pause: try text(pause.isNone ? nil : pause),
    ]
  }

  private var modelMetadata: [String: String] {
    [Key.model: modelText, Key.namedByNumber: namedByNumber.sorted().joined(separator: "\n")]
  }

  /// The metadata that change with the model of the store.
  func modelChange(since before: String?) -> [String: String] { modelText == before ? [:] : modelMetadata }

  /// Takes what replicas need to know of the store.
  mutating func describe(_ store: PersistentStore) throws {
    modelText = String(decoding: try store.model.encoded(), as: UTF8.self)
    namedByNumber = store.naming?.namedByNumber ?? []
  }

  func metadata() throws -> [String: String] {
    let entityDigests = try definition.entities.keys.sorted().map {
      "\($0) \(try definition.digest(ofEntity: $0) ?? "")"
    }
    return try movingMetadata().merging([
      Key.format: format, Key.definition: try definition.encoded(), Key.definitionDigest: try definition.digest(),
      Key.entityDigests: entityDigests.joined(separator: "\n"), Key.isStandard: isStandardDefinition ? "yes" : "",
      Key.builtFrom: builtFrom.rawValue, Key.readings: try readings.map { try $0.encoded() } ?? "",
      Key.inferredFrom: inferredFrom.isEmpty
        ? "" : inferredFrom.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n"),
    ]) { $1 }.merging(modelMetadata) { $1 }
  }

  /// The state of the generation at `path`.
  ///
  /// - Throws: `IndexError.corrupt`, also if the database does not have these metadata.
  package static func read(path: String) throws -> IndexState { try read(IndexReader(path: path)) }

  /// The format of the generation at `path`; nil if this version writes it.
  static func otherFormat(path: String) throws -> String? {
    let format = try format(of: IndexReader(path: path))
    return format == DocumentLayout.format ? nil : format
  }

  /// The format of an index; nil if it is not one of followspot.
  package static func format(of reader: IndexReader) throws -> String? { try reader.metadata(Key.format) }

  /// Reads only the token.
  package static func readToken(_ reader: IndexReader) throws -> StoreToken? {
    try reader.metadata(Key.token).flatMap(StoreToken.init(text:))
  }

  /// - Parameter isOfAnyFormat: Accepts an index of another format, whose definition can be read.
  package static func read(_ reader: IndexReader, isOfAnyFormat: Bool = false) throws -> IndexState {
    guard let format = try format(of: reader) else {
      throw IndexError(
        .corrupt, "\(reader.path) holds no index of followspot, or one that was never finished",
        recovery: .rebuildIndex)
    }
    guard isOfAnyFormat || format == DocumentLayout.format else {
      throw IndexError(
        .corrupt, "the index \(reader.path) has format \(format); this version writes \(DocumentLayout.format)",
        recovery: .rebuildIndex)
    }
    guard let json = try reader.metadata(Key.definition) else {
      throw IndexError(.corrupt, "the index \(reader.path) has no definition", recovery: .rebuildIndex)
    }
    var state = IndexState(
      definition: try decoded(json),
      isStandardDefinition: try reader.metadata(Key.isStandard) != nil,
      builtFrom: try reader.metadata(Key.builtFrom).flatMap(Origin.init) ?? .null)
    state.format = format
    for line in try reader.metadata(Key.inferredFrom)?.split(separator: "\n") ?? [] {
      let parts = line.split(separator: " ")
      if parts.count == 2, let records = Int(parts[1]) { state.inferredFrom[String(parts[0])] = records }
    }
    state.readings = try reader.metadata(Key.readings).flatMap { try KnownReadings(json: $0) }
    state.definitionText = json
    state.modelText = try reader.metadata(Key.model) ?? ""
    state.namedByNumber = Set(
      try reader.metadata(Key.namedByNumber)?.split(separator: "\n").map(String.init) ?? [])
    state.token = try reader.metadata(Key.token).flatMap(StoreToken.init(text:))
    state.highWaterMark = try reader.metadata(Key.highWaterMark).flatMap(StoreToken.init(text:))
    state.checksum = try reader.metadata(Key.checksum).flatMap(ContentDigest.init(hexadecimal:))?.value ?? 0
    state.skippedUpdates = try reader.metadata(Key.skippedUpdates).flatMap { Int($0) } ?? 0
    func value<Value: Decodable>(_ key: String) throws -> Value? {
      try reader.metadata(key).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }
    state.lastReconcile = try value(Key.lastReconcile)
    (state.accounted, state.compared) = (try value(Key.accounted), try value(Key.compared))
    state.pause = try value(Key.pause) ?? ComparisonPause()
    state.leftOut = try reader.metadata(Key.leftOut).flatMap(LeftOutRows.init(word:)) ?? LeftOutRows()
    return state
  }

  /// The indexes of a group often have the same definition, and the same model.
  private static let knownDefinitions = RecentValues<String, IndexDefinition>()
  private static let knownModels = RecentValues<String, ModelDescription>()

  private static func decoded(_ json: String) throws -> IndexDefinition {
    if let definition = knownDefinitions[json] { return definition }
    let definition = try IndexDefinition(json: Data(json.utf8))
    knownDefinitions.keep(definition, for: json)
    return definition
  }

  /// The model of the store, with which a replica without the store reads the stored fields; nil if it cannot be read. It
  /// is decoded here, because searches beside the store do not need it.
  package var model: ModelDescription? {
    if let model = Self.knownModels[modelText] { return model }
    guard let model = try? JSONDecoder().decode(ModelDescription.self, from: Data(modelText.utf8)) else { return nil }
    Self.knownModels.keep(model, for: modelText)
    return model
  }
}

extension IndexState.Reconciliation {
  /// - Parameters:
  ///   - before: What a writer had changed before.
  ///   - after: What it has changed since it was opened.
  package init(reason: String, from before: WriteEffects, to after: WriteEffects, at time: String) {
    self.init(
      reason: reason, added: after.inserted - before.inserted, updated: after.updated - before.updated,
      removed: after.deleted - before.deleted, at: time)
  }
}

extension IndexState {
  /// The minimum number of records for an inferred definition that is kept.
  private static let enoughRecords = 100

  /// A state with a definition that is inferred from the present rows of a store.
  static func inferred(from store: PersistentStore, builtFrom origin: Origin) throws -> IndexState {
    var state = IndexState(definition: try .inferred(from: store), isStandardDefinition: true, builtFrom: origin)
    for entity in store.layout.entities { state.inferredFrom[entity.entity.name] = try store.count(of: entity) }
    return state
  }

  /// Whether the definition was inferred from too few records of an entity that has enough now.
  package func isInferredTooEarly(for store: PersistentStore) throws -> Bool {
    guard isStandardDefinition else { return false }
    return try store.layout.entities.contains { entity in
      guard let records = inferredFrom[entity.entity.name], records < Self.enoughRecords else { return false }
      return try store.count(of: entity) >= Self.enoughRecords
    }
  }

  /// Whether the index can follow the store from its token. Call it inside the snapshot in which the history is read.
  package func verdict(in store: PersistentStore) throws -> TokenVerdict {
    let verdict = try store.verdict(on: token)
    // The digest of the model also depends on whether the database is attached.
    if verdict == .modelChanged, isDetached(store) { return .mayHaveChanged }
    guard [.valid, .modelGrown, .modelChanged].contains(verdict) else { return verdict }
    if let highWaterMark, case .diverged(let divergence) = try store.verdict(on: highWaterMark) {
      return .diverged(divergence)
    }
    return try verdict == .valid && !store.explainsWrites(since: accounted) ? .unexplained : verdict
  }

  /// Notes that the index has all rows of the present snapshot of an attached database.
  mutating func noteComparison(in store: PersistentStore) throws {
    accounted = try store.writeMark()
    compared = accounted?.number
  }

  /// Whether the store is a database without history that has the model, and reads its columns, as when it was indexed.
  private func isDetached(_ store: PersistentStore) -> Bool {
    guard !store.tracking.hasHistory, let model, readings?.effective == Database.of(store)?.readings.effective else {
      return false
    }
    let (known, now) = (StoreLayout(model: model).shape, store.layout.shape)
    func names(_ entity: EntityShape) -> [[String]] { entity.relationships.map { [$0.name, $0.destination] } }
    return known.count == now.count
      && known.allSatisfy { name, entity in
        now[name].map { $0.attributes == entity.attributes && names($0) == names(entity) } == true
      }
  }

  /// Whether the index was built with the inferred relations that an ordinary database has now.
  func hasRelations(of store: PersistentStore) -> Bool {
    func inferred(_ readings: KnownReadings?) -> [String: [[String]]] {
      (readings?.relations ?? [:]).compactMapValues { relations in
        let names = relations.filter { $0.origin == .inferred }.map { $0.columns + [$0.target] + $0.keys }
        return names.isEmpty ? nil : names
      }
    }
    return inferred(readings) == inferred(Database.of(store)?.readings)
  }

  /// The verdict as a sentence without a full stop.
  package func sentence(of verdict: TokenVerdict) -> String {
    if case .diverged = verdict { return verdict.sentence(token: highWaterMark ?? token) }
    return verdict.sentence(token: token)
  }
}

extension StoreToken {
  /// As one line of metadata.
  package var text: String { "\(number) \(storeUUID) \(stamp.map { String($0, radix: 16) } ?? "-") \(modelDigest)" }

  init?(text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 4, let number = Int64(parts[0]) else { return nil }
    self.init(
      storeUUID: String(parts[1]), number: number, stamp: UInt64(parts[2], radix: 16), modelDigest: String(parts[3]))
  }
}
