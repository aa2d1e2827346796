// SPDX-License-Identifier: MIT

/// Makes the parts of the default definition of a model.
struct StandardDefinition {
  let rules = DefaultRules.embedded
  private let model: ModelShape
  private let values: ModelValues
  /// The text attributes that name the records of each entity, in their order.
  private let titles: [String: [AttributeShape]]

  init(model: ModelShape, values: ModelValues) {
    (self.model, self.values) = (model, values)
    let rules = rules.titles
    titles = Dictionary(
      uniqueKeysWithValues: model.map { name, shape in
        let candidates = Self.words(of: shape.attributes).filter { !shape.referenceAttributes.contains($0.name) }
        let titles = rules.titles(of: name, candidates, mayBeNone: shape.joinsOthers) { values[name]?[$0.name]?.title }
        // Another record names what describes it.
        let isNamed = titles.count > 1 || titles.contains { rules.isNamed($0.name, in: name) }
        return (name, shape.describesOther && !isNamed ? [] : titles)
      })
  }

  /// The attributes whose words are searched.
  private static func words(of attributes: [AttributeShape]) -> [AttributeShape] {
    let marked = attributes.contains(where: \.isSpotlight)
    return attributes.filter { attribute in
      switch attribute.kind {
      case .text, .strings, .json: !marked || attribute.isSpotlight
      default: false
      }
    }
  }

  func entity(_ name: String, _ shape: EntityShape) -> EntityDefinition {
    let values = values[name] ?? [:]
    let words = Self.words(of: shape.attributes)
    let titles = titles[name] ?? []
    let sorted = shape.attributes.sorted { $0.name < $1.name }
    let fields = sorted.compactMap { attribute -> FieldDefinition? in
      let name = attribute.name
      switch attribute.kind {
      case .text, .strings, .json:
        guard words.contains(attribute) else { return nil }
        if titles.contains(attribute) {
          let isIdentifier = values[name]?.kind == .identifiers
          return FieldDefinition(
            name: name, roles: [.text], weight: isIdentifier ? rules.identifierTitleWeight : rules.titleWeight,
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
    let named = IndexDefinition.withUniqueNames(
      fields + descriptions(of: shape) + parts(of: name, shape) + context(of: shape))
    let title = titles.compactMap { title in named.first { $0.path == title.name }?.name }
    let titledBy = title.isEmpty ? titledBy(named, of: name, shape) : []
    return EntityDefinition(title: title, titledBy: titledBy, fields: named)
  }

  private func field(of attribute: AttributeShape, holding values: AttributeValues?) -> FieldDefinition {
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
  private func languages(of values: AttributeValues?) -> [String] {
    let found = values?.languages ?? []
    return found == [rules.language] ? [] : found
  }

  /// The fields of rows that describe a record and have no title of their own, such as `comments.text`.
  private func descriptions(of shape: EntityShape) -> [FieldDefinition] {
    shape.relationships.filter(\.isToMany).flatMap { back -> [FieldDefinition] in
      guard let child = model[back.destination], child.describesOther, titles[back.destination]?.isEmpty == true else {
        return []
      }
      return Self.words(of: child.attributes).filter { !child.referenceAttributes.contains($0.name) }.map { attribute in
        var field = field(of: attribute, holding: values[back.destination]?[attribute.name])
        field.name = back.name + "." + attribute.name
        field.path = field.name
        return field
      }
    }
  }

  /// Fields with the titles of the rows that refer to a record, if it has no texts of its own, such as `Kanji.text`; and of
  /// the rows that refer to such of these that have no texts either, such as `Sense.Gloss.text`. A record that has nothing
  /// but a key consists of these rows; another one, such as a coupon with its date, is only found by them.
  private func parts(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    guard lacksTexts(name, shape) else { return [] }
    let keys = shape.keyAttributes.union(shape.referenceAttributes)
    let others = shape.attributes.filter { !keys.contains($0.name) }
    let isKey = others.isEmpty || keys.isEmpty && others.count == 1
    let children = children(of: shape)
    let grandchildren = children.flatMap { first -> [(path: String, entity: String)] in
      guard let child = model[first.entity], lacksTexts(first.entity, child) else { return [] }
      return self.children(of: child).filter { $0.entity != name }.map { (first.path + "." + $0.path, $0.entity) }
    }
    let fields = (children + grandchildren).flatMap { path, entity in
      (titles[entity] ?? []).map { title in
        FieldDefinition(
          name: path + "." + title.name, roles: [.text], weight: isKey ? rules.titleWeight : rules.contextWeight,
          languages: languages(of: values[entity]?[title.name]), holds: isKey ? .parts : .context)
      }
    }
    return Array(fields.prefix(Self.mostContext))
  }

  /// The relationships to the rows that refer to a record, and their entities.
  private func children(of shape: EntityShape) -> [(path: String, entity: String)] {
    shape.relationships.filter { back in
      back.isToMany && model[back.destination]?.references.contains { $0.name == back.inverse } == true
    }.map { ($0.name, $0.destination) }
  }

  /// Whether the records of an entity have no texts but keys, so that the rows that refer to them say what they are.
  private func lacksTexts(_ name: String, _ shape: EntityShape) -> Bool {
    let keys = shape.keyAttributes.union(shape.referenceAttributes)
    return titles[name]?.isEmpty == true && !shape.joinsOthers && !shape.describesOther
      && Self.words(of: shape.attributes).allSatisfy { keys.contains($0.name) }
  }

  // MARK: Context

  /// Maximum number of the fields of an entity with titles of other records, the nearest first.
  private static let mostContext = 32

  /// Fields with the titles of the records that a foreign key refers to, such as `album.Title`; of those that these refer
  /// to, such as `album.artist.Name`; and of the other ends of the rows that join two records, such as `tag.name`.
  private func context(of shape: EntityShape) -> [FieldDefinition] {
    var steps: [(name: String, path: String, destination: String)] = []
    for reference in shape.references { steps.append((reference.name, reference.name, reference.destination)) }
    for back in shape.relationships where back.isToMany && back.inverse != nil {
      guard let link = model[back.destination], link.joinsOthers, titles[back.destination]?.isEmpty == true else {
        continue
      }
      for reference in link.references where reference.name != back.inverse {
        steps.append((reference.name, back.name + "." + reference.name, reference.destination))
      }
    }
    for first in shape.references {
      for second in model[first.destination]?.references ?? [] {
        let path = first.name + "." + second.name
        steps.append((path, path, second.destination))
      }
    }
    let fields = steps.flatMap { step -> [FieldDefinition] in
      let roles: Set<FieldDefinition.Role> = step.path.contains(".") ? [.text] : [.text, .facet]
      return (titles[step.destination] ?? []).map { title in
        FieldDefinition(
          name: step.name + "." + title.name, path: step.path + "." + title.name, roles: roles,
          weight: rules.contextWeight, languages: languages(of: values[step.destination]?[title.name]), holds: .context)
      }
    }
    return Array(fields.prefix(Self.mostContext))
  }

  /// The fields that name a record without a title: the titles of the records that it refers to, and its first date; or,
  /// if it refers to none, those of the rows that it consists of.
  private func titledBy(_ fields: [FieldDefinition], of name: String, _ shape: EntityShape) -> [String] {
    let dates = shape.attributes.filter { $0.kind == .date }.map(\.name)
    let date = dates.lazy.compactMap { date in fields.first { $0.path == date } }.first
    let owners = fields.filter { field in
      field.holds == .context
        && shape.references.contains { reference in
          field.path.hasPrefix(reference.name + ".") && !field.path.dropFirst(reference.name.count + 1).contains(".")
        }
    }
    guard !owners.isEmpty else {
      let parts = parts(of: name, shape)
      // The names of a person are two fields of one row.
      let named = parts.filter { $0.holds == .parts || $0.row == parts[0].row }
      return fields.filter { field in named.contains { $0.path == field.path } }.map(\.name)
    }
    return (owners + [date].compactMap(\.self)).map(\.name)
  }
}

extension FieldDefinition {
  /// The path without the attribute.
  fileprivate var row: Substring { path.lastIndex(of: ".").map { path[..<$0] } ?? "" }
}
