// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// Reads the title and the short texts of rows for the second stage of ranking.
final class CandidateReader {
  /// Maximum length of a short text in bytes.
  private static let longestText = 100
  /// The length of the start of a text in which words with accents are looked for, in bytes.
  private static let longestAccented = 16_384

  /// Maximum number of parts of a row, along one path, that are compared with the query.
  private static let mostParts = 50

  /// Whether records have titles of others.
  private let hasRelations: Bool
  private let view: SearchView
  private let mapper: DocumentMapper
  /// The query as typed, then with synonyms.
  private let matches: [QueryMatch]
  private var folder = TextFolder()
  private var title = RankingText()
  private var summary: RankingText?
  private var items: [RankingText] = []
  private var texts: [RankingText] = []
  private var codes: [(text: RankingText, code: DocumentPlan.Code)] = []
  private var context: [RankingText] = []
  /// The titles of what a row consists of.
  private var parts: [RankingText] = []
  private let keyed: [KeyedRecord]
  private var linkedTitles: [RowIdentifier: [RankingText]] = [:]
  /// nil if records have no titles of others.
  private let own: OwnWords?
  /// The rows without a word of the query in a text of their own.
  private var byContextAlone: Set<RowIdentifier> = []
  /// The queries without the words for the kind, by entity.
  private var withoutKind: [Int: (share: Double, matches: [QueryMatch])] = [:]
  /// Whether the row has each of the words that were typed with accents, with the same accents; nil if it does not have
  /// the word.
  private var isAccented: [Bool?] = []

  /// - Parameter part: With the query that is ranked; nil if the store cannot answer it.
  init(_ view: SearchView, _ part: Ranker.Part?) throws {
    (self.view, mapper, matches) = (view, try view.mapper, part?.matches ?? [])
    own = part.flatMap { OwnWords($0.plan, in: view) }
    keyed = part?.plan.keyed ?? []
    hasRelations = mapper.plans.contains { $0.related.contains { $0.isContext || $0.isPart } }
  }

  /// What the second stage adds to each row; nil for a row that does not exist.
  ///
  /// - Parameter numbers: Those of the rows' documents in the only database of the view; nil if it has several, or if they
  ///   are not known.
  func bonuses(of rows: [RowIdentifier?], numbers: [UInt32]? = nil) throws -> [RankingBonus?] {
    if hasRelations {
      let identities = identities(of: rows.compactMap(\.self))
      let documents = try numbers.map { try view.documents(numbered: $0) } ?? view.documents(of: identities.keys)
      let linked = LinkedTitles(view: view, identities: identities, documents: documents)
      linkedTitles = try matches.first.map { try linked.titles(in: $0) } ?? [:]
      if let own {
        let found = try own.matching(documents, in: view)
        byContextAlone = Set(identities.filter { !found.contains($0.key) }.values)
      }
    }
    return try rows.map { try $0.flatMap(bonus) }
  }

  private func identities(of rows: [RowIdentifier]) -> [[UInt8]: RowIdentifier] {
    let named = rows.compactMap { row in
      view.store.layout.entity(number: row.entity).map {
        (DocumentLayout.identity(entity: $0.entity.name, key: row.key), row)
      }
    }
    return Dictionary(named, uniquingKeysWith: { first, _ in first })
  }

  /// What the second stage adds to a row; nil if the row does not exist.
  private func bonus(of row: RowIdentifier) throws -> RankingBonus? {
    guard let plan = mapper.plan(ofEntity: row.entity) else { return nil }
    title = RankingText()
    items.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    codes.removeAll(keepingCapacity: true)
    context.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    isAccented = accents.map { _ in nil }
    var isThere = false
    try view.rows.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { live in
      guard let live else { return }
      isThere = true
      title = text(of: plan.titles, live)
      summary = plan.summary.map { text(of: [$0], live) }
      for output in plan.outputs where !output.isTitle && plan.ranks(output) { try read(live, output) }
      for output in plan.outputs { if let code = output.code { codes.append((text(of: [output], live), code)) } }
      for output in plan.outputs where !accents.isEmpty { try compareAccents(live, output) }
    }
    guard isThere else { return nil }
    if plan.isDetail {
      texts.append(title)
      title = RankingText()
    }
    context += linkedTitles[row] ?? []
    for related in plan.related {
      let outputs = related.outputs.filter { plan.ranks($0) || !accents.isEmpty }
      // `LinkedTitles` finds those across other tables.
      guard !outputs.isEmpty, !(related.isContext && related.path.isToMany) else { continue }
      let limit = related.isPart ? Self.mostParts : nil
      try view.rows.eachRelated(along: related.path, from: row.key, attributes: related.attributes, limit: limit) {
        way in
        guard let end = way.end else { return }
        if related.isContext {
          context.append(text(of: outputs, end))
        } else if related.isPart {
          parts.append(text(of: outputs, end))
        } else {
          for output in outputs where plan.ranks(output) { try read(end, output) }
        }
        for output in outputs where !accents.isEmpty { try compareAccents(end, output) }
      }
    }
    var best = try bonus(of: matches)
    let named = try self.matches(withoutKindOf: plan.entity)
    // The title may have the word that names another kind.
    var share = best?.isWholeTitle == true ? try shareOfKinds() : 0
    if named.share > 0 {
      let other = try bonus(of: named.matches)
      if let other, other.sum > best?.sum ?? 0 || best == nil { best = other }
      share = max(share, named.share)
    }
    best?.addKind(share: share)
    let name = plan.entity.entity.name
    if let record = keyed.first(where: { $0.key == row.key && $0.entity == name }) {
      best?.addKey(isClear: record.isClear)
    }
    if hasRelations {
      let term = DocumentLayout.relatedTerm(entity: name, key: row.key)
      best?.addRelations(references: try view.reader.frequency(of: term), isLink: plan.isLink)
      if named.share > 0 || !byContextAlone.contains(row) { best?.addOwnWords() }
    }
    if !accents.isEmpty {
      best?.addAccents(share: Double(isAccented.count { $0 != false }) / Double(accents.count))
    }
    return best
  }

  /// What the queries add to the row that was read. A row without a title is named by each of its parts.
  private func bonus(of matches: [QueryMatch]) throws -> RankingBonus? {
    guard title.isEmpty, !parts.isEmpty else { return try bonus(of: matches, title) }
    return try parts.compactMap { try bonus(of: matches, $0) }.max { $0.sum < $1.sum }
  }

  private func bonus(of matches: [QueryMatch], _ title: RankingText) throws -> RankingBonus? {
    try matches.enumerated().map { position, match in
      var bonus = try RankingBonus(
        match, title: title, summary: summary, items: items, texts: texts, context: hasRelations ? context : nil)
      for (text, code) in codes where text.isSame(as: match.whole) { bonus.addCode(code) }
      return position == 0 ? bonus : bonus.ofSynonym
    }.max { $0.sum < $1.sum }
  }

  /// The queries without the words that name the kind of a record, and the share of its name that these are.
  private func matches(withoutKindOf entity: EntityLayout) throws -> (share: Double, matches: [QueryMatch]) {
    if let known = withoutKind[entity.number] { return known }
    let named = matches.map { ($0, view.searched.kindWords.match($0.words.words, entity.entity.name)) }
    let made = (
      share: named.map(\.1.share).max() ?? 0, matches: try named.compactMap { try $0.without($1.indices) }
    )
    withoutKind[entity.number] = made
    return made
  }

  /// The greatest share of the name of a kind that the query names.
  private func shareOfKinds() throws -> Double {
    try view.store.layout.entities.map { try matches(withoutKindOf: $0).share }.max() ?? 0
  }

  /// The words that were typed with accents.
  private var accents: [(index: Int, word: AccentedWord)] { matches.first?.accented ?? [] }

  /// Looks for the words with accents that were not found with the same accents yet.
  private func compareAccents(_ row: Row, _ output: DocumentPlan.Output) throws {
    guard let match = matches.first, output.roles.contains(.text) else { return }
    var texts: [[UInt8]] = []
    try eachText(row, output) { text, _ in texts.append(Array(text.prefix(Self.longestAccented))) }
    for text in texts {
      for word in accents.indices where isAccented[word] != true {
        let found = try text.withUnsafeBytes { try match.isWritten(word, in: $0, &folder) }
        if let found { isAccented[word] = found }
      }
    }
  }

  private func read(_ row: Row, _ output: DocumentPlan.Output) throws {
    try eachText(row, output) { text, isItem in
      if isItem {
        add(text, isItem: true)
      } else if output.roles.contains(.facet) {
        // Several names may be written as one text.
        for item in text.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
          add(UnsafeRawBufferPointer(rebasing: item), isItem: true)
        }
      } else {
        add(text, isItem: false)
      }
    }
  }

  /// The words of several fields, one after another.
  private func text(of outputs: [DocumentPlan.Output], _ row: Row) -> RankingText {
    var joined = RankingText()
    for output in outputs where [.string, .url].contains(output.type) && !row.isNull(output.column) {
      joined.append(RankingText(UnsafeRawBufferPointer(rebasing: row.bytes(output.column).prefix(1_000)), &folder))
    }
    return joined
  }

  /// Visits the text of a field, or each text inside its list or JSON value, which is an item.
  private func eachText(
    _ row: Row, _ output: DocumentPlan.Output, _ visit: (UnsafeRawBufferPointer, _ isItem: Bool) -> Void
  ) throws {
    guard !row.isNull(output.column) else { return }
    switch output.type {
    case .string, .url: visit(row.bytes(output.column), false)
    case .strings, .json:
      _ = try mapper.json.each(in: row.bytes(output.column)) { path, text in
        if JSONStrings.keys(of: path, below: output.keys) != nil { visit(text, true) }
      }
    default: break
    }
  }

  private func add(_ text: UnsafeRawBufferPointer, isItem: Bool) {
    guard text.count <= Self.longestText else { return }
    let short = RankingText(text, &folder)
    guard !short.isEmpty else { return }
    if isItem { items.append(short) } else { texts.append(short) }
  }
}
