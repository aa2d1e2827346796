// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// Boosts by numbers: by recency if a request asks for it, and by magnitude if a request or the definition asks for it.
struct QueryBoosts {
  let request: SearchRequest
  let view: SearchView

  /// Adds the boosts of the request and of the definition to a plan, unless the request sorts by fields.
  ///
  /// - Throws: `OperationError.usage` if a field is not a number or date of the index, or if a time is malformed.
  func add(to plan: inout QueryPlan) throws {
    guard request.sort.isEmpty else { return }
    let requested = try request.boosts.map { try orderedField($0, "boost by \($0)", [.number]) }
    let defined = view.definition.entities.values.compactMap(\.boost).compactMap { view.fields[$0] }
    let byMagnitude = (requested + defined).reduce(into: [FieldTable.Field]()) { fields, field in
      if !fields.contains(where: { $0.slot == field.slot }) { fields.append(field) }
    }
    let recency = try request.recency.map { recency in
      let field = try orderedField(recency.field, "recency of \(recency.field)", [.number, .date])
      return (field, try half(recency, field))
    }
    guard recency != nil || !byMagnitude.isEmpty else { return }
    let full = try view.matchCount(of: plan.all, exactUpTo: 10)
    let isAny = request.words == .any || plan.isWidened(request, matches: full)
    let query = isAny ? plan.any : plan.all
    guard let best = try view.hits(of: query, limit: 1).hits.first else { return }
    let share = try RankingWeights.current().boost
    let weight = best.score > 0 ? best.score * share : 1
    if let (field, half) = recency, let newest = try highest(field, in: query) {
      plan.boosts.append(
        .init(
          name: "\(field.name) is recent", slot: field.slot, kind: .recency(newest: newest, half: half), weight: weight)
      )
    }
    for field in byMagnitude.sorted(by: { $0.slot < $1.slot }) {
      guard let highest = try highest(field, in: query), highest > 0 else { continue }
      plan.boosts.append(
        .init(name: "\(field.name) is high", slot: field.slot, kind: .magnitude(highest: highest), weight: weight))
    }
    if !plan.boosts.isEmpty { plan.bestUnboosted = best.score }
  }

  /// The highest finite number of a field among the matches of a query.
  private func highest(_ field: FieldTable.Field, in query: Query) throws -> Double? {
    let finite = NumberRange(from: nil, to: .init(SortableNumber(Double.greatestFiniteMagnitude)))
    let numbers = Query.filter(query, by: .range(slot: field.slot, finite))
    let hit = try view.hits(of: numbers, limit: 1, order: (field.slot, true)).hits.first
    return hit.flatMap { $0.value.isEmpty ? nil : SortableNumber.double(of: $0.value) }
  }

  private func orderedField(
    _ name: String, _ option: String, _ roles: Set<FieldDefinition.Role>
  ) throws -> FieldTable.Field {
    if let field = view.fields[name], !field.roles.isDisjoint(with: roles) { return field }
    let ordered = view.fields.names.filter { view.fields[$0]?.roles.isDisjoint(with: roles) == false }
    let nearest = NearestNames.of(name, among: ordered)
    throw OperationError(
      .usage, "\(option): the index has no \(roles.contains(.date) ? "number or date" : "number") of that name",
      recovery: nearest.isEmpty ? .knownNames(ordered) : .nearestNames(nearest))
  }

  private func half(_ recency: SearchRequest.RecencyBoost, _ field: FieldTable.Field) throws -> Double {
    let isDate = field.roles.contains(.date)
    guard let text = recency.half else { return isDate ? 365 * 86_400 : 10 }
    let now = DatePeriod.now
    let half =
      isDate
      ? DatePeriod(relative: text.lowercased(), to: now).flatMap { $0.isSince ? now - $0.start : nil }
      : NumberText.parse(text, in: field.unit)
    guard let half, half > 0 else {
      throw OperationError(
        .usage, "recency of \(recency.field): '\(text)' is not a \(isDate ? "time" : "number above 0")",
        recovery: isDate
          ? .recentTimes(field.name) : field.scale(for: text).map { .scale($0) } ?? .recentNumber(field.name))
    }
    return half
  }
}
