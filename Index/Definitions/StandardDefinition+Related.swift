// SPDX-License-Identifier: MIT

/// The fields of related records.
extension StandardDefinition {
  /// Maximum number of the fields of an entity with texts of other records, the nearest first.
  static let mostRelated = 32

  /// A relationship, or several, to other records.
  private typealias Step = (name: String, path: String, destination: String)

  /// Fields with the titles at the end of a step.
  private func titleFields(
    _ step: Step, roles: Set<FieldDefinition.Role>, weight: Int, holds: ValueKind
  ) -> [FieldDefinition] {
    (titles[step.destination] ?? []).map { title in
      FieldDefinition(
        name: step.name + "." + title.name, path: step.path + "." + title.name, roles: roles, weight: weight,
        languages: languages(of: values[step.destination]?[title.name]), holds: holds)
    }
  }

  /// Fields with the titles of what a record belongs to. Those of direct relationships are facets.
  private func contextFields(_ steps: [Step]) -> [FieldDefinition] {
    steps.flatMap { step in
      titleFields(
        step, roles: step.path.contains(".") ? [.text] : [.text, .facet], weight: rules.contextWeight, holds: .context)
    }
  }

  // MARK: Descriptions

  /// The fields of rows that describe a record and have no title of their own, such as `comments.text`. Of a record with
  /// many such rows, they are what it belongs to, such as `film_genres.genre`.
  func descriptions(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    let rows = shape.relationships.filter(\.isToMany).flatMap { back -> [FieldDefinition] in
      guard let child = model[back.destination], child.describesOther, titles[back.destination]?.isEmpty == true,
        !isExtended(name, along: back)
      else { return [] }
      let texts = texts(of: back.destination, along: back.name)
      return child.references[0].isUnique ? texts : texts.map(asContext)
    }
    return extensions(of: name, shape) + rows.prefix(Self.mostRelated) + details(of: name, shape)
  }

  private func asContext(_ field: FieldDefinition) -> FieldDefinition {
    var field = field
    (field.roles, field.weight, field.holds) = ([.text, .facet], rules.contextWeight, .context)
    return field
  }

  /// The fields of the objects of a model that describe a record, such as `additionalAttributes.title` of a photo, and of
  /// those that describe these. The titles at the other ends of their many-to-many relationships come first, such as
  /// `additionalAttributes.keywords.title`.
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
      (model[entity].map(manyToMany) ?? []).map { end -> Step in
        (path + "." + end.name, path + "." + end.name, end.destination)
      }
    }
    return Array((contextFields(ends) + own).prefix(Self.mostRelated))
  }

  /// The relationships to the objects that describe a record, and their entities.
  private func describing(_ name: String, _ shape: EntityShape) -> [(path: String, entity: String)] {
    shape.references.filter { reference in
      guard !reference.isForeignKey, let described = model.described(by: reference.destination) else { return false }
      return described.destination == name && described.inverse == reference.name
    }.map { ($0.name, $0.destination) }
  }

  /// The texts of an entity as fields of the records from which a path leads to it.
  private func texts(of entity: String, along path: String) -> [FieldDefinition] {
    guard let shape = model[entity] else { return [] }
    return shape.words.filter { !shape.referenceAttributes.contains($0.name) }.map { attribute in
      var field = field(of: attribute, holding: values[entity]?[attribute.name])
      field.name = path + "." + attribute.name
      field.path = field.name
      return field
    }
  }

  // MARK: Parts

  /// Fields with the titles of the rows that refer to a record, if it has no texts of its own, such as `Kanji.text`; and of
  /// the rows that refer to such of these that have no texts either, such as `Sense.Gloss.text`. A record that has nothing
  /// but a key consists of these rows; another one, such as a coupon with its date, is only found by them.
  func parts(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    guard lacksTexts(name, shape) else { return [] }
    let isKey =
      shape.ownAttributes.isEmpty || shape.ownAttributes.count == 1 && shape.attributes == shape.ownAttributes
    let children = children(of: shape)
    let grandchildren = children.flatMap { first -> [Step] in
      guard let child = model[first.destination], lacksTexts(first.destination, child) else { return [] }
      return self.children(of: child).filter { $0.destination != name }.map {
        (first.name + "." + $0.name, first.path + "." + $0.path, $0.destination)
      }
    }
    let fields = (children + grandchildren).flatMap { step in
      titleFields(
        step, roles: [.text], weight: isKey ? rules.titleWeight : rules.contextWeight,
        holds: isKey ? .parts : .context)
    }
    return Array(fields.prefix(Self.mostRelated))
  }

  /// The relationships to the rows that refer to a record.
  private func children(of shape: EntityShape) -> [Step] {
    shape.relationships.filter { back in
      back.isToMany && model[back.destination]?.references.contains { $0.name == back.inverse } == true
    }.map { ($0.name, $0.name, $0.destination) }
  }

  /// Whether the records of an entity have no texts but keys, so that the rows that refer to them say what they are.
  private func lacksTexts(_ name: String, _ shape: EntityShape) -> Bool {
    titles[name]?.isEmpty == true && !shape.joinsOthers && !shape.describesOther
      && Set(shape.words.map(\.name)).isDisjoint(with: shape.ownAttributes.map(\.name))
  }

  // MARK: Context

  /// Fields with the titles of the records that a record refers to, such as `album.Title`; of those that these refer to,
  /// such as `album.artist.Name`; and of the other ends of many-to-many relationships, such as `tag.name`.
  func context(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    // The record that an object describes has the titles of what both belong to.
    guard model.described(by: name)?.isForeignKey != false else { return [] }
    let details = Set(describing(name, shape).map(\.path))
    let references = shape.references.filter { !details.contains($0.name) }
    var steps: [Step] = manyToMany(shape).map { ($0.name, $0.name, $0.destination) }
    for reference in references { steps.append((reference.name, reference.name, reference.destination)) }
    for back in shape.relationships where back.isToMany && back.inverse != nil && !isExtended(name, along: back) {
      guard let link = model[back.destination], link.joinsOthers, titles[back.destination]?.isEmpty == true else {
        continue
      }
      let choice = link.references.first { $0.name == back.inverse }?.choice
      for reference in link.references where reference.name != back.inverse {
        // A row refers to one record of these.
        if let choice, reference.choice == choice { continue }
        steps.append((reference.name, back.name + "." + reference.name, reference.destination))
      }
    }
    for first in references {
      for second in model[first.destination]?.references ?? [] {
        let path = first.name + "." + second.name
        steps.append((path, path, second.destination))
      }
    }
    let fields = contextFields(steps).prefix(Self.mostRelated)
    guard let extended = model.extended(by: name) else { return Array(fields) }
    // The title of the record that a row extends is its own.
    return fields.map { field in
      var field = field
      if field.row == extended.name { field.weight = rules.titleWeight }
      return field
    }
  }

  /// The relationships of a model that are to many on both sides.
  private func manyToMany(_ shape: EntityShape) -> [RelationshipShape] {
    shape.relationships.filter { end in
      end.isToMany && model[end.destination]?.relationships.contains { $0.name == end.inverse && $0.isToMany } == true
    }
  }

  // MARK: Titles

  /// The fields that name a record without a title: the titles of the records that it refers to, and its first date; or,
  /// if it refers to none, those of the rows that it consists of.
  ///
  /// - Parameters:
  ///   - parts: The fields with texts of the rows that refer to it.
  ///   - extended: The relationship to the record that it extends. Its title is that of both.
  func titledBy(
    _ fields: [FieldDefinition], parts: [FieldDefinition], of shape: EntityShape, extending extended: RelationshipShape?
  ) -> [String] {
    let dates = shape.attributes.filter { $0.kind == .date }.map(\.name)
    let date = dates.lazy.compactMap { date in fields.first { $0.path == date } }.first
    let references = extended.map { [$0] } ?? shape.references
    func titles(along hops: Int) -> [FieldDefinition] {
      fields.filter { field in
        field.holds == .context && field.path.count { $0 == "." } == hops
          && references.contains { field.path.hasPrefix($0.name + ".") }
      }
    }
    // A record that belongs to one without a title, such as a review of a card, is named by what that one belongs to.
    let direct = titles(along: 1)
    let owners = direct.isEmpty ? titles(along: 2) : direct
    guard !owners.isEmpty else {
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
