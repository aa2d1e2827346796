internal import FoundationEssentials

/// The rules behind the default definition, from `default.json`.
struct DefaultRules: Decodable {
  let language: String
  let titleNames: [String]
  let titleWeight: Int
  /// Of a title that is a code, such as a package's name: its words say less.
  let identifierTitleWeight: Int
  let textWeight: Int

  static let embedded: DefaultRules = {
    // The file is part of the program: a test reads it.
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
  /// The definition of a model for which none is given.
  ///
  /// Words come from the attributes marked `.spotlight`; where an entity has none, from all its texts, arrays of
  /// strings and JSON values. Numbers, dates and truth values become ranges and flags. A foreign key of an ordinary
  /// database brings the title of the row that it refers to, as the field `author.name`.
  ///
  /// - Parameter values: What the texts are, where that is known. Without it, texts are prose, and lists are facets too.
  package static func standard(for model: ModelShape, values: ModelValues = [:]) -> IndexDefinition {
    let rules = DefaultRules.embedded
    return IndexDefinition(
      language: rules.language, stopWords: DefaultRules.stopWords,
      entities: model.reduce(into: [:]) { entities, entry in
        entities[entry.key] = entity(entry.key, in: model, values[entry.key] ?? [:], rules: rules)
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

  /// The text that names a record: `name`, or `recipe_name` and `recipeName` of a Recipe.
  private static func title(of name: String, _ attributes: [AttributeShape], rules: DefaultRules) -> AttributeShape? {
    let words = words(of: attributes)
    return (rules.titleNames + rules.titleNames.map { name + $0 }).lazy.compactMap { name in
      words.first { $0.kind == .text && letters(of: $0.name) == letters(of: name) }
    }.first
  }

  /// The titles of the rows that foreign keys refer to.
  private static func related(
    _ relationships: [RelationshipShape], in model: ModelShape, rules: DefaultRules
  ) -> [FieldDefinition] {
    relationships.filter(\.isForeignKey).compactMap { relationship in
      let target = relationship.destination
      return title(of: target, model[target]?.attributes ?? [], rules: rules).map {
        // The row itself comes before those that refer to it.
        FieldDefinition(name: relationship.name + "." + $0.name, roles: [.text, .facet], weight: 0, holds: .categories)
      }
    }
  }

  private static func entity(
    _ name: String, in model: ModelShape, _ values: [String: ValueKind], rules: DefaultRules
  ) -> EntityDefinition {
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
          let weight = values[name] == .identifiers ? rules.identifierTitleWeight : rules.titleWeight
          return FieldDefinition(name: name, roles: [.text], weight: weight, holds: .title)
        }
        return field(of: attribute, holding: values[name], rules: rules)
      case .number: return FieldDefinition(name: name, roles: [.number], holds: .numbers)
      case .date: return FieldDefinition(name: name, roles: [.date], holds: .dates)
      case .boolean: return FieldDefinition(name: name, roles: [.flag], holds: .flags)
      case .other: return nil
      }
    }
    let named = withUniqueNames(fields + related(model[name]?.relationships ?? [], in: model, rules: rules))
    return EntityDefinition(title: named.first { $0.path == title?.name }?.name, fields: named)
  }

  private static func letters(of name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// What becomes of texts.
  private static func field(
    of attribute: AttributeShape, holding values: ValueKind?, rules: DefaultRules
  ) -> FieldDefinition {
    let (name, weight) = (attribute.name, rules.textWeight)
    switch values {
    case .names:
      return FieldDefinition(name: name, roles: [.text, .facet], weight: weight, language: "none", holds: values)
    case .identifiers:
      return FieldDefinition(name: name, roles: [.text, .facet], weight: 0, language: "none", holds: values)
    case .categories: return FieldDefinition(name: name, roles: [.text, .facet], weight: 0, holds: values)
    case .references: return FieldDefinition(name: name, roles: [.facet], holds: values)
    default:
      let isList = attribute.kind == .strings
      return FieldDefinition(
        name: name, roles: isList ? [.text, .facet] : [.text], weight: weight,
        holds: attribute.kind == .json ? .json : .prose)
    }
  }

  /// Whether the definition was inferred from a model like this one: it has the attributes that the default would
  /// have, and each has a role that its type allows.
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

  /// The standard definition of an earlier model, with what a model has gained since: its new entities, and its new
  /// attributes under names that are still free. What is there already stays as it is.
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

  /// Query names do not regard case: of attributes that differ in case only, the first in order keeps its name's
  /// place and the others are reached by a name with a number. So are those named like a word of the query language.
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
      // A dot in an attribute's own name would read as a path; the attribute itself is found first.
      return field
    }
  }

  /// The name with `_` in the place of what the query language would not read as part of a name.
  private static func searchable(_ name: String) -> String {
    let made = String(name.map { $0.isLetter || $0.isNumber || "_.-@".contains($0) ? $0 : "_" })
    return made.first.map { $0.isLetter || $0 == "_" || $0 == "@" } == true ? made : "_" + made
  }
}
