// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Compares the classes of a schema with a store that other software made: whether each finds its entity there, and each
/// property an attribute or a relationship that can be read as it is declared. The store may hold more.
struct SchemaComparison {
  /// A sentence without a full stop for each, beginning with the class or property.
  private(set) var differences: [String] = []
  private let types: [ModelType]
  private let layout: StoreLayout

  init(_ types: [ModelType], _ layout: StoreLayout) {
    self.types = types
    self.layout = layout
    for type in types {
      guard let entity = layout.entity(named: type.name) else {
        differences.append("\(type.name): the store has no entity of this name")
        continue
      }
      compareLineage(of: type, entity)
      for property in ownProperties(of: type) {
        property.kind == .attribute
          ? compare(property, type, entity.entity) : compareRelationship(property, type, entity)
      }
    }
    if types.contains(where: { layout.entity(named: $0.name) == nil }) {
      let names = layout.entities.map(\.entity.name).sorted()
      let more = names.count > 20 ? " and \(names.count - 20) more" : ""
      differences.append("the entities of the store are " + names.prefix(20).joined(separator: ", ") + more)
    }
  }

  private func ownProperties(of type: ModelType) -> [PropertyType] {
    type.properties[(type.superclass?.properties.count ?? 0)...].filter(\.isStored)
  }

  /// Classes are below one another as their entities are: an object of the lower one is an object of the upper one.
  private mutating func compareLineage(of type: ModelType, _ entity: EntityLayout) {
    if let above = type.superclass, let parent = layout.entity(named: above.name), !parent.includes(entity) {
      differences.append(
        "\(type.name): the class is a subclass of \(above.name), and the store's entity is not below \(above.name)")
    }
    for other in types where other !== type && !other.includes(type) {
      guard let above = layout.entity(named: other.name), above.includes(entity) else { continue }
      differences.append(
        "\(type.name): the store's entity is below \(other.name), and the class is not a subclass of \(other.name)")
    }
  }

  // MARK: Attributes

  private mutating func compare(_ property: PropertyType, _ type: ModelType, _ entity: EntityDescription) {
    guard let coder = property.coder else { return }
    let name = "\(type.name).\(property.name)"
    let sources = ColumnSource.sources(of: property, in: entity)
    guard sources.contains(where: { $0 != nil }) else {
      return differences.append("\(name): \(Self.missing(property, entity))")
    }
    // Fewer than columns: a structure in one coded value, of which the type is known to fit.
    guard sources.count == coder.columns.count else { return }
    for (position, (column, source)) in zip(coder.columns, sources).enumerated() {
      let part = coder.columns.count == 1 ? name : "\(name).\(column.name)"
      switch source {
      case nil: differences.append("\(part): the store's attribute has no such element")
      case .members?: continue
      case .column(let index)?, .coded(let index)?:
        let found = entity.attributes[index].type
        guard !column.type.isReadable(from: found) else { continue }
        let declared = coder.columns.count == 1 ? property.valueType : coder.elementTypes[position]
        differences.append(
          "\(part): the class declares \(Self.words(declared)), and the store holds \(found.words)")
      }
    }
  }

  private static func missing(_ property: PropertyType, _ entity: EntityDescription) -> String {
    if property.storedNames.contains(where: { entity.relationship(named: $0) != nil }) {
      return "the class declares an attribute, and the store has a relationship of this name"
    }
    if entity.composites.contains(where: { property.storedNames.contains($0.name) }) {
      return "the class declares \(words(property.valueType)), and the store holds a composite of other elements"
    }
    if let index = property.storedNames.lazy.compactMap(entity.index).first {
      let found = entity.attributes[index].type.words
      return "the class declares \(words(property.valueType)), and the store holds \(found)"
    }
    return "the store's entity has no attribute of this name"
  }

  /// `String` for `Optional<String>`.
  private static func words(_ type: Any.Type) -> String { "\(OptionalTypes.unwrapped(type))" }

  // MARK: Relationships

  private mutating func compareRelationship(_ property: PropertyType, _ type: ModelType, _ entity: EntityLayout) {
    let name = "\(type.name).\(property.name)"
    guard let index = property.storedNames.lazy.compactMap(entity.entity.relationship).first,
      let target = property.target.map(ModelType.of)
    else {
      let isAttribute = property.storedNames.contains { entity.entity.index(of: $0) != nil }
      return differences.append(
        isAttribute
          ? "\(name): the class declares a relationship, and the store has an attribute of this name"
          : "\(name): the store's entity has no relationship of this name")
    }
    let found = entity.relationships[index]
    let isToMany = property.kind == .toMany
    if found.description.isToMany != isToMany {
      func words(_ isToMany: Bool) -> String { isToMany ? "to-many" : "to-one" }
      differences.append(
        "\(name): the class declares a \(words(isToMany)) relationship, and the store's is \(words(!isToMany))")
    }
    if let wanted = layout.entity(named: target.name), let destination = layout.entity(number: found.destination),
      !wanted.includes(destination)
    {
      differences.append(
        "\(name): the class declares a relationship to \(target.name), and the store's leads to "
          + destination.entity.name)
    }
  }
}

// MARK: Rows

extension SchemaComparison {
  /// One column that rows may leave empty, or fill with more than the property can hold.
  private struct Check {
    let condition: String
    /// What follows the number of rows.
    let words: String
    let name: String
  }

  /// Looks for rows without a value of a property that is not optional, and for values that do not fit.
  mutating func compareRows(of store: PersistentStore, _ configuration: ModelConfiguration) throws {
    let session = try StoreSession(store, configuration, types, lock: NSRecursiveLock(), isShared: false)
    try store.withSnapshot {
      try compareColumns(of: store, session.binding)
      if differences.isEmpty { try compareValues(of: store, session) }
    }
  }

  /// Decodes what SQL cannot judge: enumerations, coded values, structures, URLs.
  private mutating func compareValues(of store: PersistentStore, _ session: StoreSession) throws {
    for type in types {
      let indexes = ownProperties(of: type).filter { property in
        guard let coder = property.coder, coder.plainStorage == .none, !coder.isExternal else { return false }
        return !(OptionalTypes.unwrapped(property.valueType) is any FixedWidthInteger.Type)
      }.map(\.index)
      guard !indexes.isEmpty, let plan = session.plan(of: type, only: Set(indexes)) else { continue }
      var (all, refused) = (0, [Int: (count: Int, first: Int64)]())
      let rows = try store.select(plan.select().sql)
      while try rows.next() {
        guard let member = plan.member(number: Int(rows.row.integer(at: RowPlan.number))) else { continue }
        all += 1
        for index in indexes where (try? plan.slot(rows.row, member, index)) == nil {
          refused[index, default: (0, rows.row.integer(at: RowPlan.key))].count += 1
        }
      }
      for index in indexes {
        guard let (count, first) = refused[index] else { continue }
        let property = type.properties[index]
        differences.append(
          "\(type.name).\(property.name): \(count) of \(all) rows \(count == 1 ? "holds" : "hold") a value that is not "
            + "\(Self.words(property.valueType)), such as \(type.name)/p\(first)")
      }
    }
  }

  private mutating func compareColumns(of store: PersistentStore, _ binding: StoreBinding) throws {
    for type in types {
      guard let own = binding.binding(of: type) else { continue }
      let checks = ownProperties(of: type).flatMap { self.checks(of: $0, own) }
      guard !checks.isEmpty else { continue }
      let family = layout.entities.filter { own.entity.includes($0) }.map(\.number)
      let counts = checks.map { "count(CASE WHEN \($0.condition) THEN 1 END)" }
      let table = TableAlias(own.entity, as: "t0")
      let select = RowSelect(table, ["count(*)"] + counts, where: [table.isOf(entities: family)])
      let rows = try store.select(select.sql)
      guard try rows.next() else { continue }
      let all = rows.row.integer(at: 0)
      for (position, check) in checks.enumerated() {
        let count = rows.row.integer(at: Int32(position) + 1)
        guard count > 0 else { continue }
        differences.append("\(check.name): \(count) of \(all) rows \(count == 1 ? "holds" : "hold") \(check.words)")
      }
    }
  }

  private func checks(of property: PropertyType, _ binding: EntityBinding) -> [Check] {
    let name = "\(binding.type.name).\(property.name)"
    func column(_ index: Int) -> String { binding.entity.quotedColumn(index) }
    func empty(_ condition: String, _ name: String) -> Check {
      Check(condition: condition, words: "no value, and the property is not optional", name: name)
    }
    switch binding.storage[property.index] {
    case .relationship(let index):
      guard property.kind == .toOne, !property.isOptional,
        case .reference(let key, _, _) = binding.entity.relationships[index].storage
      else { return [] }
      return [empty("\(key) IS NULL", name)]
    case .attribute(let index):
      let range = Self.range(property.valueType, binding.entity.entity.attributes[index].type).map { range in
        Check(
          condition: "\(column(index)) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)",
          words: "a number that is not \(Self.words(property.valueType))", name: name)
      }
      return (property.isOptional ? [] : [empty("\(column(index)) IS NULL", name)]) + (range.map { [$0] } ?? [])
    case .composite(let indexes):
      // Where all are NULL there is no value.
      let isThere = "coalesce(NULL, \(indexes.map(column).joined(separator: ", "))) IS NOT NULL AND "
      let elements = zip(property.coder?.columns ?? [], property.coder?.elementTypes ?? [])
      return zip(indexes, elements).compactMap { index, element in
        guard !(element.1 is any OptionalProtocol.Type) else { return nil }
        return empty(
          "\(property.isOptional ? isThere : "")\(column(index)) IS NULL", "\(name).\(element.0.name)")
      }
    case .assembled(let sources):
      guard !property.isOptional, sources.count == 1, case .coded(let index) = sources[0] else { return [] }
      return [empty("\(column(index)) IS NULL", name)]
    case .unstored: return []
    }
  }

  /// Integers that the type holds, where the store's attribute may hold others.
  private static func range(_ type: Any.Type, _ stored: AttributeType) -> ClosedRange<Int64>? {
    func range<Number: FixedWidthInteger>(_ type: Number.Type) -> ClosedRange<Int64>? {
      Number.bitWidth < 64 ? Int64(Number.min)...Int64(Number.max) : nil
    }
    let type = OptionalTypes.unwrapped(type)
    if type is Bool.Type { return stored == .boolean ? nil : 0...1 }
    guard let found = (type as? any FixedWidthInteger.Type).flatMap({ range($0) }) else { return nil }
    return stored.integerRange.map { found.contains($0.lowerBound) && found.contains($0.upperBound) } ?? true
      ? nil : found
  }
}

extension AttributeType {
  /// Whether the values of an attribute can be those of a property that would be stored as this type. Numbers may have
  /// another width, as Core Data reads them.
  func isReadable(from stored: AttributeType) -> Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: stored.isInteger || stored == .boolean
    case .double, .float, .decimal: stored.isNumber
    case .string, .url: stored == .string || stored == .url
    case .date: stored == .date
    case .uuid: stored == .uuid || stored == .data
    case .data: stored == .data || stored == .json
    case .strings, .json: stored == .data || stored == .json || stored == .string
    }
  }

  fileprivate var words: String {
    switch self {
    case .string: "String"
    case .integer16: "Int16"
    case .integer32: "Int32"
    case .integer64: "Int64"
    case .double: "Double"
    case .float: "Float"
    case .decimal: "Decimal"
    case .boolean: "Bool"
    case .date: "Date"
    case .uuid: "UUID"
    case .url: "URL"
    case .data: "Data"
    case .strings, .json: "a transformable or coded value"
    }
  }
}
