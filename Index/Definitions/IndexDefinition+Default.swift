// SPDX-License-Identifier: MIT

internal import Base
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
      preconditionFailure("default.json is malformed")
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
  /// become flags. Relationships add the titles of what a record belongs to.
  ///
  /// - Parameters:
  ///   - values: The kinds and the languages of the texts, if known. Otherwise texts are prose in English, and lists are
  ///     facets too.
  ///   - copies: The entities whose rows only repeat texts of others.
  package static func standard(
    for model: ModelShape, values: ModelValues = [:], copies: Set<String> = []
  ) -> IndexDefinition {
    let standard = StandardDefinition(model: model, values: values, copies: copies)
    return IndexDefinition(
      language: standard.rules.language, stopWords: DefaultRules.stopWords,
      entities: model.filter { !$0.value.isJoin }.reduce(into: [:]) { entities, entry in
        entities[entry.key] = standard.entity(entry.key, entry.value)
      })
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
          && (isText ? wanted.roles.contains(.text) : field.roles.union([.stored]) == wanted.roles.union([.stored]))
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
      // Documents that exist have no titles of related records along a new relationship.
      let added = entity.fields.filter { field in
        !paths.contains(field.path) && (try? field.target(from: name, in: model))?.hops.isEmpty == true
      }
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
  /// get a number appended. So do attributes named like a word of the query language. Names that a query can contain as
  /// they are take precedence over those that have to be changed.
  static func withUniqueNames(_ fields: [FieldDefinition], besides names: [String] = []) -> [FieldDefinition] {
    var taken = reservedNames.union(names.map { $0.lowercased() })
    var named = fields
    let isBare = fields.map { TypedName.isBare($0.name) }
    for index in fields.indices.filter({ isBare[$0] }) + fields.indices.filter({ !isBare[$0] }) {
      let searchable = searchable(fields[index].name)
      named[index].name = searchable
      var number = 1
      while !taken.insert(named[index].name.lowercased()).inserted {
        number += 1
        named[index].name = "\(searchable)_\(number)"
      }
      // A dot in an attribute's own name could be mistaken for a path, but attributes are looked up first.
    }
    return named
  }

  /// The name with `_` for every character that the query language does not accept in a name.
  private static func searchable(_ name: String) -> String {
    let made = String(name.map { TypedName.mayContain($0) ? $0 : "_" })
    return TypedName.isBare(made) ? made : "_" + made
  }
}
