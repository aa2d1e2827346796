// SPDX-License-Identifier: MIT

/// Makes the parts of the default definition of a model: the fields of the entities here, those of what these are related to in
/// extensions.
struct StandardDefinition {
  let rules = DefaultRules.embedded
  let model: ModelShape
  let values: ModelValues
  /// The text attributes that name the records of each entity, in their order.
  let titles: [String: [AttributeShape]]

  init(model: ModelShape, values: ModelValues) {
    (self.model, self.values) = (model, values)
    let rules = rules.titles
    titles = Dictionary(
      uniqueKeysWithValues: model.map { name, shape in
        let candidates = shape.words.filter { !shape.referenceAttributes.contains($0.name) }
        let titles = rules.titles(of: name, candidates, mayBeNone: shape.joinsOthers) { values[name]?[$0.name]?.title }
        // Another record names what describes it.
        let isNamed = titles.count > 1 || titles.contains { rules.isNamed($0.name, in: name) }
        return (name, shape.describesOther && !isNamed ? [] : titles)
      })
  }

  func entity(_ name: String, _ shape: EntityShape) -> EntityDefinition {
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
    let parts = parts(of: name, shape)
    let related = descriptions(of: name, shape) + parts + context(of: name, shape)
    let named = IndexDefinition.withUniqueNames(
      fields + (shape.isMarked ? related.filter { isMarked($0, from: name) } : related))
    let title = titles.compactMap { title in named.first { $0.path == title.name }?.name }
    let titledBy = title.isEmpty ? titledBy(named, parts: parts, of: shape) : []
    if isCopy(name, shape) {
      return EntityDefinition(title: [], titledBy: title + titledBy, fields: named.map(asCopy))
    }
    return EntityDefinition(title: title, titledBy: titledBy, fields: named)
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
