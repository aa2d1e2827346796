// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Adapts the store's model before records are imported.
extension Importer {
  /// Opens the store. nil if it does not exist yet; then the options must name the entity to create it with.
  func existingStore() throws -> PersistentStore? {
    do {
      return try StoreFile.open(options.storePath, access: .readWrite)
    } catch let error as StoreError where error.code == .missing {
      guard options.kind != nil else {
        throw OperationError(
          .usage, "there is no store at \(options.storePath) yet, and no entity is named to create one with",
          recovery: .nameEntity(file: options.file))
      }
      return nil
    }
  }

  /// - Parameter fields: Set to how the fields of the file become attributes.
  func plan(_ file: RecordFile, _ store: PersistentStore?, _ fields: inout FieldMapping) throws -> ImportPlan {
    guard let store, let entity = try knownEntity(of: store) else {
      let survey = try survey(file, &fields)
      try refuseUnknownTypes(survey, nil)
      let kind = options.kind ?? ""
      return try ImportPlan(making: kind, in: store?.model, from: survey, options)
    }
    fields = FieldMapping(known: Set(entity.entity.attributes.map(\.name) + entity.entity.relationships.map(\.name)))
    // An invalid key is refused before anything is changed.
    _ = try key(of: entity)
    let survey = try survey(file, &fields, of: entity)
    try refuseUnknownTypes(survey, entity)
    var plan = try ImportPlan(extending: entity, in: store.model, from: survey, options)
    // If no record can be imported, the model is not changed either.
    let isComplete = entity.entity.attributes.allSatisfy {
      $0.isOptional || $0.defaultValue != nil || survey[$0.name] != nil || options.key != nil || file.isTable
    }
    if survey.records == 0 || !isComplete { plan.keepModel() }
    (plan.records, plan.badLines) = (survey.records, survey.badLines)
    return plan
  }

  private func refuseUnknownTypes(_ survey: Survey, _ entity: EntityLayout?) throws {
    let known = survey.columns.map(\.name) + (entity?.entity.attributes.map(\.name) ?? [])
    for name in options.types.keys.sorted() where survey.records > 0 && !known.contains(name) {
      throw OperationError(
        .usage, "no record has the field '\(name)', for which a type is given",
        recovery: .nearestNames(NearestNames.of(name, among: known)))
    }
  }

  /// Surveys the whole file before anything is written.
  ///
  /// - Throws: `BadLine` for the first line that cannot be imported, unless bad lines are skipped.
  private func survey(_ file: RecordFile, _ fields: inout FieldMapping, of entity: EntityLayout? = nil) throws -> Survey
  {
    var types = options.types
    for attribute in entity?.entity.attributes ?? [] where types[attribute.name] == nil {
      // Integers may become floating-point numbers.
      types[attribute.name] = attribute.type.isInteger ? .double : attribute.type
    }
    fields.formats = try formats(file, fields, types)
    var survey = Survey(namedTypes: types, isTable: file.isTable, shapes)
    var badLines: [BadLine] = []
    var firstWithoutKey: BadLine?
    let reader = try file.reader(from: options.firstLine)
    while true {
      try checkStopped()
      do {
        guard let record = try reader.next() else { break }
        let renamed = fields.map(record)
        if let entity { try check(renamed, entity, types) }
        if let key = options.key, Self.isEmpty(renamed.value(key)) {
          let bad = BadLine.withoutKey(key, line: record.line)
          if entity != nil { throw bad }
          firstWithoutKey = firstWithoutKey ?? bad
        }
        try survey.add(renamed)
      } catch let bad as BadLine {
        guard options.skipsBad else { throw bad }
        survey.badLines += 1
        badLines.append(bad)
      }
    }
    // If no record of a new entity has the key, its name is wrong.
    if let bad = firstWithoutKey, let key = options.key, survey[key] != nil, !options.skipsBad { throw bad }
    // Bad lines are reported during the import. Here they are reported only if no import follows.
    if survey.records == 0 && entity == nil {
      for bad in badLines { tell(.line(bad)) }
    }
    return survey
  }

  private static func isEmpty(_ value: FieldValue?) -> Bool {
    switch value {
    case nil, .null, .cell(""): true
    default: false
    }
  }

  /// Refuses a record that cannot be imported, as far as this can be checked without writing it.
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

  /// Creates or migrates the store according to the plan; a copy of it in a dry run.
  func prepared(_ plan: ImportPlan, _ store: PersistentStore?, _ trial: TrialCopy?) throws -> PersistentStore {
    guard let model = plan.model else { return try store ?? openStore(trial) }
    guard let store else { return try PersistentStore.create(trial?.path ?? options.storePath, model: model) }
    _ = try store.migrate(to: model)
    return try openStore(trial)
  }

  func openStore(_ trial: TrialCopy?) throws -> PersistentStore {
    try StoreFile.open(trial?.path ?? options.storePath, access: .readWrite)
  }

  // MARK: Entities

  /// The named entity, or the only one of the store; nil if the named entity does not exist.
  private func knownEntity(of store: PersistentStore) throws -> EntityLayout? {
    if let kind = options.kind { return store.layout.entity(matching: kind) }
    let names = store.layout.entities.map(\.entity.name)
    guard names.count == 1, let only = store.layout.entities.first else {
      throw OperationError(
        .usage, "no entity is named: the store has \(names.joined(separator: ", "))", recovery: .chooseEntity)
    }
    return only
  }

  func entity(of store: PersistentStore, named name: String) throws -> EntityLayout {
    guard let entity = store.layout.entity(named: name) else {
      throw OperationError(.usage, "the store has no entity \(name)")
    }
    return entity
  }
}
