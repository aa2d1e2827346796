// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
package import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Makes documents from rows. A document is a pure function of definition, row and related rows. It does not depend on
/// author, transaction and time of a change, so that updated, rebuilt and repaired indexes are equal.
///
/// Not thread-safe, because it reuses buffers.
package final class DocumentMapper {
  let fields: FieldTable
  package let definition: IndexDefinition
  private let plansByEntity: [Int: DocumentPlan]
  private var folder = TextFolder()
  package let json: JSONStrings
  private var document: Document
  private var stored = JSONWriter()
  /// The fields that have a value, in order. Several outputs of one field have the same slot.
  private var present: [DocumentPlan.Output] = []
  /// The texts of slots, in the order of their first text.
  private var texts: [(slot: UInt32, bytes: [UInt8])] = []
  /// The fields whose slots do not hold every value.
  private var rowOnly: [DocumentPlan.Output] = []
  /// Whether a JSON value has more numbers than are indexed.
  private var hasMoreNumbers = false

  /// - Parameter fields: Of an index whose definition was extended; nil for those that the definition gives by itself.
  package init(definition: IndexDefinition, layout: StoreLayout, fields known: FieldTable? = nil) throws {
    json = try JSONStrings()
    self.definition = definition
    document = Document(counter: WordCounter(stopWords: definition.stopWords))
    let model = layout.shape
    fields = known ?? FieldTable(definition: definition, model: model)
    let parts = definition.parts(in: model)
    var plans: [Int: DocumentPlan] = [:]
    for entity in layout.entities {
      guard let own = definition.entities[entity.entity.name] else { continue }
      plans[entity.number] = DocumentPlan(
        entity, own, fields, model: model, layout: layout, isPart: parts.contains(entity.entity.name))
    }
    plansByEntity = plans
  }

  /// The plan of an entity; nil if the definition does not index it.
  package func plan(ofEntity number: Int) -> DocumentPlan? { plansByEntity[number] }

  package var plans: [DocumentPlan] { plansByEntity.sorted { $0.key < $1.key }.map(\.value) }

  /// What was not indexed of a row; nil if everything was.
  typealias Reason = String

  /// The document of a row, complete with its content digest.
  ///
  /// - Parameter store: The store of related objects, in the same snapshot; nil for the preserved values of a deleted
  ///   record, which has no related objects and is identified by its key.
  package func map(_ row: Row, _ plan: DocumentPlan, from store: PersistentStore?) throws -> MappedDocument {
    let name = plan.entity.entity.name
    let identity = DocumentLayout.identity(entity: name, key: row.key)
    begin(row, plan, isDeleted: store == nil)
    for term in plan.entityTerms { document.addTerm(term) }
    var reasons: [String] = []
    stored.removeAll()
    present.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    rowOnly.removeAll(keepingCapacity: true)
    hasMoreNumbers = false
    for output in plan.outputs where !row.isNull(output.column) {
      if try !add(row, output) { reasons.append("\(output.name) is not JSON") }
      if output.roles.contains(.stored) {
        stored.key(output.name)
        stored.value(row.value(output.column), as: output.type)
      }
    }
    addTitle(row, plan)
    if let store { for related in plan.related { try add(related, of: row.key, from: store, &reasons) } }
    document.weigh(plan.lengths)
    for field in present where field.slotContent == nil || isRowOnly(field.slot) {
      document.addTerm(field.presenceTerm)
    }
    for field in rowOnly { document.addTerm(DocumentLayout.rowOnlyTerm(field.fieldPrefix)) }
    for text in texts where !isRowOnly(text.slot) { document.setValue(slot: text.slot, text.bytes) }
    if !stored.isEmpty { document.setData([UInt8(ascii: "{")] + stored.bytes + [UInt8(ascii: "}")]) }
    let digest = document.digest
    document.setValue(slot: DocumentLayout.Slot.digest, digest.bytes)
    document.setValue(slot: DocumentLayout.Slot.identity, identity)
    if let key = try store?.keyBytes(of: plan.entity, key: row.key) {
      document.setValue(slot: DocumentLayout.Slot.key, key)
    }
    if document.loss.truncatedWords > 0 {
      reasons.append("words truncated to 64 bytes: \(document.loss.truncatedWords)")
    }
    if hasMoreNumbers {
      reasons.append("of the numbers in a JSON value, the first \(Self.mostJSONNumbers) are indexed")
    }
    if document.loss.isTruncated { reasons.append("text truncated to 16 MiB") }
    return MappedDocument(
      row: RowIdentifier(entity: plan.entity.number, key: row.key), document: document, digest: digest,
      identity: identity, isIdentifiedByValue: plan.identity != nil,
      reason: reasons.isEmpty ? nil : reasons.joined(separator: "; "))
  }

  /// Identifies the document by the row's key, or by a value. Several deleted records may have had the same value.
  private func begin(_ row: Row, _ plan: DocumentPlan, isDeleted: Bool) {
    let name = plan.entity.entity.name
    guard let identity = plan.identity else {
      return document.begin(uniqueTerm: DocumentLayout.uniqueTerm(entity: name, key: row.key))
    }
    let type = plan.entity.entity.attributes[identity.attribute].type
    let value = isDeleted ? .null : row.value(identity.column)
    document.begin(uniqueTerm: Self.uniqueTerm(of: name, key: row.key, value: value, as: type))
    document.addTerm(DocumentLayout.keyTerm(entity: name, key: row.key))
    // The digest sees what is added: a document whose name changed is another one.
    document.addTerm(document.uniqueTerm)
  }

  /// The unique term that a value gives; without a value, the one that the key gives.
  static func uniqueTerm(of entity: String, key: Int64, value: Value, as type: AttributeType) -> [UInt8] {
    value.isNull
      ? DocumentLayout.uniqueTerm(entity: entity, key: key)
      : DocumentLayout.uniqueTerm(entity: entity, value: ValueText.plain(value, as: type))
  }

  /// Adds related objects: a term for every object on the path, and the values of the objects at its end.
  private func add(
    _ related: DocumentPlan.Related, of key: Int64, from store: PersistentStore, _ reasons: inout [String]
  ) throws {
    if related.isBounded {
      guard try !hasTooMany(related, of: key, from: store) else {
        return document.addTerm(DocumentLayout.omittedTerm(related.path))
      }
    }
    var named: Set<RowIdentifier> = []
    var added: Set<RowIdentifier> = []
    var kept = [[Value]](repeating: [], count: related.outputs.count)
    let last = related.path.hops.count - 1
    try store.eachRelated(along: related.path, from: key, attributes: related.attributes) { way in
      for hop in 0...last {
        guard let object = way.object(hop) else { break }
        if named.insert(object).inserted, let entity = store.layout.entity(number: object.entity) {
          document.addTerm(DocumentLayout.relatedTerm(entity: entity.entity.name, key: object.key))
        }
        // The text of an object that is reached twice is added once.
        guard hop == last, added.insert(object).inserted, let end = way.end else { continue }
        if let term = related.extensionTerm { document.addTerm(term) }
        for (index, output) in related.outputs.enumerated() where !end.isNull(output.column) {
          if related.isPart { addTitle(Self.titleText(end, output)) }
          if try !add(end, output) { reasons.append("\(output.name) is not JSON") }
          if output.roles.contains(.stored) { kept[index].append(end.value(output.column)) }
        }
      }
    }
    for (output, values) in zip(related.outputs, kept) where !values.isEmpty {
      stored.key(output.name)
      if related.path.isToMany {
        stored.array { json in for value in values { json.value(value, as: output.type) } }
      } else {
        stored.value(values[0], as: output.type)
      }
    }
  }

  /// Maximum number of titles of related objects in one document, and of their bytes. A record that is related to more
  /// would answer every query.
  private static let mostContext = 1_000
  private static let mostContextBytes = 32 << 10
  /// Says that a record is related to more. A clause without a full stop.
  package static var tooManyTexts: String {
    "it is related to more than \(NumberText.grouped(mostContext)) records, or to more than \(mostContextBytes >> 10) kB of text"
  }

  private func hasTooMany(
    _ related: DocumentPlan.Related, of key: Int64, from store: PersistentStore
  ) throws -> Bool {
    var (count, bytes) = (0, 0)
    try store.eachRelated(along: related.path, from: key, attributes: related.attributes, limit: Self.mostContext + 1) {
      count += 1
      guard let end = $0.end else { return }
      for output in related.outputs { bytes += end.bytes(output.column).count }
    }
    return count > Self.mostContext || bytes > Self.mostContextBytes
  }

  private func addTitle(_ text: String) {
    if let term = TitleText.term(of: text, &folder) { document.addTerm(term) }
  }

  /// Adds the whole title as one term.
  private func addTitle(_ row: Row, _ plan: DocumentPlan) {
    let parts = plan.titles.filter { [.string, .url].contains($0.type) && !row.isNull($0.column) }
    guard !parts.isEmpty else { return }
    addTitle(parts.map { Self.titleText(row, $0) }.joined(separator: " "))
  }

  /// A title, or a part of it, as far as it counts.
  private static func titleText(_ row: Row, _ output: DocumentPlan.Output) -> String {
    String(decoding: row.bytes(output.column).prefix(4096), as: UTF8.self)
  }

  // MARK: Fields

  /// Adds one value. Returns false if it does not fit its type.
  private func add(_ row: Row, _ output: DocumentPlan.Output) throws -> Bool {
    document.setLanguage(output.language)
    switch output.type {
    case .strings, .json:
      var left = Self.mostJSONNumbers
      return try json.eachValue(in: row.bytes(output.column), withOthers: output.hasKeys) { path, text, isString in
        guard let keys = JSONStrings.keys(of: path, below: output.keys) else { return }
        if output.hasKeys { addTyped(text, isString: isString, keys, output, &left) }
        guard isString else { return }
        addString(text, output)
        if output.roles.contains(.text), !keys.isEmpty,
          let prefix = DocumentLayout.textPrefix(output.fieldPrefix, keys: keys)
        {
          document.addText(text, prefix: prefix, field: output.number, isCounted: false, isItem: false, folder: &folder)
        }
      }
    case .string, .url: addString(row.bytes(output.column), output)
    case .integer16, .integer32, .integer64, .double, .float, .decimal: addNumber(row, output)
    case .date: addDate(row, output)
    case .boolean: addFlag(row, output)
    case .uuid, .data:
      note(output)
      if output.slotContent != nil { noteRowOnly(output) }
    }
    return true
  }

  private func note(_ output: DocumentPlan.Output) {
    if !present.contains(where: { $0.slot == output.slot }) { present.append(output) }
  }

  private func noteRowOnly(_ output: DocumentPlan.Output) {
    if !isRowOnly(output.slot) { rowOnly.append(output) }
  }

  private func isRowOnly(_ slot: UInt32) -> Bool { rowOnly.contains { $0.slot == slot } }

  /// Adds a text to the slot of its field.
  private func keep(_ text: UnsafeRawBufferPointer, _ output: DocumentPlan.Output) {
    guard let content = output.slotContent else { return }
    guard content == .texts else { return noteRowOnly(output) }
    let known = texts.firstIndex { $0.slot == output.slot }
    if known == nil { texts.append((output.slot, [])) }
    if !SlotContent.append(text, to: &texts[known ?? texts.count - 1].bytes) { noteRowOnly(output) }
  }

  private func addString(_ text: UnsafeRawBufferPointer, _ output: DocumentPlan.Output) {
    guard !text.isEmpty else { return }
    note(output)
    keep(text, output)
    // Each text of a list is a title; other titles may have several parts.
    if output.isTitle, output.type.isJSON { addTitle(String(decoding: text.prefix(4096), as: UTF8.self)) }
    if output.roles.contains(.text) {
      if let chooser = output.languageOfValue { document.setLanguage(chooser.language(of: text)) }
      document.addText(
        text, prefix: output.prefix, field: output.number, isCounted: true, isItem: output.indexesWholeValues,
        folder: &folder)
    }
    if output.indexesWholeValues {
      let folded = folder.sortKey(of: UnsafeRawBufferPointer(rebasing: text.prefix(4096)))
      document.addTerm(Term.whole(output.facetPrefix, folded))
    }
  }

  /// Adds a number or a truth value inside JSON, or a text that is a date.
  ///
  /// - Parameter left: How many more of them the value may have.
  private func addTyped(
    _ text: UnsafeRawBufferPointer, isString: Bool, _ keys: String, _ output: DocumentPlan.Output, _ left: inout Int
  ) {
    // Most texts are not dates, which begin with a digit.
    guard let first = text.first, !isString || ((0x30...0x39).contains(first) && text.count < 40) else { return }
    let terms = DocumentLayout.JSONTerms(output.fieldPrefix, keys: keys)
    let value = String(decoding: text, as: UTF8.self)
    let added: [[UInt8]]
    if isString {
      guard let date = DateText.parse(value) else { return }
      added = terms.dates.terms(of: SortableNumber(date))
    } else if let truth = Bool(value) {
      added = [terms.truth(truth)]
    } else if let number = Int64(value).map({ SortableNumber($0) })
      ?? Double(value).map({ SortableNumber($0) })
    {
      added = terms.numbers.terms(of: number)
    } else {
      return
    }
    left -= 1
    guard left >= 0 else {
      hasMoreNumbers = true
      return
    }
    for term in added where term.count <= Self.longestJSONTerm { document.addTerm(term) }
  }

  /// Maximum number of numbers, dates and truth values that are indexed of one JSON value. Vectors have many that nobody
  /// searches.
  private static let mostJSONNumbers = 1_000
  /// Maximum length of a term in bytes: Xapian stores 245, in which a zero byte counts twice.
  private static let longestJSONTerm = 200

  private func addNumber(_ row: Row, _ output: DocumentPlan.Output) {
    let number = output.roles.contains(.number) ? number(row, output) : nil
    keep(number, row, output)
    guard number != nil else { return }
    note(output)
    if output.indexesYears, let year = Int64(exactly: row.double(output.column)), DocumentLayout.years.contains(year) {
      document.addTerm(DocumentLayout.yearTerm(output.fieldPrefix, Int(year)))
    }
  }

  private func addDate(_ row: Row, _ output: DocumentPlan.Output) {
    let number = output.roles.contains(.date) ? number(row, output) : nil
    keep(number, row, output)
    guard number != nil else { return }
    note(output)
    if let day = CalendarDay(secondsSince2001: row.double(output.column)) {
      document.addTerm(DocumentLayout.yearTerm(output.fieldPrefix, day.year))
      document.addTerm(DocumentLayout.monthTerm(output.fieldPrefix, day.year, day.month))
    }
  }

  private func addFlag(_ row: Row, _ output: DocumentPlan.Output) {
    note(output)
    let isFlag = output.roles.contains(.flag)
    keep(isFlag ? number(row, output) : nil, row, output)
    if isFlag, row.integer(output.column) != 0 { document.addTerm(output.flagTerm) }
  }

  /// Sets the slot of a field to a number; nil if the value is not one of those that the field indexes.
  private func keep(_ number: SortableNumber?, _ row: Row, _ output: DocumentPlan.Output) {
    if let number { document.setNumber(slot: output.slot, number) }
    guard output.slotContent != nil else { return }
    // The slot does not say whether a number was stored as an integer. Only these have the same text in both forms.
    let isInteger = row.storageClass(output.column) == .integer
    let isSame = isInteger || (output.type != .boolean && abs(row.double(output.column)) < 1e15)
    if number == nil || output.slotContent != .number || !isSame { noteRowOnly(output) }
  }

  /// The number in the column; nil if it is something else. SQLite stores infinity, and NULL for what is not a number.
  private func number(_ row: Row, _ output: DocumentPlan.Output) -> SortableNumber? {
    switch row.storageClass(output.column) {
    case .integer: SortableNumber(row.integer(output.column))
    case .real: SortableNumber(row.double(output.column))
    default: nil
    }
  }

}

/// The document of a row.
package struct MappedDocument {
  let row: RowIdentifier
  package let document: Document
  let digest: ContentDigest
  let identity: [UInt8]
  /// Whether the unique term comes from a value of the row, not from its key.
  let isIdentifiedByValue: Bool
  /// A message about what was not indexed; nil if everything was.
  let reason: DocumentMapper.Reason?

  /// `Entity/p12`.
  var name: String {
    DocumentLayout.parseIdentity(identity).map { "\($0.entity)/p\($0.key)" } ?? ""
  }
}

extension AttributeShape {
  init(_ attribute: AttributeDescription) {
    let kind: Kind =
      switch attribute.type {
      case .string, .url: .text
      case .strings: .strings
      case .json: .json
      case .integer16, .integer32, .integer64, .double, .float, .decimal: .number
      case .date: .date
      case .boolean: .boolean
      case .uuid, .data: .other
      }
    self.init(
      name: attribute.name, kind: kind, isSpotlight: attribute.isSpotlight,
      identifies: attribute.isUnique && attribute.isPreservedOnDeletion, originalName: attribute.originalName)
  }
}

extension IndexDefinition {
  /// The entities whose rows are parts of others.
  fileprivate func parts(in model: ModelShape) -> Set<String> {
    Set(
      entities.flatMap { name, entity in
        entity.fields.filter { $0.holds == .parts }.flatMap { field in
          ((try? field.target(from: name, in: model))?.hops ?? []).map(\.destination)
        }
      })
  }
}

extension StoreLayout {
  /// The model as index definitions see it.
  package var shape: ModelShape {
    Dictionary(
      uniqueKeysWithValues: entities.map { entity in
        let relationships = entity.entity.relationships.map {
          RelationshipShape(
            name: $0.name, destination: $0.destination, isToMany: $0.isToMany, originalName: $0.originalName,
            isForeignKey: $0.isForeignKey, isUnique: $0.isUnique, isPrimaryKey: $0.isPrimaryKey, choice: $0.choice,
            inverse: $0.inverse)
        }
        let attributes = entity.entity.attributes.map(AttributeShape.init)
        let shape = EntityShape(
          attributes: attributes, relationships: relationships, originalName: entity.entity.originalName,
          keyAttributes: entity.entity.keyAttributes, referenceAttributes: entity.entity.referenceAttributes)
        return (entity.entity.name, shape)
      })
  }
}
