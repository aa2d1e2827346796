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
    let named = IndexDefinition.withUniqueNames(
      fields + (shape.isMarked ? related.filter { isMarked($0, from: name) } : related))
    let title = titles.compactMap { title in named.first { $0.path == title.name }?.name }
    let titledBy = title.isEmpty ? titledBy(named, of: name, shape) : []
    return EntityDefinition(title: title, titledBy: titledBy, fields: named)
  }

  /// Whether the attribute at the end of a path is marked. A model that marks attributes chooses what is searched.
  private func isMarked(_ field: FieldDefinition, from entity: String) -> Bool {
    (try? field.target(from: entity, in: model))?.attribute.isSpotlight == true
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
  private func descriptions(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    let rows = shape.relationships.filter(\.isToMany).flatMap { back -> [FieldDefinition] in
      guard let child = model[back.destination], child.describesOther, titles[back.destination]?.isEmpty == true else {
        return []
      }
      return texts(of: back.destination, along: back.name)
    }
    return rows + details(of: name, shape)
  }

  /// The fields of the objects of a model that describe a record, such as `additionalAttributes.title` of a photo; of those
  /// that describe these; and the titles of what these belong to with many others, such as `additionalAttributes.keywords.title`.
  private func details(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    let first = describing(name, shape)
    let second = first.flatMap { path, entity in
      model[entity].map { describing(entity, $0).map { (path + "." + $0.path, $0.entity) } } ?? []
    }
    let own = (first + second).flatMap { path, entity in
      let titles = Set((titles[entity] ?? []).map { path + "." + $0.name })
      let texts = texts(of: entity, along: path).filter { $0.weight > 0 }
      return texts.filter { titles.contains($0.path) } + texts.filter { !titles.contains($0.path) }
    }
    let ends = first.flatMap { path, entity in
      titleFields(
        model[entity].map(manyToMany)?.map { (path + "." + $0.name, path + "." + $0.name, $0.destination) } ?? [])
    }
    return Array((ends + own).prefix(Self.mostContext))
  }

  /// The relationships to the objects that describe a record, and their entities.
  private func describing(_ name: String, _ shape: EntityShape) -> [(path: String, entity: String)] {
    shape.references.filter { reference in
      !reference.isForeignKey && model.described(by: reference.destination)?.destination == name
        && model.described(by: reference.destination)?.inverse == reference.name
    }.map { ($0.name, $0.destination) }
  }

  /// The texts of an entity as fields of the records from which a path leads to it.
  private func texts(of entity: String, along path: String) -> [FieldDefinition] {
    guard let shape = model[entity] else { return [] }
    return Self.words(of: shape.attributes).filter { !shape.referenceAttributes.contains($0.name) }.map { attribute in
      var field = field(of: attribute, holding: values[entity]?[attribute.name])
      field.name = path + "." + attribute.name
      field.path = field.name
      return field
    }
  }

  /// The relationships of a model that are to many on both sides.
  private func manyToMany(_ shape: EntityShape) -> [RelationshipShape] {
    shape.relationships.filter { end in
      end.isToMany && model[end.destination]?.relationships.contains { $0.name == end.inverse && $0.isToMany } == true
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

  /// Fields with the titles of the records that a record refers to, such as `album.Title`; of those that these refer to,
  /// such as `album.artist.Name`; and of the other ends of many-to-many relationships, such as `tag.name`.
  private func context(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    // The record that an object describes has the titles of what both belong to.
    guard model.described(by: name)?.isForeignKey != false else { return [] }
    let details = Set(describing(name, shape).map(\.path))
    let references = shape.references.filter { !details.contains($0.name) }
    var steps: [Step] = manyToMany(shape).map { ($0.name, $0.name, $0.destination) }
    for reference in references { steps.append((reference.name, reference.name, reference.destination)) }
    for back in shape.relationships where back.isToMany && back.inverse != nil {
      guard let link = model[back.destination], link.joinsOthers, titles[back.destination]?.isEmpty == true else {
        continue
      }
      for reference in link.references where reference.name != back.inverse {
        steps.append((reference.name, back.name + "." + reference.name, reference.destination))
      }
    }
    for first in references {
      for second in model[first.destination]?.references ?? [] {
        let path = first.name + "." + second.name
        steps.append((path, path, second.destination))
      }
    }
    return Array(titleFields(steps).prefix(Self.mostContext))
  }

  /// A relationship, or several, to records whose titles are fields.
  private typealias Step = (name: String, path: String, destination: String)

  private func titleFields(_ steps: [Step]) -> [FieldDefinition] {
    steps.flatMap { step -> [FieldDefinition] in
      let roles: Set<FieldDefinition.Role> = step.path.contains(".") ? [.text] : [.text, .facet]
      return (titles[step.destination] ?? []).map { title in
        FieldDefinition(
          name: step.name + "." + title.name, path: step.path + "." + title.name, roles: roles,
          weight: rules.contextWeight, languages: languages(of: values[step.destination]?[title.name]), holds: .context)
      }
    }
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
