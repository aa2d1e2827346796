// SPDX-License-Identifier: MIT

internal import Store

/// An order as SQL.
struct CompiledOrder {
  /// The terms of ORDER BY; the row's key is the last one.
  var terms: [String]
  /// What follows the root's table, and a predicate's joins, in FROM; empty for nothing.
  var joins: String
  /// The classes of which the order reads rows, beside the columns of the root's own row.
  var touched: Set<ObjectIdentifier>
}

/// Turns sort descriptors into SQL that orders rows as `SortDescriptor.compare` does: nil first, false before true.
///
/// Text is ordered by its stored scalars, as Swift orders text that is composed (form C), or as a localized comparator
/// says. Equal rows come in the order of their keys.
struct SortCompiler {
  let store: StoreBinding
  let root: EntityBinding
  let alias: String
  private var rows: TableAlias { TableAlias(root.entity, as: alias) }

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` that says what has no SQL.
  func compile<Model>(_ descriptors: [SortDescriptor<Model>]) throws -> CompiledOrder {
    let compilation = PredicateCompilation(store, prefix: "s")
    let object = ObjectTerm(root, JoinedRow(root, alias: alias))
    var terms: [String] = []
    for descriptor in descriptors {
      guard let keyPath = descriptor.keyPath else { throw Self.unsupported("a sort descriptor has no key path") }
      if let comparator = descriptor.stringComparator, comparator != .lexical {
        throw Self.unsupported("\(comparator) has no SQL: use .lexical, .localized or .localizedStandard")
      }
      let ascending = try self.terms(keyPath, object, compilation)
      terms += descriptor.order == .forward ? ascending : ascending.map { $0 + " DESC" }
    }
    terms.append(rows.key)
    return CompiledOrder(
      terms: terms, joins: String(compilation.scope.text.dropFirst()), touched: compilation.touched)
  }

  private static func unsupported(_ explanation: String) -> SwiftDataError {
    SwiftDataError(.unsupportedSortDescriptor, explanation)
  }

  private func terms(
    _ keyPath: AnyKeyPath, _ object: ObjectTerm, _ compilation: PredicateCompilation
  ) throws -> [String] {
    if let index = object.binding.type.index(of: keyPath) { return try terms(of: object.property(index, compilation)) }
    if object.binding.type.isIdentity(keyPath) { return identity(compilation) }
    guard let parts = KeyPathParts(keyPath)?.parts else { throw notStored(keyPath, object.binding) }
    return try terms(parts[...], keyPath, object, compilation)
  }

  private func notStored(_ keyPath: AnyKeyPath, _ binding: EntityBinding) -> SwiftDataError {
    let value = type(of: keyPath).valueType
    let read: Any.Type = OptionalTypes.unwrapped(value) is any TextOrder.Type ? String.self : value
    return Self.unsupported(
      "\(binding.type.name) has no stored property at a key path to \(read): rows are sorted by "
        + "stored properties, also those of to-one relationships; sort the fetched objects by others")
  }

  /// Follows a key path through relationships and structures.
  private func terms(
    _ parts: ArraySlice<KeyPathParts.Part>, _ keyPath: AnyKeyPath, _ object: ObjectTerm,
    _ compilation: PredicateCompilation
  ) throws -> [String] {
    let parts = parts.drop { $0 == .chained || $0 == .forced }
    guard let first = parts.first, let index = object.binding.type.index(of: first) else {
      throw notStored(keyPath, object.binding)
    }
    let rest = parts.dropFirst().drop { $0 == .chained || $0 == .forced || $0 == .wrapped }
    switch try object.property(index, compilation) {
    case .object(let next): return try terms(rest, keyPath, next, compilation)
    case .structure(let structure):
      guard let element = rest.first.flatMap({ structure.property.coder?.element(of: $0) }),
        rest.dropFirst().allSatisfy({ $0 == .wrapped })
      else { throw notStored(keyPath, object.binding) }
      return try terms(of: .scalar(Scalar(structure.columns[element.index], element.type, isNullable: true)))
    case let term where rest.isEmpty: return try terms(of: term)
    case .scalar(let column) where isRawValue(keyPath, of: column, at: index, in: object.binding.type):
      return try terms(of: .scalar(Scalar(column.sql, OptionalTypes.unwrapped(type(of: keyPath).valueType))))
    case let term:
      guard let collation = rest.first.flatMap(DerivedOrder.collation),
        rest.dropFirst().allSatisfy({ $0 == .wrapped })
      else { throw notStored(keyPath, object.binding) }
      return try terms(of: term).map { $0 + collation }
    }
  }

  /// Whether a key path of the class reads the raw value of an enumeration: an object with each case tells.
  private func isRawValue(_ keyPath: AnyKeyPath, of column: Scalar, at index: Int, in type: ModelType) -> Bool {
    guard Swift.type(of: keyPath).rootType == type.modelType, let cases = EnumerationCases(column.type) else {
      return false
    }
    return cases.areRawValues { value in
      let state = _ModelState(type)
      guard let slot = type.properties[index].coder?.slot(any: value) else { return nil }
      state.slots[index] = slot
      return (state.object as Any)[keyPath: keyPath]
    }
  }

  private func terms(of term: Term) throws -> [String] {
    guard case .scalar(let column) = term else { throw Self.unsupported("rows cannot be sorted by a \(term.kind)") }
    if let reason = column.refusal { throw Self.unsupported(reason) }
    do {
      return try OrderedSQL(column.type).ordered(column.sql)
    } catch {
      throw Self.unsupported("\(error.reason): sort the fetched objects instead")
    }
  }

  /// As identifiers are ordered: by the class's name, then by key.
  private func identity(_ compilation: PredicateCompilation) -> [String] {
    let family = store.family(of: root.type)
    // Several entities of a store that other software made may be of one class.
    let names = Set(family.map(\.type.name)).sorted()
    guard names.count > 1 else { return [rows.key] }
    let ranks = names.enumerated().flatMap { rank, name in
      family.filter { $0.type.name == name }.map(\.entity.number).sorted().map { "WHEN \($0) THEN \(rank)" }
    }
    return ["CASE \(rows.entityNumber) \(ranks.joined(separator: " ")) END", rows.key]
  }
}
