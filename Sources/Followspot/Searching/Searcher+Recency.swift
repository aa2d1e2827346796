internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

/// Relevance of what is new, where it is asked for.
extension Searcher {
  /// Of the best hit's score, what the newest match gains.
  static let recencyShare = 0.5

  /// - Throws: `FollowspotError.usage` where the field is no number and no date of the index, or the time is none.
  func prefer(_ recency: SearchRequest.Recency, in plan: inout QueryCompiler.Plan, _ request: SearchRequest) throws {
    let field = try orderedField(recency.field)
    let half = try half(recency, field)
    let full = try frequency(of: plan.all, exactUpTo: 10)
    let isAny = request.words == .any || isWidened(plan, request, matches: full)
    let query = isAny ? plan.any : plan.all
    let identitySlot = DocumentLayout.Slot.identity
    let best = try index.reader.search(query, offset: 0, limit: 1, exactUpTo: 1, identitySlot: identitySlot).hits.first
    let newest = try index.reader.search(
      query, offset: 0, limit: 1, exactUpTo: 1, identitySlot: identitySlot, order: (slot: field.slot, descends: true)
    ).hits.first
    guard let best, let newest, let number = try number(field, of: newest) else { return }
    let weight = best.score > 0 ? best.score * Self.recencyShare : 1
    plan.recency = (field.slot, number, half, weight)
  }

  private func orderedField(_ name: String) throws -> FieldTable.Field {
    if let field = index.fields[name], !field.roles.isDisjoint(with: [.number, .date]) { return field }
    let ordered = index.fields.names.filter { index.fields[$0]?.roles.isDisjoint(with: [.number, .date]) == false }
    let nearest = NearestNames.of(name, among: ordered)
    throw FollowspotError(
      .usage, "--recent \(name): that is no number and no date of the index",
      hint: NearestNames.hint(nearest)
        ?? (ordered.isEmpty ? "its definition has none" : "there is \(ordered.joined(separator: ", "))"))
  }

  private func half(_ recency: SearchRequest.Recency, _ field: FieldTable.Field) throws -> Double {
    let isDate = field.roles.contains(.date)
    guard let text = recency.half else { return isDate ? 365 * 86_400 : 10 }
    let now = DatePeriod.now
    let half =
      isDate
      ? DatePeriod(relative: text.lowercased(), to: now).flatMap { $0.isSince ? now - $0.start : nil }
      : NumberText.parse(text, in: field.unit)
    guard let half, half > 0 else {
      throw FollowspotError(
        .usage, "--recent \(recency.field): '\(text)' is no \(isDate ? "time" : "number above 0")",
        hint: isDate
          ? "--recent \(field.name):30d, :6mo or :1y"
          : QueryCompiler.unitHint(field, text) ?? "--recent \(field.name):10")
    }
    return half
  }

  /// The value by which a hit was ordered. Of what lies over the index, that is the live row's.
  private func number(_ field: FieldTable.Field, of hit: Hits.Hit) throws -> Double? {
    guard index.overlay != nil else {
      return try index.reader.number(of: lookupTerm(identity: hit.identity), slot: field.slot)
    }
    guard let (name, key) = DocumentLayout.parseIdentity(hit.identity), let entity = store.layout.entity(named: name)
    else { return nil }
    let row = RowIdentifier(entity: entity.number, key: key)
    return try fieldReader(field.name).values(of: row).compactMap(\.number).max()
  }
}
