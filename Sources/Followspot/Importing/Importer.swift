internal import PersistentStore
internal import SQLite

/// Brings the records of a file into a store, in transactions of a stated size.
package struct Importer {
  package struct Options: Sendable {
    package var storePath: String
    package var file: String
    /// nil for the store's only entity.
    package var kind: String?
    package var author: String?
    /// nil for what the file's suffix says.
    package var format: InputFormat?
    /// Records a transaction.
    package var batch = 1_000
    /// The attribute by which a record is known: a known one updates.
    package var key: String?
    /// Leaves bad lines out instead of ending at the first.
    package var skipsBad = false

    package init(storePath: String, file: String) {
      self.storePath = storePath
      self.file = file
    }
  }

  package struct Outcome: Equatable, Sendable {
    package var token: Int64 = 0
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
    /// Bad lines, and records that changed nothing.
    package var skipped = 0

    package init() {}
  }

  let options: Options
  private let shapes: ValueShapes
  /// Told of each bad line that is left out.
  let report: (BadLine) -> Void
  /// Told the part of the file that is done, 0 to 1, and the records so far.
  private let progress: (Double, Int) -> Void

  package init(
    _ options: Options, report: @escaping (BadLine) -> Void = { _ in },
    progress: @escaping (Double, Int) -> Void = { _, _ in }
  ) throws {
    self.options = options
    self.report = report
    self.progress = progress
    shapes = try ValueShapes()
  }

  /// Imports the file. A store that is not there is made, its entity learnt from the whole file.
  ///
  /// - Throws: `BadLine` (earlier batches stay), `FollowspotError.usage`, `StoreError`.
  package func run() throws -> Outcome { try run(on: InputFile(path: options.file)) }

  /// The same with records that are already there; the options' file only names them and their format.
  package func run(on file: InputFile) throws -> Outcome {
    let format = try format()
    let (store, isNew) = try openOrCreate(file, format)
    do {
      return try add(file, format, to: store)
    } catch {
      // A store that was made for this import and holds nothing yet is not left behind.
      if isNew, (try? store.newest()) == 0 { PersistentStore.remove(options.storePath) }
      throw error
    }
  }

  private func add(_ file: InputFile, _ format: InputFormat, to store: PersistentStore) throws -> Outcome {
    let entity = try entity(of: store)
    let keyIndex = try key(of: entity)
    let reader = try format.reader(of: file)
    var outcome = Outcome()
    outcome.token = try store.newest()
    var isAtEnd = false
    while !isAtEnd {
      try StopSignal.check()
      var batch = Outcome()
      let result = try store.save(author: options.author) { save in
        var lines = 0
        while lines < options.batch {
          lines += 1
          do {
            guard let record = try reader.next() else {
              isAtEnd = true
              return
            }
            try add(record, to: save, entity, keyIndex, store, &batch)
          } catch let bad as BadLine where options.skipsBad {
            report(bad)
            batch.skipped += 1
          }
        }
      }
      outcome.token = max(outcome.token, result.transaction)
      outcome.inserted += batch.inserted
      outcome.updated += batch.updated
      outcome.skipped += batch.skipped
      progress(
        file.bytes.isEmpty ? 1 : Double(min(reader.position, file.bytes.count)) / Double(file.bytes.count),
        outcome.inserted + outcome.updated + outcome.skipped)
    }
    return outcome
  }

  // MARK: Preparation

  private func format() throws -> InputFormat {
    if let format = options.format { return format }
    if options.file != "-", let format = InputFormat(path: options.file) { return format }
    throw FollowspotError(
      .usage, "the format of \(options.file) is not known", hint: "name it with --input-format jsonl, csv or tsv")
  }

  func key(of entity: EntityLayout) throws -> Int? {
    guard let key = options.key else { return nil }
    guard let index = entity.entity.index(of: key) else {
      let nearest = NearestNames.of(key, among: entity.entity.attributes.map(\.name))
      throw FollowspotError(
        .usage, "--key \(key): \(entity.entity.name) has no such attribute",
        hint: NearestNames.hint(nearest))
    }
    guard entity.entity.attributes[index].isUnique else {
      throw FollowspotError(
        .usage, "--key \(key): the attribute is not unique in this store",
        hint: "name the key when the store is made by its first import")
    }
    return index
  }

  // MARK: Records

  private func add(
    _ record: Record, to save: Save, _ entity: EntityLayout, _ keyIndex: Int?, _ store: PersistentStore,
    _ outcome: inout Outcome
  ) throws {
    let attributes = entity.entity.attributes
    var values = [Value?](repeating: nil, count: attributes.count)
    var related: [Int: [RowIdentifier]] = [:]
    do {
      for (name, value) in record.fields {
        if let relationship = entity.entity.relationship(named: name) {
          let objects = RelatedObjects(store, shapes)
          related[relationship] = try objects.rows(value, entity.relationships[relationship])
          continue
        }
        guard let index = entity.entity.index(of: name) else {
          throw BadLine(line: record.line, reason: "\(entity.entity.name) has no attribute '\(name)'")
        }
        values[index] = try shapes.fit(value, attributes[index])
      }
      if let keyIndex {
        guard let value = values[keyIndex], !value.isNull else {
          throw BadLine(line: record.line, reason: "the key \(attributes[keyIndex].name) is missing")
        }
        if let row = try store.row(of: entity, where: keyIndex, equals: value) {
          guard let own = store.layout.entity(number: row.entity) else { return }
          let changes = values.enumerated().compactMap { index, value in value.map { (attribute: index, value: $0) } }
          var isChanged = try save.update(own, key: row.key, changes)
          for (relationship, targets) in related.sorted(by: { $0.key < $1.key }) {
            isChanged = try save.setTargets(own, key: row.key, relationship, targets) || isChanged
          }
          if isChanged { outcome.updated += 1 } else { outcome.skipped += 1 }
          return
        }
      }
      try save.insert(entity, values, related: related)
      outcome.inserted += 1
    } catch let error as StoreError where error.code == .invalidValue || error.code == .duplicate {
      throw BadLine(line: record.line, reason: error.message, hint: hint(error, entity))
    }
  }

  private func hint(_ error: StoreError, _ entity: EntityLayout) -> String? {
    if error.code == .duplicate, options.key == nil, let names = error.subject?.properties, names.count == 1 {
      return "--key \(names[0]) updates records that are there; --skip-bad leaves them out"
    }
    return entity.entity.attributes.contains { Self.needed($0, entity) == error.message } ? Self.optionalHint : nil
  }

  private static let optionalHint =
    "give it, leave bad lines out with --skip-bad, or make the attribute optional: followspot help migrate"

  private static func needed(_ attribute: AttributeDescription, _ entity: EntityLayout) -> String {
    "\(entity.entity.name).\(attribute.name) needs a value"
  }

  /// Refuses a record that cannot go in, as far as that is seen without writing.
  func check(_ record: Record, _ entity: EntityLayout) throws {
    var given: Set<String> = []
    for (name, value) in record.fields {
      guard let index = entity.entity.index(of: name) else { continue }
      let attribute = entity.entity.attributes[index]
      do {
        if try !shapes.fit(value, attribute).isNull { given.insert(attribute.name) }
      } catch let error as StoreError where error.code == .invalidValue {
        throw BadLine(line: record.line, reason: error.message)
      }
    }
    // By a key the record may be known, and keep the values that it does not give.
    guard options.key == nil else { return }
    for attribute in entity.entity.attributes
    where !attribute.isOptional && attribute.defaultValue == nil && !given.contains(attribute.name) {
      throw BadLine(line: record.line, reason: Self.needed(attribute, entity), hint: Self.optionalHint)
    }
  }
}
