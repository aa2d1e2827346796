// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// The rules of the default definition, from `default.json`.
struct DefaultRules: Decodable {
  let language: String
  let titleNames: [String]
  let titleWeight: Int
  /// The weight of a title that is an identifier, such as a package's name. Its words are less significant.
  let identifierTitleWeight: Int
  let textWeight: Int

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
  /// become flags. A foreign key of an ordinary database adds the title of the related row, as a field such as
  /// `author.name`.
  ///
  /// - Parameter values: The kinds and the languages of the texts, if known. Otherwise texts are prose in English, and
  ///   lists are facets too.
  package static func standard(for model: ModelShape, values: ModelValues = [:]) -> IndexDefinition {
    let rules = DefaultRules.embedded
    return IndexDefinition(
      language: rules.language, stopWords: DefaultRules.stopWords,
      entities: model.reduce(into: [:]) { entities, entry in
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

  /// The text attribute that names a record: `name`, or `recipe_name` and `recipeName` for a Recipe.
  private static func title(of name: String, _ attributes: [AttributeShape], rules: DefaultRules) -> AttributeShape? {
    let words = words(of: attributes)
    return (rules.titleNames + rules.titleNames.map { name + $0 }).lazy.compactMap { name in
      words.first { $0.kind == .text && normalized($0.name) == normalized(name) }
    }.first
  }

  /// Fields for the titles of the rows that foreign keys refer to.
  private static func related(
    _ relationships: [RelationshipShape], in model: ModelShape, _ values: ModelValues, rules: DefaultRules
  ) -> [FieldDefinition] {
    relationships.filter(\.isForeignKey).compactMap { relationship in
      let target = relationship.destination
      return title(of: target, model[target]?.attributes ?? [], rules: rules).map {
        // With weight 0, the row itself ranks above those that refer to it.
        FieldDefinition(
          name: relationship.name + "." + $0.name, roles: [.text, .facet], weight: 0,
          languages: languages(of: values[target]?[$0.name], rules: rules), holds: .categories)
      }
    }
  }

  /// The languages of a field with these values; empty for the language of the definition.
  private static func languages(of values: AttributeValues?, rules: DefaultRules) -> [String] {
    let found = values?.languages ?? []
    return found == [rules.language] ? [] : found
  }

  private static func entity(
    _ name: String, in model: ModelShape, _ known: ModelValues, rules: DefaultRules
  ) -> EntityDefinition {
    let values = known[name] ?? [:]
    let attributes = model[name]?.attributes ?? []
    let words = words(of: attributes)
    let title = title(of: name, attributes, rules: rules)
    let sorted = attributes.sorted { $0.name < $1.name }
    let fields = sorted.compactMap { attribute -> FieldDefinition? in
      let name = attribute.name
      switch attribute.kind {
      case .text, .strings, .json:
        guard words.contains(attribute) else { return nil }
        if name == title?.name {
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
    let named = withUniqueNames(fields + related(model[name]?.relationships ?? [], in: model, known, rules: rules))
    return EntityDefinition(title: named.first { $0.path == title?.name }?.name, fields: named)
  }

  private static func normalized(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

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
    guard Set(standard.entities.keys) == Set(entities.keys) else { return false }
    return entities.allSatisfy { name, entity in
      let wanted = standard.entities[name]?.fields ?? []
      guard entity.fields.count == wanted.count, entity.title == standard.entities[name]?.title else { return false }
      return zip(entity.fields, wanted).allSatisfy { field, wanted in
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
      let title = entity.fields.first { $0.name == entity.title }?.path
      known.title = known.title ?? known.fields.first { $0.path == title }?.name
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
      field.name = searchable(field.path)
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
