// SPDX-License-Identifier: MIT

internal import Base

/// Chooses the attributes that name the records of an entity, by the values, the place and, as a hint, the names of the
/// attributes.
struct TitleRules: Decodable {
  /// Names of attributes that are titles, the best first, in several languages.
  let names: [String]
  /// Parts of the names of attributes that are not titles.
  let others: [String]
  /// The two names of a person in several languages.
  let persons: [Person]

  /// Names of the attributes that have the two names of a person, in the order in which these are written. Of each, the
  /// best first.
  struct Person: Decodable {
    let first: [String]
    let last: [String]
  }

  private enum Weight {
    static let named = 1.5
    /// Added if the attribute is called by nothing else: `name` comes before `short_name`.
    static let namedAlone = 0.2
    /// The step from one name to the next in `names`.
    static let order = 0.005
    /// Taken from a name that only ends with one of `names`.
    static let part = 0.2
    static let marked = 0.8
    static let place = 0.05
    /// Places beyond this one say no more.
    static let mostPlaces = 8
    static let long = 0.5
    static let other = 1.0
    /// The share of distinct values from which a name that equals the entity's says that they are titles.
    static let fewestDistinct = 0.75
    static let last = 0.01
    static let coded = 0.001
  }
  /// A title with more words on average is a description.
  private static let mostWords = 8.0
  /// Texts of which at least this share are hexadecimal digits or dates are titles only of records that have nothing else.
  private static let leastCoded = 0.9
  /// Names of remarks, which are better titles than none.
  private static let remarks: Set<String> = ["comment", "message", "summary", "subject"]

  /// The attributes whose texts, one after another, are the title; empty if there is none.
  ///
  /// - Parameters:
  ///   - mayBeNone: Whether what a record joins names it, if it has no title.
  ///   - evidence: Of an attribute; nil if its values are not known, so that the names decide.
  func titles(
    of entity: String, _ attributes: [AttributeShape], mayBeNone: Bool, evidence: (AttributeShape) -> TitleEvidence?
  ) -> [AttributeShape] {
    var texts = attributes.enumerated().filter { $0.element.kind == .text }
    // A column without values names records only if none with values is called a title: it may be filled later.
    let isNamed = texts.contains { rank(of: $0.element.name, in: entity) != nil && evidence($0.element)?.filled != 0 }
    texts.removeAll {
      evidence($0.element)?.filled == 0 && (isNamed || !isNamedAlone($0.element.name, of: entity))
    }
    let scored = texts.compactMap { place, attribute in
      score(attribute.name, of: entity, place: place, mayBeNone: mayBeNone, evidence(attribute))
        .map { (attribute, score: $0) }
    }
    let person = person(texts.map(\.element), evidence: evidence)
    let best = scored.max { $0.score < $1.score }
    guard let best else { return person }
    guard person.isEmpty || (isNamedAlone(best.0.name, of: entity) && !person.contains(best.0)) else { return person }
    return [best.0]
  }

  private func score(
    _ name: String, of entity: String, place: Int, mayBeNone: Bool, _ evidence: TitleEvidence?
  ) -> Double? {
    let rank = rank(of: name, in: entity)
    guard let evidence, evidence.filled > 0 else { return rank.map { Weight.named - $0 } }
    let isAlone = isNamedAlone(name, of: entity)
    let isRemark = evidence.isRemark && Self.remarks.contains(NameWords.of(name).last ?? "")
    guard
      evidence.isPossible || isRemark || (rank != nil && evidence.filled > 0 && (isAlone || evidence.characters <= 200))
    else {
      return nil
    }
    var score =
      evidence.distinct - Weight.marked * evidence.marked - Weight.place * Double(min(place, Weight.mostPlaces))
    if let rank { score += Weight.named - rank }
    if isAlone { score += Weight.namedAlone }
    if evidence.words > Self.mostWords { score -= Weight.long }
    let isCalledLike = evidence.distinct >= Weight.fewestDistinct && Self.isCalledLike(entity, name)
    let isOther = isOther(name)
    if isCalledLike, !isOther { score += Weight.named }
    if rank == nil, isOther { score -= Weight.other }
    // The city of a City is its name, and the country of a match between teams is better than none.
    let isLastChoice =
      isCalledLike || isRemark || evidence.isWrittenIdentifier || !mayBeNone && isOther && evidence.isShort
    if rank == nil, score > 0, evidence.coded >= Self.leastCoded { return mayBeNone ? nil : Weight.coded }
    return score > 0 ? score : isLastChoice ? Weight.last * evidence.distinct : nil
  }

  /// Whether the name of an attribute says that it is a title.
  func isNamed(_ attribute: String, in entity: String) -> Bool {
    rank(of: attribute, in: entity) != nil || Self.isCalledLike(entity, attribute)
  }

  /// How far behind the best one the name of a title is; nil if it is none.
  private func rank(of name: String, in entity: String) -> Double? {
    let words = NameWords.of(name)
    if let position = names.firstIndex(of: words.joined()) { return Double(position) * Weight.order }
    let last = words.last ?? ""
    let position = names.firstIndex { last == $0 || ($0.count >= 4 && last.hasSuffix($0)) }
    return position.map { Weight.part + Double($0) * Weight.order }
  }

  /// Whether an attribute is called `name`, or `recipe_name` in a Recipe.
  private func isNamedAlone(_ name: String, of entity: String) -> Bool {
    let whole = NameWords.of(name).joined()
    let entity = NameWords.of(entity).joined()
    return names.contains { whole == $0 || whole == entity + $0 }
  }

  /// Whether an attribute is called `recipe` in a Recipe.
  private static func isCalledLike(_ entity: String, _ name: String) -> Bool {
    NameWords.of(name).map(NameWords.singular) == NameWords.of(entity).map(NameWords.singular)
  }

  private func isOther(_ name: String) -> Bool {
    let words = NameWords.of(name)
    return others.contains { other in
      words.contains(other) || (other.count >= 5 && words.contains { $0.hasPrefix(other) || $0.hasSuffix(other) })
    }
  }

  /// The attributes with the first and the last name of a person; empty if it lacks one of them.
  private func person(
    _ attributes: [AttributeShape], evidence: (AttributeShape) -> TitleEvidence?
  ) -> [AttributeShape] {
    let possible = attributes.filter { evidence($0).map(\.isPossiblePart) != false }
    // The best name first: of `middle_name` and `surname`, the latter is the last name.
    func named(_ names: [String]) -> AttributeShape? {
      names.lazy.compactMap { name in
        possible.first { attribute in
          let words = NameWords.of(attribute.name)
          return words.last == name || (name.count >= 5 && words.joined().hasSuffix(name))
        }
      }.first
    }
    for person in persons {
      if let first = named(person.first), let last = named(person.last), first != last { return [first, last] }
    }
    return []
  }
}
