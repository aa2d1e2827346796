// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import SearchIndex
internal import Store

/// Reads the values of one field from the store: of a row itself, inside its JSON, or of related rows. The field may be
/// one of the index or any attribute of the store.
final class FieldReader {
  /// A value as it is shown and as it is ordered.
  struct FieldValue {
    let text: String
    /// nil if it is ordered by its text.
    let number: Number?

    /// Whether it is an empty text.
    var isEmpty: Bool { number == nil && text.isEmpty }
  }

  /// A number in the order of values. Integers are compared exactly.
  struct Number: Comparable {
    /// The number, or the nearest one that a `Double` can hold.
    private let nearest: Double
    private let integer: Int64

    init(_ integer: Int64) { (nearest, self.integer) = (Double(integer), integer) }
    init(_ real: Double) { (nearest, integer) = (real, Int64(exactly: real) ?? 0) }

    static func < (one: Number, other: Number) -> Bool {
      (one.nearest, one.integer) < (other.nearest, other.integer)
    }
  }

  /// Where the values of one entity's rows come from.
  private struct Source {
    let entity: EntityLayout
    /// The relationships to follow; nil for the row itself.
    let path: RelationshipPath?
    let attribute: Int
    let type: AttributeType
    let keys: String
    /// Whether a person typed the keys. Then their case is ignored.
    var isTyped = false

    func includes(_ path: String) -> Bool {
      isTyped ? AttributeName.includes(path, below: keys) : JSONStrings.keys(of: path, below: keys) != nil
    }
  }

  let name: String
  private let rows: RowSource
  private let json: JSONStrings
  /// By entity number; empty for the kind and for the store.
  private let sources: [Int: [Source]]
  /// Whether the documents of every entity are made from the same values.
  private let isIndexed: Bool
  /// The value of every row: the name of the store in its group; nil for other fields.
  private let constant: String?

  /// The reader of a field of a view.
  ///
  /// - Parameter readsSlots: Whether the values may come from the slots of documents instead of rows.
  /// - Throws: `OperationError.usage` if the field does not exist, or if the replica does not have its values.
  static func of(_ name: String, in view: SearchView, readsSlots: Bool = false) throws -> FieldReader {
    let known: [String]
    if name.lowercased() == FieldName.storeName { return try FieldReader(storeOf: view) }
    if case .keys(let field, let keys) = FieldName(name, in: view.fields),
      try !view.hasValues(of: field, keys: keys)
    {
      known = try view.keys(of: field)
    } else if let reader = FieldReader(
      name, titles: view.fields.titles(ofRelated: name).map(\.name), rows: view.rows, mapper: try view.mapper)
    {
      if !readsSlots || reader.slot(in: view.fields) == nil { try reader.refuseUnstored(in: view) }
      return reader
    } else {
      known = Set(view.store.layout.entities.flatMap(\.entity.attributes).map(\.name) + view.fields.names + ["kind"])
        .sorted()
    }
    let nearest = NearestNames.of(name, among: known)
    throw OperationError(
      .usage, "no field is named '\(name)'",
      recovery: nearest.isEmpty ? .listFields : .nearestNames(nearest))
  }

  /// - Throws: `OperationError.usage` outside of a group.
  private init(storeOf view: SearchView) throws {
    guard let store = view.group?.store else {
      throw OperationError(.usage, "\(FieldName.storeName) needs a group of stores")
    }
    (name, rows, sources, isIndexed, constant) = (FieldName.storeName, view.rows, [:], false, store)
    json = try view.mapper.json
  }

  /// Refuses a field whose values a replica does not have: it would look empty.
  func refuseUnstored(in view: SearchView) throws {
    guard let stored = rows.stored, !sources.isEmpty else { return }
    let mayBeShown = sources.values.joined().contains { stored.has($0.attribute, of: $0.entity, along: $0.path) }
    if !mayBeShown { throw refusal(in: view) }
  }

  func refusal(in view: SearchView) -> OperationError {
    OperationError(
      .usage, "\(view.index.location.subject) does not store '\(name)'",
      recovery: .storedFields(rows.stored?.names.sorted() ?? []))
  }

  /// Whether all values of a row can be read. A replica may lack them.
  func isReadable(_ row: RowIdentifier) throws -> Bool {
    try (sources[row.entity] ?? []).allSatisfy {
      try rows.has($0.attribute, of: $0.entity, along: $0.path, key: row.key)
    }
  }

  /// nil if no entity has such a field.
  ///
  /// - Parameter titles: The fields of titles of related records that the name means, the nearest first. Entities without a
  ///   field or an attribute of that name have their values.
  init?(_ name: String, titles: [String] = [], rows: RowSource, mapper: DocumentMapper) {
    self.rows = rows
    json = mapper.json
    constant = nil
    var known: String?
    var sources: [Int: [Source]] = [:]
    func add(_ source: Source, _ name: String) {
      sources[source.entity.number, default: []].append(source)
      known = known ?? name
    }
    func addFields(_ name: String, of plan: DocumentPlan) {
      let lowered = name.lowercased()
      for output in plan.outputs where output.name.lowercased() == lowered {
        let attribute = plan.attributes[output.column]
        add(
          Source(entity: plan.entity, path: nil, attribute: attribute, type: output.type, keys: output.keys),
          output.name)
      }
      for related in plan.related {
        for output in related.outputs where output.name.lowercased() == lowered {
          let attribute = related.attributes[output.column]
          add(
            Source(entity: plan.entity, path: related.path, attribute: attribute, type: output.type, keys: output.keys),
            output.name)
        }
      }
    }
    for plan in mapper.plans { addFields(name, of: plan) }
    var isIndexed = true
    for entity in rows.store.layout.entities where sources[entity.number] == nil {
      guard let typed = AttributeName(name, of: entity.entity.attributes),
        let index = entity.entity.index(of: typed.attribute.name)
      else { continue }
      if mapper.plan(ofEntity: entity.number) != nil { isIndexed = false }
      add(
        Source(
          entity: entity, path: nil, attribute: index, type: typed.attribute.type, keys: typed.keys, isTyped: true),
        typed.attribute.name + (typed.keys.isEmpty ? "" : "." + typed.keys))
    }
    var meanings = sources.isEmpty ? 0 : 1
    for title in titles {
      let count = sources.count
      for plan in mapper.plans where sources[plan.entity.number] == nil { addFields(title, of: plan) }
      if sources.count > count { meanings += 1 }
    }
    guard let known = known ?? (name.lowercased() == "kind" ? "kind" : nil) else { return nil }
    self.name = meanings > 1 ? name : known
    self.sources = sources
    self.isIndexed = isIndexed && meanings <= 1 && sources.values.allSatisfy { $0.count == 1 }
  }

  /// The slot that holds the values of all documents; nil if only the rows have them.
  func slot(in fields: FieldTable) -> FieldSlot? {
    if sources.isEmpty { return constant == nil ? .kind : nil }
    guard isIndexed, let field = fields[name], let content = field.slotContent else { return nil }
    switch content {
    case .texts: return FieldSlot(field, .texts)
    case .number:
      // Other types write the same number in another way.
      let types = Set(sources.values.joined().map(\.type))
      guard types.count == 1, let type = types.first else { return nil }
      return FieldSlot(field, .number(type))
    }
  }

  /// Whether a row may have several values.
  var isList: Bool {
    sources.values.joined().contains { $0.type == .strings || $0.type == .json || $0.path?.isToMany == true }
  }

  /// Whether all values are numbers or dates.
  var scale: Facet.Scale {
    let types = Set(sources.values.joined().map(\.type))
    if types.isEmpty { return .text }
    if types == [.date] { return .date }
    return types.isSubset(of: [.integer16, .integer32, .integer64, .double, .float, .decimal]) ? .number : .text
  }

  /// The type of all values; nil if they have several, or none.
  var type: AttributeType? {
    let types = Set(sources.values.joined().map(\.type))
    return types.count == 1 ? types.first : nil
  }

  /// The values of the field of one row, in their order.
  func values(of row: RowIdentifier) throws -> [FieldValue] {
    if let constant { return [FieldValue(text: constant, number: nil)] }
    guard !sources.isEmpty else {
      return rows.store.layout.entity(number: row.entity).map { [FieldValue(text: $0.entity.name, number: nil)] } ?? []
    }
    var found: [FieldValue] = []
    for source in sources[row.entity] ?? [] {
      if let path = source.path {
        var seen: Set<RowIdentifier> = []
        try rows.eachRelated(along: path, from: row.key, attributes: [source.attribute]) { way in
          guard let end = way.end, let object = way.object(path.hops.count - 1), seen.insert(object).inserted else {
            return
          }
          try append(end, source, to: &found)
        }
      } else {
        try rows.withRow(of: source.entity, key: row.key, attributes: [source.attribute]) { live in
          if let live { try append(live, source, to: &found) }
        }
      }
    }
    return found
  }

  private func append(_ row: Row, _ source: Source, to values: inout [FieldValue]) throws {
    guard !row.isNull(0) else { return }
    switch source.type {
    case .strings, .json:
      var found: [FieldValue] = []
      // The documents of a field without keys hold its texts only.
      let hasNumbers = source.isTyped && !source.keys.isEmpty
      _ = try json.eachValue(in: row.bytes(0), withOthers: hasNumbers) { path, bytes, isString in
        guard source.includes(path) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        let number = isString ? nil : Int64(text).map { Number($0) } ?? Double(text).map { Number($0) }
        found.append(FieldValue(text: text, number: number))
      }
      values += found
    case .string, .url: values.append(FieldValue(text: String(decoding: row.bytes(0), as: UTF8.self), number: nil))
    case .uuid, .data:
      values.append(FieldValue(text: ValueText.plain(row.value(0), as: source.type), number: nil))
    case .integer16, .integer32, .integer64, .double, .float, .decimal, .date, .boolean:
      let number: Number? =
        switch row.storageClass(0) {
        case .integer: Number(row.integer(0))
        case .real: Number(row.double(0))
        default: nil
        }
      values.append(FieldValue(text: ValueText.plain(row.value(0), as: source.type), number: number))
    }
  }
}
