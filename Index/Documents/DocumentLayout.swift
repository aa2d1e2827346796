// SPDX-License-Identifier: MIT

package import Base
package import Store

/// The value slots and term prefixes of a document. Prefixes are upper-case and words are lower-case, so that terms of
/// different kinds are never equal.
package enum DocumentLayout {
  /// Changes whenever documents made from the same row and definition change; an index of another format is rebuilt.
  package static let format = "18"

  package enum Slot {
    /// The content digest, 16 bytes.
    static let digest: UInt32 = 0
    /// Entity name, NUL, a byte for the sign and number of the key's bytes without leading zeros or ones, these bytes,
    /// big-endian. It orders hits of equal relevance.
    package static let identity: UInt32 = 1
    /// The key of a row whose table has no integer key: its number does not lead to the row.
    package static let key: UInt32 = 2
    /// The values of fields, one slot for each field that has a `SlotContent`.
    static let firstField: UInt32 = 3
    /// The transaction that deleted a record. Only documents in memory have it.
    package static let deletion = UInt32.max - 1
  }

  package static func uniqueTerm(entity: String, key: Int64) -> [UInt8] { TermPrefix.unique.term("\(entity)/p\(key)") }
  /// The unique term of a document that is identified by the value of an attribute.
  static func uniqueTerm(entity: String, value: String) -> [UInt8] {
    Term.whole(TermPrefix.unique.term("\(entity)="), Array(value.utf8))
  }
  static func keyTerm(entity: String, key: Int64) -> [UInt8] { TermPrefix.key.term("\(entity)/p\(key)") }
  package static func relatedTerm(entity: String, key: Int64) -> [UInt8] {
    TermPrefix.related.term("\(entity)/p\(key)")
  }
  package static func omittedTerm(_ path: RelationshipPath) -> [UInt8] {
    TermPrefix.omitted.term("\(path.start.entity.name).\(path.names.joined(separator: "."))")
  }
  package static func extensionTerm(_ entity: String) -> [UInt8] { TermPrefix.extending.term(entity) }
  package static let overlayTerm = TermPrefix.overlay.bytes
  package static let tombstoneTerm = TermPrefix.tombstone.bytes
  package static func entityTerm(_ entity: String) -> [UInt8] { TermPrefix.entity.term(entity) }
  package static func flagTerm(_ field: String) -> [UInt8] { TermPrefix.flag.term(whole: field) }
  package static func presenceTerm(_ fieldPrefix: String) -> [UInt8] { TermPrefix.presence.term(fieldPrefix) }
  package static func rowOnlyTerm(_ fieldPrefix: String) -> [UInt8] { TermPrefix.rowOnly.term(fieldPrefix) }
  /// Documents whose whole title has these words and no others.
  static func titleTerm(_ folded: String) -> [UInt8] { TermPrefix.title.term(whole: folded) }
  package static func facetTerm(_ fieldPrefix: String, _ folded: String) -> [UInt8] {
    Term.whole(facetPrefix(fieldPrefix), Array(folded.utf8))
  }
  static func facetPrefix(_ fieldPrefix: String) -> [UInt8] { TermPrefix.facet.prefix(ofField: fieldPrefix) }
  /// Whether a prefix is that of the values of a facet.
  package static func isFacet(_ prefix: [UInt8]) -> Bool { TermPrefix(of: prefix) == .facet }
  /// The numbers that are terms of years, and words of queries that may be years.
  package static let years: ClosedRange<Int64> = 1_000...2_100
  package static func yearTerm(_ fieldPrefix: String, _ year: Int) -> [UInt8] {
    TermPrefix.year.prefix(ofField: fieldPrefix) + Array("\(year)".utf8)
  }
  package static func monthTerm(_ fieldPrefix: String, _ year: Int, _ month: Int) -> [UInt8] {
    TermPrefix.month.prefix(ofField: fieldPrefix) + Array("\(year)-\(month)".utf8)
  }

  /// The prefix of a field's words: one letter for most fields, because the index repeats it for every word and position.
  static func textPrefix(_ fieldPrefix: String) -> [UInt8] {
    let letters = Array(fieldPrefix.utf8)
    return letters.count == 1 && !reserved.contains(letters[0]) ? letters : TermPrefix.text.bytes + letters
  }
  /// The first letters of stems, of unique terms and of all other prefixes.
  private static let reserved = Array("ZQX".utf8)

  /// The prefix of the words under some keys of a JSON field; nil if it is too long to leave space for words.
  package static func textPrefix(_ fieldPrefix: String, keys: String) -> [UInt8]? {
    let prefix = startOfTextPrefix(fieldPrefix, keys: keys) + [UInt8(ascii: ":")]
    return prefix.count <= 120 ? prefix : nil
  }

  /// What the prefixes of words begin with that are under further keys below some keys of a JSON field.
  package static func textPrefix(_ fieldPrefix: String, belowKeys keys: String) -> [UInt8] {
    startOfTextPrefix(fieldPrefix, keys: keys) + [UInt8(ascii: ".")]
  }

  /// The terms of what is not text under some keys of a JSON field, and of the dates among its texts.
  package struct JSONTerms {
    /// What all these terms begin with.
    private let start: [UInt8]
    /// The bytes after the keys: of a number, its interval, a date, a truth value, the interval of a date.
    private static let marks = Array(":;<=>".utf8)

    /// - Parameter keys: Empty for the whole value.
    package init(_ fieldPrefix: String, keys: String) {
      start =
        Self.start(fieldPrefix)
        + keys.lowercased().utf8.filter { $0 > 0x20 }.map { byte in
          // A mark inside a key would end it. Bytes below a blank are free.
          Self.marks.firstIndex(of: byte).map { UInt8($0 + 1) } ?? byte
        }
    }

    package var numbers: NumberTerms { NumberTerms(number: prefix(0), interval: prefix(1)) }
    package var dates: NumberTerms { NumberTerms(number: prefix(2), interval: prefix(4)) }
    private func prefix(_ mark: Int) -> [UInt8] { start + [Self.marks[mark]] }

    /// The prefixes of the terms that no text has: of numbers and of truth values.
    package var prefixesWithoutText: [[UInt8]] { [prefix(0), prefix(3)] }

    /// What terms begin with that are under further keys.
    package var startBelow: [UInt8] { start + [UInt8(ascii: ".")] }

    package func truth(_ value: Bool) -> [UInt8] { prefix(3) + Array((value ? "true" : "false").utf8) }

    /// What all such terms of a field begin with.
    package static func start(_ fieldPrefix: String) -> [UInt8] { TermPrefix.json.term("\(fieldPrefix).") }

    /// The bytes of the keys in a term behind `start(_:)`.
    package static func keys(in rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
      rest.firstIndex(where: marks.contains).map { rest[..<$0] }
    }

    /// The keys that such bytes name.
    package static func name(of keys: ArraySlice<UInt8>) -> String {
      String(decoding: keys.map { (1...marks.count).contains(Int($0)) ? marks[Int($0) - 1] : $0 }, as: UTF8.self)
    }

    /// The byte after all marks.
    package static var afterMarks: UInt8 { UInt8(ascii: "?") }
  }

  private static func startOfTextPrefix(_ fieldPrefix: String, keys: String) -> [UInt8] {
    textPrefix(fieldPrefix) + [UInt8(ascii: ".")] + keys.lowercased().utf8.filter { $0 > 0x20 }
  }

  /// The parts of a word's term.
  package struct WordTerm {
    package let isStem: Bool
    package let fieldPrefix: String
    /// The keys of a JSON field that contain the word.
    package let keys: String?
    package let text: ArraySlice<UInt8>
  }

  /// nil for terms that are not words: their prefixes are other capital letters.
  package static func word(_ term: [UInt8]) -> WordTerm? {
    func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    let isStem = term.first == UInt8(ascii: "Z")
    var rest = isStem ? term.dropFirst() : term[...]
    let capitals = rest.prefix(while: isCapital)
    var letters = capitals
    if capitals.starts(with: TermPrefix.text.bytes) {
      letters = capitals.dropFirst(2)
    } else if let first = capitals.first, capitals.count > 1 || reserved.contains(first) {
      return nil
    }
    rest = rest.dropFirst(capitals.count)
    var keys: String?
    if !letters.isEmpty, rest.first == UInt8(ascii: "."), let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      keys = String(decoding: rest[..<colon].dropFirst(), as: UTF8.self)
      rest = rest[(colon + 1)...]
    }
    rest = JoinedWords.word(rest)
    guard !rest.isEmpty else { return nil }
    return WordTerm(
      isStem: isStem, fieldPrefix: String(decoding: letters, as: UTF8.self), keys: keys, text: rest)
  }

  package static func identity(entity: String, key: Int64) -> [UInt8] {
    let count = 8 - (key < 0 ? ~key : key).leadingZeroBitCount / 8
    return Array(entity.utf8) + [0, UInt8(key < 0 ? firstCount - 1 - count : firstCount + count)]
      + (0..<count).map { UInt8(truncatingIfNeeded: key >> ((count - 1 - $0) * 8)) }
  }

  /// What stands for the number of bytes of the key 0. Keys below zero have lower ones, so that they come first.
  private static let firstCount = 16

  package static func parseIdentity(_ value: [UInt8]) -> (entity: String, key: Int64)? {
    guard let end = value.firstIndex(of: 0), end > 0 else { return nil }
    let number = value.dropFirst(end + 2)
    guard end + 1 < value.count, number.count <= 8 else { return nil }
    let count = Int(value[end + 1]) - firstCount
    guard number.count == (count < 0 ? -1 - count : count) else { return nil }
    return (String(decoding: value[..<end], as: UTF8.self), number.reduce(count < 0 ? -1 : 0) { $0 << 8 | Int64($1) })
  }

  /// What one document adds to the checksum.
  static func checksumPart(identity: [UInt8], digest: ContentDigest) -> UInt128 {
    ContentDigest(of: identity + digest.bytes).value
  }
}

extension IndexDefinition {
  /// The term that leads to the document of a row.
  package func lookupTerm(entity: String, key: Int64) -> [UInt8] {
    entities[entity]?.identify == nil
      ? DocumentLayout.uniqueTerm(entity: entity, key: key) : DocumentLayout.keyTerm(entity: entity, key: key)
  }
}

extension IndexDefinition {
  /// Whether a field holds titles of the records to which its path leads. All texts are titles of what is not indexed.
  fileprivate func isTitle(_ field: FieldDefinition, _ attribute: AttributeShape, of entity: String) -> Bool {
    guard !field.roles.isDisjoint(with: [.text, .facet]) else { return false }
    return field.holds == .context || entities[entity].map { $0.title.contains(attribute.name) } ?? true
  }
}

/// The fields of a definition by their names in queries, each with its prefix and its value slot. Fields of several
/// entities with the same name share them, so that one query searches all of them.
package struct FieldTable: Sendable {
  package struct Field: Sendable {
    package let name: String
    package let fieldPrefix: String
    package let slot: UInt32
    /// What the slot holds; nil if it is empty.
    package let slotContent: SlotContent?
    package let roles: Set<FieldDefinition.Role>
    /// The kinds in which it has each role.
    package let kinds: [FieldDefinition.Role: Set<String>]
    /// The languages of its stemmers; nil for that of the definition.
    package let languages: Set<String?>
    /// Whether it has numbers that are years in some entity.
    package let hasYears: Bool
    /// Whether it has JSON values in some entity, so that keys may follow its name.
    package let hasKeys: Bool
    /// Whether it has only titles of what records belong to.
    package let isContext: Bool
    /// The unit of its numbers.
    package let unit: FieldUnit?
    /// The prefix of its words.
    package var textPrefix: [UInt8] { DocumentLayout.textPrefix(fieldPrefix) }
  }

  private let byName: [String: Field]
  /// The names of fields by the attributes behind them, where those are written in quotation marks.
  private let byAttribute: [String: String]
  /// The fields of titles of related records, by the names of the relationships and of what they lead to. The nearest
  /// records come first.
  private let byRelation: [String: [Field]]
  /// The same by the singular of each name.
  private let bySingular: [String: [Field]]
  package var names: [String] { byName.values.map(\.name).sorted() }

  /// The names that may stand in a condition: those of fields and of relations.
  package var typedNames: [String] { (names + byRelation.keys.filter { byName[$0] == nil }).sorted() }

  /// The fields whose words are searched.
  package var textFields: [Field] { byName.values.filter { $0.roles.contains(.text) }.sorted { $0.slot < $1.slot } }

  /// The number of value slots of documents.
  var slots: UInt32 { DocumentLayout.Slot.firstField + UInt32(byName.count) }

  /// What words are stemmed by that are searched in all fields.
  package var languages: Set<String?> {
    byName.values.filter { $0.roles.contains(.text) }.reduce(into: [nil]) { $0.formUnion($1.languages) }
  }

  /// The field of that name, or of an attribute such as `First Name`, or of the titles of related records, without
  /// regard to case.
  package subscript(name: String) -> Field? {
    let lowered = name.lowercased()
    return byName[lowered] ?? byAttribute[lowered].flatMap { byName[$0] } ?? titles(ofRelated: name).first
  }

  /// The JSON fields whose keys the name may continue, by the names of the fields and of the attributes behind them.
  package var keyedNames: [(name: String, field: Field)] {
    let all = names.map { ($0, $0.lowercased()) } + byAttribute.sorted { $0.key < $1.key }
    return all.compactMap { name, own in byName[own].flatMap { $0.hasKeys ? (name, $0) : nil } }
  }

  /// Whether a field has that name itself.
  package func hasField(_ name: String) -> Bool { byName[name.lowercased()] != nil }

  /// The fields that hold titles of related records, such as `tag.name` and `book.tag.name` for `tag`.
  ///
  /// - Parameter name: In the singular or the plural.
  package func titles(ofRelated name: String) -> [Field] {
    let lowered = name.lowercased()
    return byRelation[lowered] ?? bySingular[NameWords.singular(lowered)] ?? []
  }

  /// The names that lead to titles of related records, in lower case, each with its fields.
  package var relations: [(name: String, fields: [String])] {
    byRelation.sorted { $0.key < $1.key }.map { ($0.key, $0.value.map(\.name)) }
  }

  /// - Parameter earlier: The definition by which the index was built, where `definition` has more: its fields keep
  ///   their prefixes and slots, and the others come after them.
  package init(definition: IndexDefinition, extending earlier: IndexDefinition? = nil, model: ModelShape) {
    let known = Set((earlier ?? definition).entities.values.flatMap(\.fields).map { $0.name.lowercased() })
    var collected: [String: [(field: FieldDefinition, hasKeys: Bool, isTitle: Bool)]] = [:]
    var kinds: [String: [FieldDefinition.Role: Set<String>]] = [:]
    var related: [String: [String: Int]] = [:]
    for (entityName, entity) in definition.entities.sorted(by: { $0.key < $1.key }) {
      for field in entity.fields {
        let target = try? field.target(from: entityName, in: model)
        let hasKeys = target.map { $0.attribute.kind == .json && $0.keys.isEmpty } ?? false
        collected[field.name.lowercased(), default: []].append((field, hasKeys, entity.title.contains(field.name)))
        for role in field.roles { kinds[field.name.lowercased(), default: [:]][role, default: []].insert(entityName) }
        guard let target, let last = target.hops.last,
          definition.isTitle(field, target.attribute, of: last.destination)
        else { continue }
        let owner = target.hops.dropLast().last?.destination ?? entityName
        for name in Self.names(of: last, in: model[owner]) where name != field.name.lowercased() {
          related[name, default: [:]][field.name.lowercased()] = target.hops.count
        }
      }
    }
    var fields: [String: Field] = [:]
    func order(_ name: String) -> (Int, String) { (known.contains(name) ? 0 : 1, name) }
    for (index, (name, found)) in collected.sorted(by: { order($0.key) < order($1.key) }).enumerated() {
      let kinds = kinds[name] ?? [:]
      fields[name] = Field(
        name: found[0].field.name, fieldPrefix: Self.fieldPrefix(index),
        slot: DocumentLayout.Slot.firstField + UInt32(index),
        slotContent: SlotContent(of: found.map(\.field), isTitle: found.contains(where: \.isTitle)),
        roles: Set(kinds.keys), kinds: kinds,
        languages: Set(found.flatMap { Self.languages(of: $0.field, in: definition) }),
        hasYears: found.contains(where: \.field.indexesYears), hasKeys: found.contains(where: \.hasKeys),
        isContext: found.allSatisfy { $0.field.holds == .context }, unit: found.lazy.compactMap(\.field.unit).first)
    }
    byName = fields
    func nearestFirst(_ paths: [String: Int]) -> [Field] {
      paths.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.compactMap { fields[$0.key] }
    }
    byRelation = related.mapValues(nearestFirst)
    let singular = related.map { (NameWords.singular($0), $1) }
    bySingular = Dictionary(singular) { $0.merging($1, uniquingKeysWith: min) }.mapValues(nearestFirst)
    byAttribute = Dictionary(
      collected.flatMap { name, found in found.map { ($0.field.path.lowercased(), name) } }
        .filter { path, _ in !TypedName.isBare(path) }.sorted { $0 < $1 },
      uniquingKeysWith: { first, _ in first })
  }

  /// The names by which a query may call what a relationship leads to, in lower case: its own; that of the column behind
  /// it, which has no number; and that of the entity.
  private static func names(of relationship: RelationshipShape, in owner: EntityShape?) -> [String] {
    var names = [relationship.name.lowercased(), relationship.destination.lowercased()]
    let unnumbered = String(names[0].reversed().drop { $0.isNumber }.reversed())
    if unnumbered != names[0], owner?.attributes.contains(where: { $0.name.lowercased() == unnumbered }) == true {
      names.append(unnumbered)
    }
    return names
  }

  private static func languages(of field: FieldDefinition, in definition: IndexDefinition) -> [String?] {
    field.languages.isEmpty ? [nil] : field.languages.map { $0 == definition.language ? nil : $0 }
  }

  /// A, B, … Z, AA, AB, …
  private static func fieldPrefix(_ index: Int) -> String {
    var rest = index
    var text = ""
    repeat {
      text = String(Unicode.Scalar(UInt8(ascii: "A") + UInt8(rest % 26))) + text
      rest = rest / 26 - 1
    } while rest >= 0
    return text
  }
}
