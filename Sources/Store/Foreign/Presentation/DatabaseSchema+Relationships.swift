// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// Relations as relationships of the model.
extension DatabaseSchema {
  mutating func add(_ relation: Relation, _ index: Int, _ other: Int) {
    guard let source = sources[relation.entityName], let target = sources[relation.targetName] else { return }
    let (attributes, key) = (relation.known.columns, relation.key)
    model.entities[index].referenceAttributes.formUnion(attributes)
    if let condition = relation.known.condition { model.entities[index].referenceAttributes.insert(condition.column) }
    let plain = Self.plainName(of: relation)
    // The relationship has the name of the column. The number of a key has no meaning of its own, so it does not remain
    // an attribute.
    if relation.known.origin == .declared, attributes.count == 1, plain.uppercased() == attributes[0].uppercased(),
      relation.references.columns[0].primaryKeyIndex == 0,
      let attribute = model.entities[index].index(of: attributes[0]),
      model.entities[index].attributes[attribute].type.isInteger,
      !model.entities[index].attributes[attribute].isPreservedOnDeletion
    {
      model.entities[index].attributes.remove(at: attribute)
    }
    // `photo` and `album` for `item_id`.
    let isTyped = relation.known.condition != nil
    let wanted = isTyped ? [Self.singular(target.table.name), plain] : [plain, Self.singular(target.table.name)]
    let free = wanted.first { unusedName($0, in: model.entities[index]) == $0 }
    let name =
      free ?? unusedName(wanted[relation.known.origin == .declared || isTyped ? 0 : 1], in: model.entities[index])
    let inverse = unusedName(source.table.name, in: model.entities[other], besides: index == other ? name : nil)
    var relationship = RelationshipDescription(name, to: relation.targetName, inverse: inverse)
    relationship.isForeignKey = true
    relationship.isUnique = source.table.areUnique(relation.references.columns)
    relationship.choice = isTyped ? relation.known.columns.joined(separator: ",") : nil
    // Tables with equal keys may be about different things, so that a guess does not make one of them.
    relationship.isPrimaryKey =
      !isTyped && relation.known.origin != .inferred && model.entities[index].keyAttributes == Set(attributes)
    model.entities[index].relationships.append(relationship)
    model.entities[other].relationships.append(
      RelationshipDescription(inverse, to: relation.entityName, isToMany: true, inverse: name))
    sources[relation.entityName]?.references[name] = key
    var added = relation
    added.name = name
    sources[relation.entityName]?.relations.append(added)
  }

  private static let keySuffixes = [
    "_id", "Id", "_ID", "ID", "_fk", "_FK", "FK", "_key", "Key", "_code", "Code", "_nr", "Nr", "_no", "No", "_ref",
  ]
  private static let keyPrefixes = ["id_", "ID_", "fk_", "FK_"]

  /// `author` for `author_id`, `authorId` and `author`; `datum` for `datum_auth_name` and `datum_code`.
  private static func plainName(of relation: Relation) -> String {
    let columns = relation.references.columns.map(\.name)
    guard columns.count == 1 else {
      let shared = columns.dropFirst().reduce(columns[0]) { shared, name in
        String(zip(shared, name).prefix { $0 == $1 }.map(\.0))
      }
      let name = shared.prefix(upTo: shared.lastIndex(of: "_") ?? shared.startIndex)
      return name.isEmpty ? singular(relation.references.target.name) : String(name)
    }
    let column = columns[0]
    for suffix in keySuffixes where column.count > suffix.count && column.hasSuffix(suffix) {
      let name = column.dropLast(suffix.count)
      if suffix.hasPrefix("_") || name.last?.isLowercase == true { return String(name) }
    }
    for prefix in keyPrefixes where column.count > prefix.count && column.hasPrefix(prefix) {
      return String(column.dropFirst(prefix.count))
    }
    return column
  }

  /// `Author` for `Authors`.
  private static func singular(_ table: String) -> String {
    let lower = table.lowercased()
    let singular = NameWords.singular(lower)
    guard singular != lower else { return table }
    if lower.hasPrefix(singular) { return String(table.prefix(singular.count)) }
    return String(table.dropLast(3)) + "y"
  }

  /// The name if no property has it yet; otherwise with a number, such as `author2`.
  private func unusedName(_ name: String, in entity: EntityDescription, besides: String? = nil) -> String {
    var names = UniqueNames()
    for taken in entity.attributes.map(\.name) + entity.relationships.map(\.name) + (besides.map { [$0] } ?? []) {
      names.take(taken)
    }
    return names.propertyName(for: name)
  }
}

extension DatabaseSchema.Relation {
  /// The key of the related row, as SQL over the row `t`.
  var key: String { references.refers.map { "CASE WHEN \($0) THEN \(anyKey) END" } ?? anyKey }

  /// The key, whatever the condition.
  private var anyKey: String {
    let (target, columns, keys) = (references.target, references.columns, references.keys)
    switch target.rowKey {
    case .integer(quoted(keys[0].name))
    where keys.count == 1 && (references.condition == nil || columns[0].affinity == keys[0].affinity):
      // A value behind a condition has no affinity: a text would not equal a number.
      return columns[0].sql(of: "t")
    case .columns(let own):
      // The values of equal types alone give the number.
      let values = own.map { part in
        zip(columns, keys).first { $1.name.sqlName == part.name.sqlName && $0.affinity == part.affinity }?.0
      }
      if let numbers = target.numbers, own.count == keys.count, !values.contains(where: { $0 == nil }) {
        return numbers.number(of: values.compactMap(\.self).map { "t.\(quoted($0.name))" })
      }
    default: break
    }
    return "(SELECT \(target.key("r", key: "rk")) FROM \(target.rows("r", key: "rk")) "
      + "WHERE \(references.matches("r")) LIMIT 1)"
  }
}
