// SPDX-License-Identifier: MIT

/// Makes the parts of the default definition of a model: the fields of the entities here, those of what these are related to in
/// extensions.
struct StandardDefinition {
  let rules = DefaultRules.embedded
  let model: ModelShape
  let values: ModelValues
  /// The entities whose rows only repeat texts of others.
  let copies: Set<String>
  /// The text attributes that name the records of each entity, in their order.
  let titles: [String: [AttributeShape]]

  init(model: ModelShape, values: ModelValues, copies: Set<String> = []) {
    (self.model, self.values, self.copies) = (model, values, copies)
    let rules = rules.titles
    let candidates: [String: [AttributeShape]] = model.reduce(into: [:]) { titles, entry in
      let (name, shape) = entry
      let candidates = shape.words.filter { !shape.referenceAttributes.contains($0.name) }
      titles[name] = rules.titles(of: name, candidates, mayBeNone: shape.joinsOthers) {
        values[name]?[$0.name]?.title
      }
    }
    titles = candidates.reduce(into: [:]) { titles, entry in
      let (name, own) = entry
      // Another record names what describes or extends it.
      let isNamed = own.count > 1 || own.contains { rules.isNamed($0.name, in: name) }
      let extended = model.extended(by: name).flatMap { candidates[$0.destination] } ?? []
      let isNamedByOther = model[name]?.describesOther == true || !extended.isEmpty
      titles[name] = isNamedByOther && !isNamed ? [] : own
    }
  }

  func entity(_ name: String, _ shape: EntityShape) -> EntityDefinition {
    let fields = fields(of: name, shape)
    let title = (titles[name] ?? []).compactMap { title in fields.first { $0.path == title.name }?.name }
    let extended = extended(by: name)
    let titledBy =
      title.isEmpty ? titledBy(fields, parts: parts(of: name, shape), of: shape, extending: extended) : []
    if isCopy(name, shape) {
      return EntityDefinition(title: [], titledBy: title + titledBy, fields: fields.map(asCopy))
    }
    return EntityDefinition(title: title, titledBy: titledBy, extends: extended?.name, fields: fields)
  }

  /// The fields of an entity's own attributes, then those with texts of related records.
  func fields(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    let values = values[name] ?? [:]
    let words = shape.words
    let titles = titles[name] ?? []
    let isDetail = model.described(by: name)?.isForeignKey == false
    let sorted = shape.attributes.sorted { $0.name < $1.name }
    let fields = sorted.compactMap { attribute -> FieldDefinition? in
      let name = attribute.name
      switch attribute.kind {
      case .text, .strings, .json:
        guard words.contains(attribute) else { return nil }
        if titles.contains(attribute) {
          let isIdentifier = values[name]?.kind == .identifiers
          return FieldDefinition(
            name: name, roles: [.text],
            weight: isDetail ? rules.textWeight : isIdentifier ? rules.identifierTitleWeight : rules.titleWeight,
            languages: languages(of: values[name]), holds: isIdentifier ? .identifiers : .title)
        }
        return field(of: attribute, holding: values[name])
      case .number:
        // Without values, the name decides.
        let holds = values[name]?.kind ?? (YearName.isYear(name) ? .years : .numbers)
        return FieldDefinition(name: name, roles: [.number], holds: holds)
      case .date: return FieldDefinition(name: name, roles: [.date], holds: .dates)
      case .boolean: return FieldDefinition(name: name, roles: [.flag], holds: .flags)
      case .other: return nil
      }
    }
    let related = descriptions(of: name, shape) + parts(of: name, shape) + context(of: name, shape)
    return IndexDefinition.withUniqueNames(
      fields + (shape.isMarked ? related.filter { isMarked($0, from: name) } : related))
  }

  /// Whether the attribute at the end of a path is marked. A model that marks attributes chooses what is searched.
  private func isMarked(_ field: FieldDefinition, from entity: String) -> Bool {
    (try? field.target(from: entity, in: model))?.attribute.isSpotlight == true
  }

  func field(of attribute: AttributeShape, holding values: AttributeValues?) -> FieldDefinition {
    let (name, weight) = (attribute.name, rules.textWeight)
    let languages = languages(of: values)
    switch values?.kind {
    case .names:
      return FieldDefinition(name: name, roles: [.text, .facet], weight: weight, languages: ["none"], holds: .names)
    case .identifiers:
      return FieldDefinition(name: name, roles: [.text, .facet], weight: 0, languages: ["none"], holds: .identifiers)
    case .categories:
      return FieldDefinition(
        name: name, roles: [.text, .facet], weight: 0, languages: languages, holds: .categories)
    case .references: return FieldDefinition(name: name, roles: [.facet], holds: .references)
    default:
      let isList = attribute.kind == .strings
      return FieldDefinition(
        name: name, roles: isList ? [.text, .facet] : [.text], weight: weight, languages: languages,
        holds: attribute.kind == .json ? .json : .prose)
    }
  }

  /// The languages of a field with these values; empty for the language of the definition.
  func languages(of values: AttributeValues?) -> [String] {
    let found = values?.languages ?? []
    return found == [rules.language] ? [] : found
  }
}
