// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// The changes that an import makes to the store's model before it writes records.
struct ImportPlan {
  /// The new model; nil if the store's model stays as it is.
  var model: ModelDescription?
  /// Whether the import creates the store.
  var isMaking = false
  /// Whether the import creates the entity.
  var isNew = false
  /// The entity of the records.
  let entityName: String
  /// Number of records that can be imported.
  var records = 0
  /// Number of lines that cannot be imported.
  var badLines = 0
  /// The new and changed attributes. `words` is the type of a new attribute, or the change of an existing one.
  var attributes: [(name: String, words: String)] = []
  /// What people should know about columns, such as why one is text although its values look like another type.
  var sentences: [String] = []

  mutating func keepModel() { (model, attributes, sentences) = (nil, [], []) }
}

extension ImportPlan {
  /// Plans a new entity.
  init(making name: String, in model: ModelDescription?, from survey: Survey, _ options: Importer.Options)
    throws
  {
    guard survey.records > 0, !survey.columns.isEmpty else {
      throw OperationError(.usage, "the file has no record to infer \(name) from", recovery: .addRecord)
    }
    if let key = options.key, survey[key] == nil {
      let nearest = NearestNames.of(key, among: survey.columns.map(\.name))
      throw OperationError(.usage, "no record has the key field '\(key)'", recovery: .nearestNames(nearest))
    }
    try Self.refuseMisfits(survey.columns, options)
    entityName = name
    let entity = EntityDescription(name, attributes: survey.columns.map { Self.attribute($0, survey, options) })
    var made = model ?? ModelDescription(entities: [])
    made.entities.append(entity)
    try made.validate()
    self.model = made
    (isMaking, isNew) = (model == nil, true)
    (records, badLines) = (survey.records, survey.badLines)
    let title = Self.title(of: entity, survey)
    attributes = entity.attributes.map { ($0.name, Self.words($0, title: title)) }
    sentences = Self.reasons(survey.columns)
  }

  /// Plans the changes to an existing entity.
  ///
  /// - Parameter survey: A survey of only the records that `Importer.check` accepts.
  init(
    extending entity: EntityLayout, in model: ModelDescription, from survey: Survey, _ options: Importer.Options
  )
    throws
  {
    entityName = entity.entity.name
    guard let position = model.entities.firstIndex(where: { $0.name == entity.entity.name }) else { return }
    let known = Set(entity.entity.attributes.map(\.name) + entity.entity.relationships.map(\.name))
    let new = survey.columns.filter { !known.contains($0.name) }
    try Self.refuseMisfits(new, options)
    var changed = model
    for column in new {
      var attribute = Self.attribute(column, survey, options)
      // Existing rows have no value for it.
      attribute.isOptional = true
      changed.entities[position].attributes.append(attribute)
      attributes.append((attribute.name, Self.words(attribute, title: [])))
    }
    sentences = Self.reasons(new)
    for index in changed.entities[position].attributes.indices {
      let before = changed.entities[position].attributes[index]
      guard known.contains(before.name) else { continue }
      let after = Self.widened(before, survey, options)
      guard after != before else { continue }
      changed.entities[position].attributes[index] = after
      let remarks = [
        after.type == before.type ? nil : "\(before.type.rawValue) becomes \(after.type.rawValue)",
        after.isOptional == before.isOptional ? nil : "may be empty from now on",
        after.isUnique == before.isUnique ? nil : "is the key from now on",
      ]
      attributes.append((after.name, remarks.compactMap(\.self).joined(separator: ", ")))
    }
    self.model = changed == model ? nil : changed
    let missing = entity.entity.attributes.filter { $0.defaultValue == nil && survey[$0.name] == nil }
    if survey.isTable, !missing.isEmpty {
      sentences.append(
        "no column of the file is named \(missing.map(\.name).joined(separator: ", ")): empty in new records")
    }
  }

  // MARK: Attributes

  private static func attribute(_ column: Column, _ survey: Survey, _ options: Importer.Options) -> AttributeDescription
  {
    let isLeftEmpty = options.isLenient && column.misfits.count > 0
    return AttributeDescription(
      column.name, column.type, isOptional: survey.hasGaps(column) || isLeftEmpty,
      options: column.name == options.key ? [.unique, .preserveValueOnDeletion] : [])
  }

  /// The attribute, widened to hold the values of the file. The type and the key of the options are applied.
  private static func widened(
    _ attribute: AttributeDescription, _ survey: Survey, _ options: Importer.Options
  ) -> AttributeDescription {
    var widened = attribute
    if let type = options.types[attribute.name] { widened.type = type }
    if attribute.name == options.key, !attribute.isUnique {
      widened.options += [.unique] + (attribute.isPreservedOnDeletion ? [] : [.preserveValueOnDeletion])
    }
    guard let column = survey[attribute.name] else {
      if survey.isTable, attribute.defaultValue == nil { widened.isOptional = true }
      return widened
    }
    if options.types[attribute.name] == nil, let range = attribute.type.integerRange {
      if column.hasReals { widened.type = .double } else if !column.integersFit(range) { widened.type = .integer64 }
    }
    // With a key, an existing record keeps its value if the file's record lacks the field.
    let hasGaps = options.key == nil ? survey.hasGaps(column) : column.empty > 0
    let isLeftEmpty = options.isLenient && column.misfits.count > 0
    if (hasGaps && attribute.defaultValue == nil) || column.empty > 0 || isLeftEmpty { widened.isOptional = true }
    return widened
  }

  /// Refuses values that do not fit their column's type, unless an option skips their records or leaves them empty.
  private static func refuseMisfits(_ columns: [Column], _ options: Importer.Options) throws {
    guard !options.isLenient, !options.skipsBad else { return }
    let faults = columns.filter { $0.misfits.count > 0 }
    guard let first = faults.first else { return }
    throw OperationError(
      .usage, faults.map(Self.fault).joined(separator: "; "),
      recovery: .relaxTypes(column: first.name))
  }

  private static func fault(_ column: Column) -> String {
    let (count, samples) = column.misfits
    let shown = samples.map(\.shown).joined(separator: ", ") + (count > samples.count ? " and others" : "")
    return "\(column.name): \(count) of its \(column.filled) values \(count == 1 ? "is" : "are") not "
      + "\(ValueShapes.word(column.type)): \(shown)"
  }

  // MARK: Words

  private static func reasons(_ columns: [Column]) -> [String] {
    columns.compactMap { column in column.reasonForText.map { "\(column.name) becomes text, because \($0)" } }
  }

  private static func words(_ attribute: AttributeDescription, title: [String]) -> String {
    let remarks = [
      attribute.type.rawValue, attribute.isOptional ? "optional" : nil, attribute.isUnique ? "the key" : nil,
      title == [attribute.name] ? "the title" : title.contains(attribute.name) ? "part of the title" : nil,
    ]
    return remarks.compactMap(\.self).joined(separator: ", ")
  }

  /// The attribute that an index would use as the title.
  private static func title(of entity: EntityDescription, _ survey: Survey) -> [String] {
    let layout = StoreLayout(model: ModelDescription(entities: [entity]))
    var values = ModelValues()
    values[entity.name] = survey.values
    return IndexDefinition.standard(for: layout.shape, values: values).entities[entity.name]?.title ?? []
  }
}
