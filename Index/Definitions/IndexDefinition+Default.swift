// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// The rules of the default definition, from `default.json`.
struct DefaultRules: Decodable {
  let language: String
  let titles: TitleRules
  let titleWeight: Int
  /// The weight of a title that is an identifier, such as a package's name. Its words are less significant.
  let identifierTitleWeight: Int
  let textWeight: Int
  /// The weight of the titles of what a record belongs to.
  let contextWeight: Int

  static let embedded: DefaultRules = {
    // The file is part of the program, and a test checks it.
    guard let rules = try? JSONDecoder().decode(DefaultRules.self, from: Data(PackageResources.default_json)) else {
      preconditionFailure("default.json of IndexDefinitions is malformed")
    }
    return rules
  }()

  static var stopWords: [String] {
    PackageResources.stopwords_en_txt.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension IndexDefinition {
  /// The default definition of a model. Searchable words come from the attributes marked `.spotlight`, or from all
  /// texts, arrays of strings and JSON values if an entity has none. Numbers and dates become ranges, and truth values
  /// become flags. The foreign keys of an ordinary database add the titles of what a record belongs to
  /// (`context`).
  ///
  /// - Parameter values: The kinds and the languages of the texts, if known. Otherwise texts are prose in English, and
  ///   lists are facets too.
  package static func standard(for model: ModelShape, values: ModelValues = [:]) -> IndexDefinition {
    let rules = DefaultRules.embedded
    return IndexDefinition(
      language: rules.language, stopWords: DefaultRules.stopWords,
      entities: model.filter { !$0.value.isJoin }.reduce(into: [:]) { entities, entry in
        entities[entry.key] = entity(entry.key, in: model, values, rules: rules)
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

  /// The text attributes that name a record, in their order; empty if there are none.
  static func titles(
    of name: String, in model: ModelShape, _ values: ModelValues, rules: DefaultRules
  ) -> [AttributeShape] {
    guard let shape = model[name] else { return [] }
    let candidates = words(of: shape.attributes).filter { !shape.referenceAttributes.contains($0.name) }
    return rules.titles.titles(of: name, candidates) { values[name]?[$0.name]?.title }
  }

  /// The fields that name a record without a title: the titles of the records that it refers to, and its first date.
  private static func titledBy(_ fields: [FieldDefinition], of shape: EntityShape?) -> [String] {
    let dates = shape?.attributes.filter { $0.kind == .date }.map(\.name) ?? []
    let date = dates.lazy.compactMap { date in fields.first { $0.path == date } }.first
    let owners = fields.filter { field in
      field.holds == .context
        && (shape?.references ?? []).contains { reference in
          field.path.hasPrefix(reference.name + ".") && !field.path.dropFirst(reference.name.count + 1).contains(".")
        }
    }
    return owners.isEmpty ? [] : (owners + [date].compactMap(\.self)).map(\.name)
  }

  /// The languages of a field with these values; empty for the language of the definition.
  static func languages(of values: AttributeValues?, rules: DefaultRules) -> [String] {
    let found = values?.languages ?? []
    return found == [rules.language] ? [] : found
  }

  private static func entity(
    _ name: String, in model: ModelShape, _ known: ModelValues, rules: DefaultRules
  ) -> EntityDefinition {
    let values = known[name] ?? [:]
    let attributes = model[name]?.attributes ?? []
    let words = words(of: attributes)
    let titles = titles(of: name, in: model, known, rules: rules)
    let sorted = attributes.sorted { $0.name < $1.name }
    let fields = sorted.compactMap { attribute -> FieldDefinition? in
      let name = attribute.name
      switch attribute.kind {
      case .text, .strings, .json:
        guard words.contains(attribute) else { return nil }
        if titles.contains(attribute) {
          let weight = values[name]?.kind == .identifiers ? rules.identifierTitleWeight : rules.titleWeight
          return FieldDefinition(
            name: name, roles: [.text], weight: weight, languages: languages(of: values[name], rules: rules),
            holds: .title)
        }
        return field(of: attribute, holding: values[name], rules: rules)
      case .number:
        // Without values, the name decides.
        let holds = values[name]?.kind ?? (YearName.isYear(name) ? .years : .numbers)
        return FieldDefinition(name: name, roles: [.number], holds: holds)
      case .date: return FieldDefinition(name: name, roles: [.date], holds: .dates)
      case .boolean: return FieldDefinition(name: name, roles: [.flag], holds: .flags)
      case .other: return nil
      }
    }
    let named = withUniqueNames(fields + context(of: name, in: model, known, rules: rules))
    let title = titles.compactMap { title in named.first { $0.path == title.name }?.name }
    let titledBy = title.isEmpty ? titledBy(named, of: model[name]) : []
    return EntityDefinition(title: title, titledBy: titledBy, fields: named)
  }

  private static func field(
    of attribute: AttributeShape, holding values: AttributeValues?, rules: DefaultRules
  ) -> FieldDefinition {
    let (name, weight) = (attribute.name, rules.textWeight)
    let languages = languages(of: values, rules: rules)
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

  /// Whether the definition was inferred from a model like this one. It then has the fields of the default definition,
  /// and each has a role that its type allows.
  package func isInferred(from model: ModelShape) -> Bool {
    let standard = Self.standard(for: model)
    func fields(_ fields: [FieldDefinition], of entity: String) -> [FieldDefinition] {
      fields.filter { (try? $0.target(from: entity, in: model))?.hops.isEmpty ?? true }
    }
    guard Set(standard.entities.keys) == Set(entities.keys) else { return false }
    return entities.allSatisfy { name, entity in
      // Titles, and with them the fields of related records, also depend on the values.
      let own = fields(entity.fields, of: name)
      let wanted = fields(standard.entities[name]?.fields ?? [], of: name)
      guard own.count == wanted.count else { return false }
      return zip(own, wanted).allSatisfy { field, wanted in
        let isText = !field.roles.isDisjoint(with: [.text, .facet])
        return (field.name, field.path) == (wanted.name, wanted.path)
          && (isText ? wanted.roles.contains(.text) : field.roles == wanted.roles)
      }
    }
  }

  /// Extends the default definition of an earlier model by the new entities and attributes of `model`. New attributes
  /// get unused names, and existing fields stay unchanged.
  package func grown(to model: ModelShape) -> IndexDefinition {
    var grown = self
    for (name, entity) in Self.standard(for: model).entities {
      guard var known = entities[name] else {
        grown.entities[name] = entity
        continue
      }
      let paths = Set(known.fields.map(\.path))
      let added = entity.fields.filter { !paths.contains($0.path) }
      known.fields += Self.withUniqueNames(added, besides: known.fields.map(\.name))
      if known.title.isEmpty {
        let paths = entity.title.compactMap { title in entity.fields.first { $0.name == title }?.path }
        known.title = paths.compactMap { path in known.fields.first { $0.path == path }?.name }
      }
      grown.entities[name] = known
    }
    return grown
  }

  /// Query names are case-insensitive. If attributes differ in case only, the first one keeps its name, and the others
  /// get a number appended. So do attributes named like a word of the query language.
  private static func withUniqueNames(_ fields: [FieldDefinition], besides names: [String] = []) -> [FieldDefinition] {
    var taken = reservedNames.union(names.map { $0.lowercased() })
    return fields.map { field in
      var field = field
      field.name = searchable(field.name)
      let plain = field.name
      var number = 1
      while !taken.insert(field.name.lowercased()).inserted {
        number += 1
        field.name = "\(plain)_\(number)"
      }
      // A dot in an attribute's own name could be mistaken for a path, but attributes are looked up first.
      return field
    }
  }

  /// The name with `_` for every character that the query language does not accept in a name.
  private static func searchable(_ name: String) -> String {
    let made = String(name.map { $0.isLetter || $0.isNumber || "_.-@".contains($0) ? $0 : "_" })
    return made.first.map { $0.isLetter || $0 == "_" || $0 == "@" } == true ? made : "_" + made
  }
}
