internal import PersistentStore
internal import SQLite

/// What is made of a store's model before records go in.
extension Importer {
  /// The store; nil where there is none yet, and its entity is named.
  func existingStore() throws -> PersistentStore? {
    do {
      return try PersistentStore.open(options.storePath, access: .readWrite)
    } catch let error as StoreError where error.code == .missing {
      guard options.kind != nil else {
        throw FollowspotError(
          .usage, "there is no store at \(options.storePath) yet, and no entity is named to create one with",
          recovery: .nameEntity(file: options.file))
      }
      return nil
    }
  }

  /// - Parameter names: Returns what the fields of the file are named in the store.
  func plan(_ file: RecordFile, _ store: PersistentStore?, _ names: inout FieldNames) throws -> ImportPlan {
    guard let store, let entity = try knownEntity(of: store) else {
      let survey = try survey(file, &names)
      try refuseUnknownTypes(survey, nil)
      let kind = options.kind ?? ""
      return try ImportPlan(making: kind, in: store?.model, from: survey, options)
    }
    names = FieldNames(known: Set(entity.entity.attributes.map(\.name) + entity.entity.relationships.map(\.name)))
    let survey = try survey(file, &names, of: entity)
    try refuseUnknownTypes(survey, entity)
    // A key that cannot be is refused before anything has changed.
    _ = try key(of: entity)
    var plan = try ImportPlan(extending: entity, in: store.model, from: survey, options)
    // A file whose records do not go in does not change the model either.
    let isComplete = entity.entity.attributes.allSatisfy {
      $0.isOptional || $0.defaultValue != nil || survey[$0.name] != nil || options.key != nil
    }
    if survey.records == 0 || !isComplete { plan.keepModel() }
    (plan.records, plan.badLines) = (survey.records, survey.badLines)
    return plan
  }

  private func refuseUnknownTypes(_ survey: Survey, _ entity: EntityLayout?) throws {
    let known = survey.columns.map(\.name) + (entity?.entity.attributes.map(\.name) ?? [])
    for name in options.types.keys.sorted() where survey.records > 0 && !known.contains(name) {
      throw FollowspotError(
        .usage, "no record has the field '\(name)', for which a type is given",
        recovery: .nearestNames(NearestNames.of(name, among: known)))
    }
  }

  /// Every record of the file that can go in. Where the store is there, the first bad line ends it: the import ends there
  /// too.
  private func survey(_ file: RecordFile, _ names: inout FieldNames, of entity: EntityLayout? = nil) throws -> Survey {
    var types = options.types
    for attribute in entity?.entity.attributes ?? [] where types[attribute.name] == nil {
      // Whole numbers may become numbers.
      types[attribute.name] = attribute.type.isInteger ? .double : attribute.type
    }
    var survey = Survey(namedTypes: types, shapes)
    var left: [BadLine] = []
    let reader = try file.reader(from: options.firstLine)
    while true {
      try checkStopped()
      do {
        guard let record = try reader.next() else { break }
        let renamed = names.rename(record)
        if let entity { try check(renamed, entity, types) }
        try survey.add(renamed)
      } catch let bad as BadLine {
        survey.badLines += 1
        if options.skipsBad { left.append(bad) } else if entity == nil || options.isDryRun { throw bad } else { break }
      }
    }
    // Bad lines are told when records are imported, but where none is.
    if options.isDryRun || (survey.records == 0 && entity == nil) {
      for bad in left { tell(.line(bad)) }
    }
    return survey
  }

  /// Refuses a record that cannot go in, as far as that is seen without writing.
  private func check(_ record: InputRecord, _ entity: EntityLayout, _ types: [String: AttributeType]) throws {
    guard !options.isLenient else { return }
    for (name, value) in record.fields {
      guard let index = entity.entity.index(of: name) else { continue }
      var attribute = entity.entity.attributes[index]
      attribute.isOptional = true
      attribute.type = types[name] ?? attribute.type
      do {
        _ = try shapes.fit(imported: value, attribute)
      } catch let error as StoreError where error.code == .invalidValue {
        throw BadLine(line: record.line, reason: error.message)
      }
    }
  }

  /// The store with the plan's model; nil where nothing is to be done but to say what would be.
  func prepared(_ plan: ImportPlan, _ store: PersistentStore?) throws -> PersistentStore? {
    if let store, let model = plan.model { _ = try store.migrate(to: model, isDryRun: options.isDryRun) }
    guard !options.isDryRun else { return nil }
    if store == nil, let model = plan.model { return try PersistentStore.create(options.storePath, model: model) }
    return try plan.model == nil ? store : PersistentStore.open(options.storePath, access: .readWrite)
  }

  // MARK: Entities

  /// The entity that is named, or the only one; nil where the one that is named is not there.
  private func knownEntity(of store: PersistentStore) throws -> EntityLayout? {
    if let kind = options.kind { return store.layout.entity(matching: kind) }
    let names = store.layout.entities.map(\.entity.name)
    guard names.count == 1, let only = store.layout.entities.first else {
      throw FollowspotError(
        .usage, "no entity is named: the store has \(names.joined(separator: ", "))", recovery: .chooseEntity)
    }
    return only
  }

  func entity(of store: PersistentStore, named name: String) throws -> EntityLayout {
    guard let entity = store.layout.entity(named: name) else {
      throw FollowspotError(.usage, "the store has no entity \(name)")
    }
    return entity
  }
}
