package import IndexDefinitions
package import PersistentStore
internal import SQLite
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Makes documents of rows. A document is a pure function of definition and row: author, transaction and time of a
/// change never enter it, so that tailed, rebuilt and repaired indexes are comparable.
///
/// Not thread-safe: it keeps buffers from row to row.
package final class DocumentMapper {
  /// How one entity's rows become documents.
  package struct Plan {
    package let entity: EntityLayout
    /// The attributes to read, in the order of the row's columns.
    package let attributes: [Int]
    fileprivate let outputs: [Output]
    fileprivate let entityTerm: [UInt8]
  }

  /// What becomes of one field.
  fileprivate struct Output {
    let name: String
    let column: Int
    let type: AttributeType
    /// Keys inside a JSON value; empty for the whole value.
    let keys: String
    let roles: Set<FieldDefinition.Role>
    let weight: Int
    let letters: String
    let slot: UInt32
    let prefix: [UInt8]
    let flagTerm: [UInt8]
  }

  package let fields: FieldTable
  private let plans: [Int: Plan]
  private var folder = TextFolder()
  private let json: JSONStrings
  private var document = Document()
  private var stored = JSONWriter()

  package init(definition: IndexDefinition, layout: StoreLayout) throws {
    json = try JSONStrings()
    fields = FieldTable(definition: definition, layout: layout)
    var plans: [Int: Plan] = [:]
    for entity in layout.entities {
      guard let own = definition.entities[entity.entity.name] else { continue }
      plans[entity.number] = Self.plan(entity, own, fields)
    }
    self.plans = plans
  }

  /// The plan of an entity; nil where the definition leaves it out.
  package func plan(ofEntity number: Int) -> Plan? { plans[number] }

  private static func plan(_ entity: EntityLayout, _ definition: EntityDefinition, _ table: FieldTable) -> Plan {
    let shapes = entity.entity.attributes.map(AttributeShape.init)
    var attributes: [Int] = []
    var outputs: [Output] = []
    for field in definition.fields {
      guard let (shape, keys) = field.resolve(in: shapes), let index = entity.entity.index(of: shape.name),
        let entry = table[field.name]
      else { continue }
      if !attributes.contains(index) { attributes.append(index) }
      guard let column = attributes.firstIndex(of: index) else { continue }
      outputs.append(
        Output(
          name: field.name, column: column, type: entity.entity.attributes[index].type, keys: keys,
          roles: field.roles, weight: field.weight, letters: entry.letters, slot: entry.slot,
          prefix: DocumentLayout.textPrefix(entry.letters),
          flagTerm: DocumentLayout.flagTerm(entry.name.lowercased())))
    }
    return Plan(
      entity: entity, attributes: attributes, outputs: outputs,
      entityTerm: DocumentLayout.entityTerm(entity.entity.name))
  }

  /// What could not be indexed of a row; nil where everything was.
  package typealias Reason = String

  /// The document of a row, complete with its content digest.
  package func map(_ row: Row, _ plan: Plan) throws -> MappedDocument {
    let name = plan.entity.entity.name
    let identity = DocumentLayout.identity(entity: name, key: row.key)
    document.begin(uniqueTerm: DocumentLayout.uniqueTerm(entity: name, key: row.key))
    document.addTerm(plan.entityTerm)
    var reasons: [String] = []
    stored.removeAll()
    for output in plan.outputs where !row.isNull(output.column) {
      if try !add(row, output) { reasons.append("\(output.name) is no JSON") }
      if output.roles.contains(.stored) { store(row, output) }
    }
    document.setData(Array("\(name)/p\(row.key)".utf8) + storedFields)
    let digest = document.digest
    document.setValue(slot: DocumentLayout.Slot.digest, digest.bytes)
    document.setValue(slot: DocumentLayout.Slot.identity, identity)
    if document.loss.cutWords > 0 { reasons.append("words cut at 64 bytes: \(document.loss.cutWords)") }
    if document.loss.isTruncated { reasons.append("text cut at 16 MiB") }
    return MappedDocument(
      row: RowIdentifier(entity: plan.entity.number, key: row.key), document: document, digest: digest,
      identity: identity,
      reason: reasons.isEmpty ? nil : reasons.joined(separator: "; "))
  }

  // MARK: Fields

  /// Adds one value; false where it is not what its type says.
  private func add(_ row: Row, _ output: Output) throws -> Bool {
    switch output.type {
    case .strings, .json:
      return try json.each(in: row.bytes(output.column)) { path, text in
        guard let keys = relative(path, to: output.keys) else { return }
        addString(text, output)
        if output.roles.contains(.text), !keys.isEmpty,
          let prefix = DocumentLayout.textPrefix(output.letters, keys: keys)
        {
          document.addText(text, prefix: prefix, weight: 0, folder: &folder)
        }
      }
    case .string, .url: addString(row.bytes(output.column), output)
    case .integer16, .integer32, .integer64, .double, .float, .decimal: addNumber(row, output)
    case .date: addDate(row, output)
    case .boolean:
      if output.roles.contains(.flag), row.integer(output.column) != 0 { document.addTerm(output.flagTerm) }
    case .uuid, .data: break
    }
    return true
  }

  /// The keys below `keys`; nil where the path leads elsewhere.
  private func relative(_ path: String, to keys: String) -> String? {
    guard !keys.isEmpty else { return path }
    if path == keys { return "" }
    return path.hasPrefix(keys + ".") ? String(path.dropFirst(keys.count + 1)) : nil
  }

  private func addString(_ text: UnsafeRawBufferPointer, _ output: Output) {
    if output.roles.contains(.text) {
      document.addText(text, prefix: output.prefix, weight: output.weight, folder: &folder)
    }
    if output.roles.contains(.facet) {
      let folded = folder.fold(String(decoding: text.prefix(4096), as: UTF8.self)).lowercased()
      document.addTerm(DocumentLayout.facetTerm(output.letters, folded))
    }
  }

  private func addNumber(_ row: Row, _ output: Output) {
    guard output.roles.contains(.number), isNumber(row, output) else { return }
    let number = row.double(output.column)
    if number.isFinite { document.setNumber(slot: output.slot, number) }
  }

  private func addDate(_ row: Row, _ output: Output) {
    guard output.roles.contains(.date), isNumber(row, output) else { return }
    let seconds = row.double(output.column)
    guard seconds.isFinite else { return }
    document.setNumber(slot: output.slot, seconds)
    if let day = CalendarDay(secondsSince2001: seconds) {
      document.addTerm(DocumentLayout.yearTerm(output.letters, day.year))
      document.addTerm(DocumentLayout.monthTerm(output.letters, day.year, day.month))
    }
  }

  private func isNumber(_ row: Row, _ output: Output) -> Bool {
    let storage = row.storageClass(output.column)
    return storage == .integer || storage == .real
  }

  // MARK: Stored fields

  private func store(_ row: Row, _ output: Output) {
    stored.key(output.name)
    stored.value(row.value(output.column), as: output.type)
  }

  private var storedFields: [UInt8] {
    stored.isEmpty ? [] : Array("\n{".utf8) + stored.bytes + Array("}".utf8)
  }
}

/// A row as a document.
package struct MappedDocument {
  package let row: RowIdentifier
  package let document: Document
  package let digest: ContentDigest
  package let identity: [UInt8]
  /// What was left out, for people; nil where nothing was.
  package let reason: DocumentMapper.Reason?
}

extension AttributeShape {
  package init(_ attribute: AttributeDescription) {
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
    self.init(name: attribute.name, kind: kind, isSpotlight: attribute.isSpotlight)
  }
}

extension ModelDescription {
  /// The model as index definitions see it.
  package var shape: ModelShape {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.attributes.map(AttributeShape.init)) })
  }
}
