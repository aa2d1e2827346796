// SPDX-License-Identifier: MIT

/// Records in two tables with the same key, such as an article whose title is in a table of pages. They are one thing: the
/// record that is extended has the texts of both, and its title names both.
extension StandardDefinition {
  /// The fields with the texts of the rows that extend a record, and with what these belong to.
  func extensions(of name: String, _ shape: EntityShape) -> [FieldDefinition] {
    shape.relationships.filter(\.isToMany).flatMap { texts(ofExtensionOf: name, along: $0) ?? [] }
  }

  /// Whether a relationship leads from a record to the row that extends it.
  func isExtended(_ name: String, along back: RelationshipShape) -> Bool {
    texts(ofExtensionOf: name, along: back) != nil
  }

  /// The relationship from the rows of an entity to those that they extend; nil if these do not have all of their texts.
  func extended(by name: String) -> RelationshipShape? {
    guard let reference = model.extended(by: name), let inverse = reference.inverse,
      titles[reference.destination]?.isEmpty == false, texts(ofExtension: name, along: inverse) != nil
    else { return nil }
    return reference
  }

  private func texts(ofExtensionOf name: String, along back: RelationshipShape) -> [FieldDefinition]? {
    guard let reference = model.extended(by: back.destination), reference.destination == name,
      reference.inverse == back.name
    else { return nil }
    return texts(ofExtension: back.destination, along: back.name)
  }

  /// Maximum number of tables that extend one.
  private static let mostExtensions = 16

  /// nil if they are too many, or too far away.
  private func texts(ofExtension name: String, along inverse: String) -> [FieldDefinition]? {
    guard let shape = model[name], let reference = model.extended(by: name) else { return nil }
    let extensions = model.values.count { other in
      other.references.contains { $0.isPrimaryKey && $0.destination == reference.destination }
    }
    guard extensions <= Self.mostExtensions else { return nil }
    let own = fields(of: name, shape).filter { field in
      field.roles.contains(.text) && !field.path.hasPrefix(reference.name + ".")
    }
    let fields = own.map { field in
      var field = field
      if field.holds == .title { field.holds = .prose }
      field.path = inverse + "." + field.path
      field.name = field.path
      return field
    }
    let areNear = fields.allSatisfy { (try? $0.target(from: reference.destination, in: model)) != nil }
    return fields.count <= Self.mostRelated && areNear ? fields : nil
  }
}
