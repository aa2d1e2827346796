// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// How rows of one class, and of its subclasses, become the values of objects.
final class RowPlan {
  /// Where the value of one property comes from. Columns count from 0 in the result row.
  enum Source {
    case column(Int32, ValueCoder, PlainStorage)
    case columns([Int32], ValueCoder)
    /// A value of a store that other software made, by the columns of its attributes.
    case assembled([ColumnSource], [Int: Int32], ValueCoder)
    /// Data that may be in a file.
    case external(Int32, attribute: Int, ValueCoder)
    case reference(key: Int32, entity: Int32?, EntityReference)
    case toMany
    case nothing
  }

  /// One class whose rows are read. A class, because each row passes it on several times.
  final class Member {
    let binding: EntityBinding
    let sources: [Source]
    /// The columns of the properties that are stored in one column as they stand; nil for the others. Most properties
    /// are, and these are read without copying their source.
    fileprivate let plain: [PlainColumn?]

    fileprivate init(_ binding: EntityBinding, _ sources: [Source]) {
      self.binding = binding
      self.sources = sources
      plain = sources.map { source in
        guard case .column(let column, _, let storage) = source else { return nil }
        return PlainColumn(column: column, storage: storage)
      }
    }
  }

  fileprivate struct PlainColumn {
    let column: Int32
    let storage: PlainStorage
  }

  static let key: Int32 = 0
  static let number: Int32 = 1
  static let version: Int32 = 2

  let root: EntityBinding
  private let members: [Int: Member]
  /// That of the class itself, which most rows are of.
  private let own: Member?
  /// The attribute and relationship columns that are read after those of every row, quoted.
  private let columns: [String]
  private let store: StoreBinding
  private unowned let session: StoreSession
  /// The numbers of the entities whose rows belong to the class; nil where the table holds no others.
  let numbers: [Int]?

  /// Whether every property is read.
  let isWhole: Bool
  /// Whether every row of the table is of the class itself: no other entity shares the table.
  let isUniform: Bool

  /// - Parameter wanted: The indexes of the properties to read; nil for all.
  init(_ root: EntityBinding, family: [EntityBinding], _ session: StoreSession, only wanted: Set<Int>?) {
    isWhole = wanted == nil
    let store = session.binding
    self.root = root
    self.store = store
    self.session = session
    var columns: [String] = []
    var positions: [String: Int32] = [:]
    func position(_ column: String) -> Int32 {
      if let position = positions[column] { return position }
      let position = Self.version + 1 + Int32(columns.count)
      columns.append(column)
      positions[column] = position
      return position
    }
    var members: [Int: Member] = [:]
    for binding in family {
      let sources = binding.storage.enumerated().map { index, found -> Source in
        if let wanted, !wanted.contains(index) { return .nothing }
        switch found {
        case .attribute(let attribute):
          let coder = binding.type.properties[index].coder!
          if binding.entity.entity.attributes[attribute].isExternal {
            return .external(position(binding.entity.quotedColumn(attribute)), attribute: attribute, coder)
          }
          return .column(position(binding.entity.quotedColumn(attribute)), coder, coder.plainStorage)
        case .composite(let attributes):
          return .columns(
            attributes.map { position(binding.entity.quotedColumn($0)) }, binding.type.properties[index].coder!)
        case .assembled(let sources):
          let columns = sources.flatMap(\.attributes).map { ($0, position(binding.entity.quotedColumn($0))) }
          return .assembled(
            sources, Dictionary(columns) { first, _ in first }, binding.type.properties[index].coder!)
        case .relationship(let relationship):
          let layout = binding.entity.relationships[relationship]
          guard case .reference(let key, let entity, _) = layout.storage else { return .toMany }
          guard let target = store.binding(number: layout.destination) else { return .nothing }
          return .reference(key: position(key), entity: entity.map(position), target.reference)
        case .unstored: return .nothing
        }
      }
      members[binding.entity.number] = Member(binding, sources)
    }
    self.members = members
    own = members[root.entity.number]
    self.columns = columns
    let isAlone = root.entity.superNumber == 0 && Set(members.keys).count == store.entities(sharingTableOf: root)
    numbers = isAlone ? nil : members.keys.sorted()
    isUniform = isAlone && members.count == 1
  }

  func member(number: Int) -> Member? {
    if let own, own.binding.entity.number == number { return own }
    return members[number]
  }

  /// The columns that `read` takes, of the rows under an alias.
  func columns(of alias: TableAlias) -> [String] { alias.rowColumns + columns.map { "\(alias.name).\($0)" } }

  /// A statement that reads the rows of the class and its subclasses, under the alias `t0`.
  func select() -> RowSelect {
    let rows = TableAlias(root.entity, as: "t0")
    return RowSelect(rows, columns(of: rows), where: numbers.map { [rows.isOf(entities: $0)] } ?? [])
  }

  /// The values of the current row, by property index.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` that names a property whose stored value is not of its type.
  func read(_ statement: Statement, _ member: Member) throws -> ContiguousArray<Slot> {
    try ContiguousArray(unsafeUninitializedCapacity: member.sources.count) { slots, count in
      for index in slots.indices {
        slots.initializeElement(at: index, to: try slot(statement, member, index))
        count += 1
      }
    }
  }

  /// The value of one property of the current row.
  ///
  /// - Throws: As `read(_:_:)`.
  @inline(__always) func slot(_ statement: Statement, _ member: Member, _ index: Int) throws -> Slot {
    if let plain = member.plain[index] {
      let value = statement.value(at: plain.column)
      if plain.storage.accepts(value) { return .column(value) }
    }
    let slot: Slot
    switch member.sources[index] {
    case .column(let column, let coder, _):
      slot = .column(statement.value(at: column))
      guard !coder.refuses(slot) else { throw Self.corrupt(statement, member, index) }
    case .columns(let columns, let coder):
      slot = .columns(columns.map(statement.value))
      guard !coder.refuses(slot) else { throw Self.corrupt(statement, member, index) }
    case .assembled(let sources, let columns, let coder):
      let entity = member.binding.entity.entity
      let forms = ColumnSource.Form.allCases.lazy.map { form in
        coder.slot(columns: sources.map { $0.value(of: entity, form) { statement.value(at: columns[$0]!) } })
      }
      guard let found = forms.first(where: { !coder.refuses($0) }) else {
        throw Self.corrupt(statement, member, index)
      }
      slot = found
    case .external(let column, let attribute, let coder):
      if let value = PersistentStore.contents(inline: statement.value(at: column)) {
        slot = .column(value)
      } else {
        let data = ExternalData(session, member.binding, attribute: attribute, key: statement.integer(at: Self.key))
        slot = coder.isExternal ? .boxed(data) : .column(try data.load())
      }
      guard !coder.refuses(slot) else { throw Self.corrupt(statement, member, index) }
    case .reference(let key, let entity, let reference):
      if statement.isNull(at: key) {
        slot = .one(nil)
      } else {
        let number = entity.map { Int(statement.integer(at: $0)) }
        let exact = number.flatMap { store.binding(number: $0) }?.reference ?? reference
        slot = .row(PersistentIdentifier(exact, key: statement.integer(at: key)))
      }
    case .toMany: slot = .unread
    case .nothing: slot = .unset
    }
    return slot
  }

  private static func corrupt(_ statement: Statement, _ member: Member, _ index: Int) -> SwiftDataError {
    let property = member.binding.type.properties[index]
    let key = statement.integer(at: key)
    return SwiftDataError(
      .loadIssueModelContainer,
      "\(member.binding.type.name)/p\(key).\(property.name): the stored value is not of type \(property.valueType); "
        + "correct it, or declare the property as it is stored")
  }
}
