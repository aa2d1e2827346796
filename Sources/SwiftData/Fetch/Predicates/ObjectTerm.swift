// SPDX-License-Identifier: MIT

internal import Store

/// One row that a predicate reads. Its key is known; it is joined when another column of it is read.
final class JoinedRow {
  let binding: EntityBinding
  /// SQL of its key; NULL for no row.
  let key: String
  private let scope: JoinScope?
  /// The row that has its key.
  private let source: JoinedRow?
  private var joined: TableAlias?
  private var targets: [String: JoinedRow] = [:]

  /// A row that is in FROM already.
  init(_ binding: EntityBinding, alias: String) {
    self.binding = binding
    let rows = TableAlias(binding.entity, as: alias)
    key = rows.key
    (scope, source) = (nil, nil)
    joined = rows
  }

  init(_ binding: EntityBinding, key: String, scope: JoinScope, source: JoinedRow? = nil) {
    self.binding = binding
    self.key = key
    self.scope = scope
    self.source = source
  }

  /// The names of the joined rows without which its columns are NULL.
  var path: Set<String> { keyPath.union(scope != nil ? [joined?.name].compactMap { $0 } : []) }

  /// The names of the joined rows without which its key is NULL.
  var keyPath: Set<String> { source?.path ?? [] }

  func alias(_ compilation: PredicateCompilation) -> TableAlias {
    if let joined { return joined }
    let alias = TableAlias(binding.entity, as: compilation.alias())
    scope?.joins.append(JoinScope.Join(row: alias, key: key))
    compilation.touch(binding.type)
    joined = alias
    return alias
  }

  /// The destination row of a to-one relationship. Every call returns the same row.
  func target(_ relationship: RelationshipLayout, _ compilation: PredicateCompilation) throws -> JoinedRow {
    let name = "\(relationship.owner).\(relationship.name)"
    if let known = targets[name] { return known }
    guard case .reference(let column, _, _) = relationship.storage else {
      preconditionFailure("a to-one relationship is a column")
    }
    let binding = try compilation.binding(number: relationship.destination)
    let key = "\(alias(compilation).name).\(column)"
    let row = JoinedRow(binding, key: key, scope: scope ?? compilation.scope, source: self)
    targets[name] = row
    return row
  }
}

/// An object of a model class.
struct ObjectTerm {
  /// The class it is known to be of.
  let binding: EntityBinding
  let row: JoinedRow
  var isNullable = false
  /// Variables that make it NULL when they are nil.
  var reads: Scalar.Variables = []
  /// After a cast: SQL that is true where the object is of the class.
  var presence: String?
  /// Whether its key may be that of a row that was deleted.
  var mayBeGone = false

  init(_ binding: EntityBinding, _ row: JoinedRow, isNullable: Bool = false, reads: Scalar.Variables = []) {
    self.binding = binding
    self.row = row
    self.isNullable = isNullable
    self.reads = reads
  }

  /// Its key, NULL where there is no such object.
  var key: Scalar {
    var key = Scalar(guarded(row.key), Int64.self, isNullable: isNullable, reads: presence == nil ? reads : [])
    key.rows = row.keyPath
    return key
  }

  private func guarded(_ sql: String) -> String { presence.map { "CASE WHEN \($0) THEN \(sql) END" } ?? sql }

  func unwrapped(as variable: PredicateExpressions.VariableID?) -> ObjectTerm {
    var object = self
    object.isNullable = false
    guard let variable else { return object }
    // The guard of the presence covers SQL that reads the variable.
    if presence == nil { object.reads.insert(variable) } else { object.presence = nil }
    return object
  }

  /// The object as one of class `type`, NULL where it is none.
  func cast(to type: ModelType, _ compilation: PredicateCompilation) throws -> ObjectTerm {
    if type.includes(binding.type) { return self }
    guard let target = compilation.binding(of: type) else {
      throw PredicateCompilation.unsupported("\(type.name) is not in the store: name it in the container's schema")
    }
    var object = ObjectTerm(target, row, isNullable: true)
    object.presence = membership(of: type, compilation)
    return object
  }

  /// SQL that says whether the row is of class `type`; NULL without a row.
  func membership(of type: ModelType, _ compilation: PredicateCompilation) -> String {
    "(\(row.alias(compilation).isOf(entities: compilation.numbers(of: type))))"
  }

  // MARK: Properties

  func property(_ index: Int, _ compilation: PredicateCompilation) throws -> Term {
    let property = binding.type.properties[index]
    switch binding.storage[index] {
    case .attribute(let index): return attribute(property, index, compilation)
    case .composite(let indexes): return structure(property, indexes.map(ColumnSource.column), compilation)
    case .assembled(let sources):
      if case .coded(let index)? = sources.first, sources.count == 1 {
        return attribute(property, index, compilation, isCoded: true)
      }
      return structure(property, sources, compilation, isCoded: true)
    case .relationship(let index):
      let relationship = binding.entity.relationships[index]
      if property.kind == .toMany { return .rows(try rows(relationship, property, compilation)) }
      let target = try row.target(relationship, compilation)
      compilation.refer(to: target.binding.type)
      var object = ObjectTerm(
        target.binding, target, isNullable: property.isOptional || isNullable || presence != nil,
        reads: presence == nil ? reads : [])
      object.presence = presence
      object.mayBeGone = relationship.outlives(target.binding.entity)
      return .object(object)
    case .unstored:
      throw PredicateCompilation.unsupported("\(binding.type.name).\(property.name) is not stored: it has no column")
    }
  }

  private func structure(
    _ property: PropertyType, _ sources: [ColumnSource], _ compilation: PredicateCompilation, isCoded: Bool = false
  ) -> Term {
    let alias = row.alias(compilation)
    let columns = sources.map { guarded($0.sql { "\(alias.name).\(binding.entity.quotedColumn($0))" }) }
    return .structure(
      StructureTerm(
        property: property, columns: columns, isNullable: property.isOptional || isNullable, isCoded: isCoded))
  }

  /// - Parameter isCoded: Whether the column holds a coded value of a store that other software made.
  private func attribute(
    _ property: PropertyType, _ index: Int, _ compilation: PredicateCompilation, isCoded: Bool = false
  ) -> Term {
    let type = OptionalTypes.unwrapped(property.valueType)
    let source = isCoded ? ColumnSource.coded(index) : .column(index)
    let alias = row.alias(compilation)
    var column = Scalar(
      guarded(source.sql { "\(alias.name).\(binding.entity.quotedColumn($0))" }), type,
      isNullable: property.isOptional || isNullable, reads: presence == nil ? reads : [])
    column.rows = row.path
    column.isCoded = isCoded
    let name = "\(binding.type.name).\(property.name)"
    if property.attribute?.isTransformable ?? false {
      column.refusal = "\(name) is stored as a value transformer makes it: only nil can be compared with it"
    } else if property.attribute?.isCodable ?? false {
      column.refusal =
        "\(name) is marked .codable: only nil can be compared with it; without the option it may have "
        + "columns of its own"
    } else if binding.entity.entity.attributes[index].isExternal {
      column.refusal = "\(name) may be stored outside of its row: only nil can be compared with it"
    } else if ConstantValue.Shape(type) == nil {
      return .json(column)
    }
    return .scalar(column)
  }

  private func rows(
    _ relationship: RelationshipLayout, _ property: PropertyType, _ compilation: PredicateCompilation
  ) throws -> RowsTerm {
    let target = try compilation.binding(number: relationship.destination)
    let owner = guarded(row.key)
    return RowsTerm(presence: isNullable ? "(\(owner) IS NOT NULL)" : nil) { compilation in
      compilation.touch(target.type)
      let alias = TableAlias(target.entity, as: compilation.alias())
      let row = JoinedRow(target, alias: alias.name)
      let (from, condition) = relationship.targets(as: alias, ofOwner: owner)
      return RowSet(from: from, conditions: [condition], element: .object(ObjectTerm(target, row)))
    }
  }
}

extension RelationshipLayout {
  /// Whether the delete of a target leaves its key in the owner's row: nothing leads from the target to the owner, or
  /// what does takes no action.
  fileprivate func outlives(_ target: EntityLayout) -> Bool {
    guard let inverse = description.inverse else { return true }
    return target.relationships.first { $0.name == inverse }?.description.deleteRule == .noAction
  }
}
