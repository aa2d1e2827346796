// SPDX-License-Identifier: MIT

internal import Store

/// Opening the store and the serving generation, and opening them again when they are replaced.
extension Indexer {
  func openStore() throws -> PersistentStore {
    if let store, !store.isDueForOpening, try !isSampleOld(store) { return store }
    let isSecond = store?.isOtherFile == true
    discard()
    func open() throws -> PersistentStore {
      try StoreFile.open(
        options.storePath, busyMilliseconds: options.busyMilliseconds, readings: readings())
    }
    var opened = try open()
    if let fault = Database.of(opened)?.lostTriggers, try putBackTriggers(fault) { opened = try open() }
    if isSecond { options.report("the file \(options.storePath) was replaced; continuing with the new one") }
    reportCopies(of: opened)
    store = opened
    sampled = (.now, try opened.dataVersion())
    return opened
  }

  /// Reports once that copies are read, until the file itself can be read again.
  private func reportCopies(of store: PersistentStore) {
    guard case .locked = store.copyReason else {
      hasReportedCopies = false
      return
    }
    if !hasReportedCopies, let reason = store.copyReason?.text {
      options.report("\(reason): reading private copies of \(options.storePath)")
    }
    hasReportedCopies = true
  }

  /// The readings of the index and of the requested definition. Columns that had no value before are sampled again.
  private func readings() throws -> ReadingChoice {
    let asked = try options.definition.map { (try ColumnReadings(names: $0.columns), $0.relations) }
    let directory = options.directory
    return .known {
      guard case .known(let kept) = directory.readings, var known = kept() else {
        return asked.map { given, relations in
          var known = KnownReadings(given: given)
          known.givenRelations = relations
          return known
        }
      }
      if let (given, relations) = asked {
        known.setGiven(given)
        known.setGiven(relations)
      }
      for (entity, columns) in known.assumed {
        for column in columns { known.inferred[entity]?[column] = nil }
      }
      known.assumed = [:]
      return known
    }
  }

  /// Whether columns without values may have some now, or triggers have to be restored.
  private func isSampleOld(_ store: PersistentStore) throws -> Bool {
    guard let sampled else { return false }
    let age = ContinuousClock.now - sampled.at
    // Try again to restore triggers.
    if options.renewsTriggers, Database.of(store)?.lostTriggers != nil { return age > .seconds(10) }
    guard Database.of(store)?.readings.assumed.isEmpty == false, age > .seconds(1) else { return false }
    return try store.dataVersion() != sampled.version
  }

  /// Opens the serving generation if it is not open yet. Returns false if a generation was built first.
  func openGeneration(_ store: PersistentStore) throws -> Bool {
    let serving = try options.directory.serving()
    if let serving, serving == generation, writer != nil { return true }
    (writer, tail, mapper) = (nil, nil, nil)
    guard let serving else {
      try checkLock()
      try rebuild(definition: options.definition)
      return false
    }
    if let format = try IndexState.otherFormat(path: serving.path) {
      options.report("the index has format \(format), of another version of followspot: rebuilding beside it")
      try rebuild(definition: options.definition)
      return false
    }
    let made = try GenerationWriter(path: serving.path)
    try store.refuseUnreadRecords(in: made.state.definition)
    let wanted = try wantedDefinition(made.state, store)
    let hasRelations = made.state.hasRelations(of: store)
    if try !hasRelations || wanted.digest() != made.state.definition.digest() {
      try reportLostHistory(made.state, store)
      let change = hasRelations ? "the index definition has changed" : "the relations of the tables have changed"
      options.report(change + ": rebuilding beside the serving index")
      try rebuild(definition: options.definition, infers: made.state.isStandardDefinition)
      return false
    }
    // The requested definition is in use now. Definitions of later generations replace it.
    options.definition = nil
    let mapper = try DocumentMapper(definition: made.state.definition, layout: store.layout)
    self.mapper = mapper
    tail = HistoryTail(store: store, mapper: mapper, limits: options.limits)
    writer = made
    generation = serving
    countedLeftOut = nil
    register(store, token: made.state.token)
    return true
  }

  /// Registers the index as a consumer, so that a purge of the history waits for it. If that fails and history is purged
  /// too early, the index is compared with the store instead.
  private func register(_ store: PersistentStore, token: StoreToken?) {
    // Write nothing beside a store of other software, unless it was attached.
    guard store.hasConsumers else { return }
    do {
      try Consumers(storePath: options.storePath).register(options.directory, store: store, token: token?.number)
    } catch {
      guard !hasReportedRegistration else { return }
      hasReportedRegistration = true
      options.report("the index cannot be registered, and a purge of the history does not wait for it: \(error)")
    }
  }

  private func wantedDefinition(_ state: IndexState, _ store: PersistentStore) throws -> IndexDefinition {
    if let asked = options.definition {
      try asked.validateColumns(in: store)
      try asked.validate(against: store.layout.shape)
      return try asked.takingLengths(from: state.definition).keepingOwnColumns(beside: state.readings)
    }
    let model = store.layout.shape
    guard !state.isStandardDefinition else {
      guard state.definition.isInferred(from: model) else { return .standard(for: model) }
      return state.definition
    }
    return state.definition.fitted(to: model, report: options.report) ?? .standard(for: model)
  }

  func rebuild(definition: IndexDefinition?, infers: Bool = false) throws {
    let rebuild = Rebuild(
      storePath: options.storePath, directory: options.directory, definition: definition, infers: infers,
      limits: options.building, progress: options.progress, report: options.report,
      busyMilliseconds: options.busyMilliseconds)
    closedEffects += try rebuild.run().effects
    // Its columns may be read in another way now.
    if store?.isOrdinaryDatabase == true { discard() }
  }
}
