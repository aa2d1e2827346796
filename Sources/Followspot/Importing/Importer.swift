// SPDX-License-Identifier: MIT

internal import Base
package import Store

/// Imports the records of a file into a store, in transactions of a stated size.
package struct Importer {
  package struct Options: Sendable {
    var storePath: String
    package var file: String
    /// How to read the file.
    package var input = RecordFile.Options()
    /// nil = the store's only entity.
    package var kind: String?
    package var author: String?
    /// Records per transaction.
    package var batch = 1_000
    /// The unique key: a record whose key exists is updated.
    package var key: String?
    /// Types of attributes, by their names, instead of the types that the values suggest.
    package var types: [String: AttributeType] = [:]
    /// The mark before the decimals in cells; nil if the cells decide.
    package var decimalMark: DecimalMark?
    /// The order of day, month and year in cells; nil if the cells decide.
    package var dateOrder: DateOrder?
    /// Skips invalid lines instead of ending at the first.
    package var skipsBad = false
    /// Leaves a value empty if it does not fit its attribute's type.
    package var isLenient = false
    /// Imports records even if the store already contains them.
    package var isAgain = false
    /// Reports what would be done, without doing it.
    package var isDryRun = false
    /// The line of the first record that is imported.
    package var firstLine = 1

    package init(storePath: String, file: String) {
      self.storePath = storePath
      self.file = file
    }
  }

  package struct Outcome: Sendable {
    package var token: Int64 = 0
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
    /// Invalid lines, and records that changed nothing.
    package var skipped = 0
    /// How the cells of the file write numbers and dates, where they are not in the standard form.
    package var formats: [ColumnFormat] = []

    package init() {}
  }

  /// A message for people while a file is imported.
  package enum Message {
    /// A line that is skipped, or a value of it that is left empty.
    case line(BadLine)
    /// A fact about the file, or a change of the model.
    case sentence(String)
    /// How the cells of a column write numbers or dates.
    case format(ColumnFormat)
    /// An entity that is created; its attributes follow.
    case newEntity(String, isDryRun: Bool)
    /// The attributes that are new or different.
    case attributes([(name: String, words: String)])
  }

  let options: Options
  let shapes: ValueShapes
  let tell: (Message) -> Void
  /// Called with the share of the file that is done, 0 to 1, and the number of records so far.
  private let progress: (Double, Int) -> Void

  package init(
    _ options: Options, tell: @escaping (Message) -> Void = { _ in },
    progress: @escaping (Double, Int) -> Void = { _, _ in }
  ) throws {
    self.options = options
    self.tell = tell
    self.progress = progress
    shapes = try ValueShapes()
  }

  /// Imports the file. A missing store is created, and its entity is inferred from the whole file. An existing store
  /// gets the entities and attributes of the file that it lacks.
  ///
  /// The whole file is read before the first record is written. What is wrong with the file itself is thrown then, and
  /// nothing is changed. Other invalid records, such as those that name an object that does not exist, are found while
  /// records are written, and earlier batches stay.
  ///
  /// - Throws: `BadLine`, `OperationError.usage`, `.stopped` (what was saved stays), `StoreError`.
  package func run() throws -> Outcome { try run(on: InputFile.open(options.file)) }

  /// Imports the records of an open file. The file of the options is not read: only messages name it.
  package func run(on source: InputFile) throws -> Outcome {
    let file = try RecordFile(source, options.input)
    var fields = FieldMapping(known: [])
    let store = try existingStore()
    let plan = try plan(file, store, &fields)
    say(file, plan, fields)
    if let store, let entity = store.layout.entity(named: plan.entityName) {
      try refuseRepetition(file, of: entity, in: store, plan, fields)
    }
    let trial = options.isDryRun ? try TrialCopy(of: store) : nil
    let ready = try prepared(plan, trial == nil ? store : try store.map { _ in try openStore(trial) }, trial)
    say(plan)
    do {
      var outcome = try add(file, fields, to: ready, plan.entityName)
      if trial != nil { outcome.token = try store?.newest() ?? 0 }
      return outcome
    } catch {
      // A store that this import created is removed if it has no transaction yet.
      if plan.isMaking, trial == nil, (try? ready.newest()) == 0 { PersistentStore.remove(options.storePath) }
      throw error
    }
  }

  // MARK: Batches

  /// The lines that an import has reached; 0 before the first record.
  private struct Position {
    /// The line of the first record of the batch.
    var batch = 0
    /// The line of the record that was read last.
    var line = 0
  }

  private func add(_ file: RecordFile, _ fields: FieldMapping, to store: PersistentStore, _ entityName: String) throws
    -> Outcome
  {
    let entity = try entity(of: store, named: entityName)
    let writer = RecordWriter(store, entity, try key(of: entity), shapes, options, tell)
    let reader = try file.reader(from: options.firstLine)
    var fields = fields
    var outcome = Outcome()
    outcome.formats = fields.formats
    outcome.token = try store.newest()
    var position = Position()
    var isAtEnd = false
    while !isAtEnd, !StopSignal.isRaised {
      var batch = Outcome()
      position.batch = 0
      do {
        let result = try store.save(author: options.author) { save in
          var lines = 0
          // After a signal, the records that were already read are saved.
          while lines < options.batch, !StopSignal.isRaised {
            lines += 1
            do {
              guard let record = try reader.next() else {
                isAtEnd = true
                return
              }
              position.line = record.line
              if position.batch == 0 { position.batch = record.line }
              try writer.write(fields.map(record), to: save, &batch)
            } catch let bad as BadLine where options.skipsBad {
              tell(.line(bad))
              batch.skipped += 1
            }
          }
        }
        outcome.token = max(outcome.token, result.transaction)
      } catch let bad as BadLine {
        throw continued(bad, outcome, position)
      }
      outcome.inserted += batch.inserted
      outcome.updated += batch.updated
      outcome.skipped += batch.skipped
      let size = file.size
      progress(
        size == 0 ? 1 : Double(min(reader.position, size)) / Double(size),
        outcome.inserted + outcome.updated + outcome.skipped)
    }
    guard isAtEnd else { throw stopped(outcome, position) }
    return outcome
  }

  /// Adds how to resume after the saved batches.
  private func continued(_ bad: BadLine, _ outcome: Outcome, _ position: Position) -> BadLine {
    let kept = outcome.inserted + outcome.updated
    guard kept > 0, !options.isDryRun, options.key == nil, bad.recovery == nil else { return bad }
    var bad = bad
    bad.recovery = .resume(saved: kept, line: position.batch == 0 ? bad.line : position.batch)
    return bad
  }

  func checkStopped() throws {
    if StopSignal.isRaised { throw stopped(Outcome(), Position()) }
  }

  private func stopped(_ outcome: Outcome, _ position: Position) -> OperationError {
    let kept = outcome.inserted + outcome.updated
    guard kept > 0, !options.isDryRun else {
      return OperationError(.stopped, "stopped by a signal: no record was imported")
    }
    return OperationError(
      .stopped,
      "stopped by a signal: \(kept) \(kept == 1 ? "record is" : "records are") saved, up to line \(position.line)",
      recovery: .resume(line: options.key == nil ? position.line + 1 : nil))
  }

  // MARK: Keys

  func key(of entity: EntityLayout) throws -> Int? {
    guard let key = options.key else { return nil }
    guard let index = entity.entity.index(of: key) else {
      let nearest = NearestNames.of(key, among: entity.entity.attributes.map(\.name))
      throw OperationError(
        .usage, "the key '\(key)' is not an attribute of \(entity.entity.name)",
        recovery: .nearestNames(nearest))
    }
    return index
  }
}
