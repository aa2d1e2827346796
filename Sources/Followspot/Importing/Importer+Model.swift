internal import PersistentStore

/// Making and extending the model for the records of a file.
extension Importer {
  /// Opens the store, or makes one whose only entity is learnt from the whole file. A store that is there is given
  /// the entity and the attributes that the file has and it has not.
  func openOrCreate(_ file: InputFile, _ format: InputFormat) throws -> (PersistentStore, isNew: Bool) {
    let store: PersistentStore
    do {
      store = try PersistentStore.open(options.storePath, access: .readWrite)
    } catch let error as StoreError where error.code == .missing {
      guard let kind = options.kind else {
        throw FollowspotError(
          .usage, "there is no store at \(options.storePath) yet, and no --kind to make one with",
          hint: "followspot import \(options.file.quotedForShell) --kind Movie")
      }
      let model = ModelDescription(entities: [try infer(file, format).entity(named: kind, key: options.key)])
      return (try PersistentStore.create(options.storePath, model: model), true)
    }
    guard let model = try extended(store, file, format) else { return (store, false) }
    _ = try store.migrate(to: model)
    return (try PersistentStore.open(options.storePath, access: .readWrite), false)
  }

  /// Every record of the file that passes `check`. Bad lines are reported when the records are imported, but for a file
  /// of nothing else, from which nothing is made.
  private func infer(
    _ file: InputFile, _ format: InputFormat, isMaking: Bool = true, check: (Record) throws -> Void = { _ in }
  ) throws -> Inference {
    var inference = try Inference()
    var left: [BadLine] = []
    let reader = try format.reader(of: file)
    while true {
      do {
        guard let record = try reader.next() else { break }
        try check(record)
        try inference.add(record)
      } catch let bad as BadLine where options.skipsBad {
        left.append(bad)
      }
    }
    if inference.isEmpty, isMaking { left.forEach(report) }
    return inference
  }

  /// The store's model with what the file brings; nil where it brings nothing new.
  private func extended(
    _ store: PersistentStore, _ file: InputFile, _ format: InputFormat
  ) throws -> ModelDescription? {
    var model = store.model
    if let kind = options.kind, store.layout.entity(matching: kind) == nil {
      model.entities.append(try infer(file, format).entity(named: kind, key: options.key))
      return model
    }
    let entity = try entity(of: store)
    // A key that cannot be is refused before anything has changed.
    _ = try key(of: entity)
    return try extend(&model, entity, file, format) ? model : nil
  }

  private func extend(
    _ model: inout ModelDescription, _ entity: EntityLayout, _ file: InputFile, _ format: InputFormat
  ) throws -> Bool {
    let known = Set(entity.entity.attributes.map(\.name) + entity.entity.relationships.map(\.name))
    // Most files bring nothing new, and reading names is quick.
    guard try hasOtherFields(than: known, file, format),
      let place = model.entities.firstIndex(where: { $0.name == entity.entity.name })
    else { return false }
    // A file whose records do not go in does not change the model either.
    let inference = try infer(file, format, isMaking: false) { try check($0, entity) }
    guard !inference.isEmpty else { return false }
    let learnt = try inference.entity(named: entity.entity.name, key: nil)
    let new = learnt.attributes.filter { !known.contains($0.name) }
    for var attribute in new {
      // The rows that are there already have no value.
      attribute.isOptional = true
      model.entities[place].attributes.append(attribute)
    }
    return !new.isEmpty
  }

  private func hasOtherFields(than known: Set<String>, _ file: InputFile, _ format: InputFormat) throws -> Bool {
    let reader = try format.reader(of: file)
    while true {
      do {
        guard let record = try reader.next() else { return false }
        if record.fields.contains(where: { !known.contains($0.name) }) { return true }
      } catch is BadLine {
        // Without --skip-bad the import ends here, and so does what it brings.
        if !options.skipsBad { return false }
      }
    }
  }

  func entity(of store: PersistentStore) throws -> EntityLayout {
    if let entity = options.kind.flatMap({ store.layout.entity(matching: $0) }) { return entity }
    let names = store.layout.entities.map(\.entity.name)
    guard names.count == 1, let only = store.layout.entities.first else {
      throw FollowspotError(.usage, "--kind is needed: the store has \(names.joined(separator: ", "))")
    }
    return only
  }
}
