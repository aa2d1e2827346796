// SPDX-License-Identifier: MIT

/// The titles of what a record belongs to, which people name together with its own.
extension IndexDefinition {
  /// Maximum number of these fields of an entity, the nearest first.
  private static let mostContext = 32

  /// Whether the rows of an entity only join others: they have two or more references, and no title of their own.
  static func isLink(_ name: String, in model: ModelShape, _ values: ModelValues, rules: DefaultRules) -> Bool {
    guard let shape = model[name] else { return false }
    return shape.references.count >= 2 && titles(of: name, in: model, values, rules: rules).isEmpty
  }

  /// Fields with the titles of the records that a foreign key refers to, such as `album.Title`; of those that these refer
  /// to, such as `album.artist.Name`; and of the other ends of the rows that join two records, such as `tag.name`.
  static func context(
    of name: String, in model: ModelShape, _ values: ModelValues, rules: DefaultRules
  ) -> [FieldDefinition] {
    guard let shape = model[name] else { return [] }
    var steps: [(name: String, path: String, destination: String)] = []
    for reference in shape.references { steps.append((reference.name, reference.name, reference.destination)) }
    for back in shape.relationships where back.isToMany && back.inverse != nil {
      guard let link = model[back.destination], isLink(back.destination, in: model, values, rules: rules) else {
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
    let fields = steps.flatMap { step in
      titles(of: step.destination, in: model, values, rules: rules).map { title in
        let known = values[step.destination]?[title.name]
        return FieldDefinition(
          name: step.name + "." + title.name, path: step.path + "." + title.name,
          roles: step.path.contains(".") ? [.text] : [.text, .facet],
          weight: rules.contextWeight, languages: languages(of: known, rules: rules), holds: .context)
      }
    }
    return Array(fields.prefix(mostContext))
  }
}
