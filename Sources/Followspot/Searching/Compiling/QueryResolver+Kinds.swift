// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// The kinds that a query allows, and the types that fields have in them.
extension QueryResolver {
  /// The kind of that name and its subentities.
  func kinds(named name: String) -> Set<String>? {
    guard let kind = try? kind(name, at: 0), let number = view.store.layout.entity(named: kind)?.number else {
      return nil
    }
    return Set(view.store.layout.entities.filter { $0.lineage.contains(number) }.map(\.entity.name))
  }

  /// The resolver for the operands of AND: each of them finds only what the others allow.
  func limited(to node: QueryNode) -> QueryResolver {
    var resolver = self
    resolver.kinds.formIntersection(allowed(node).kinds)
    return resolver
  }

  /// The kinds that a part of the query allows by `kind:`, and whether it allows every record of them.
  private func allowed(_ node: QueryNode) -> (kinds: Set<String>, isAll: Bool) {
    let any = (Set(view.definition.entities.keys), false)
    switch node {
    case .field(let name, let value, _, _):
      guard case .kind = FieldName(name, in: view.fields), let kinds = kinds(named: value) else { return any }
      return (kinds, true)
    case .not(let inner):
      let (kinds, isAll) = allowed(inner)
      return isAll ? (any.0.subtracting(kinds), true) : any
    case .and(let operands):
      return operands.map(allowed).reduce((any.0, true)) { ($0.0.intersection($1.kinds), $0.1 && $1.isAll) }
    case .or(let operands):
      return operands.map(allowed).reduce(([], true)) { ($0.0.union($1.kinds), $0.1 && $1.isAll) }
    case .word, .phrase, .near, .prefix, .pattern, .range, .everything: return any
    }
  }

  /// The roles of a field in the kinds that the query allows; all of them if none of these kinds has the field.
  func roles(of field: FieldTable.Field) -> Set<FieldDefinition.Role> {
    let own = field.kinds.filter { !$0.value.isDisjoint(with: kinds) }
    return own.isEmpty ? field.roles : Set(own.keys)
  }

  /// A condition on the slot of a field, for the kinds in which the slot holds dates, or in which it holds numbers.
  func condition(_ query: Query, on field: FieldTable.Field, areDates: Bool) -> Query {
    let (dates, numbers) = (field.kindsWithDates, field.kindsWithNumbers)
    let (own, others) = areDates ? (dates, numbers) : (numbers, dates)
    guard !others.isSubset(of: own) else { return query }
    return .filter(query, by: .or(own.sorted().map { .term(DocumentLayout.entityTerm($0)) }))
  }
}

extension FieldTable.Field {
  fileprivate var kindsWithDates: Set<String> { kinds[.date] ?? [] }
  fileprivate var kindsWithNumbers: Set<String> { (kinds[.number] ?? []).union(kinds[.flag] ?? []) }

  /// Whether its slot holds dates in some kinds and numbers in others.
  var isMixed: Bool { !kindsWithDates.isEmpty && !kindsWithNumbers.isEmpty }
}
