// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SQLite
internal import SearchIndex
internal import Store

/// The columns of a result: attributes, paths into JSON values, and columns that the search adds.
struct FieldSelector {
  enum Column: Equatable {
    case identifier, entity, score, freshness, title
    /// The name of the store in its group.
    case store
    /// When and by whom a deleted record was deleted, and in which transaction.
    case deleted, author, transaction
    /// For a kind without the attribute, the field of that name: it holds values of related records. A kind without either
    /// has its title as `title`.
    case attribute(String)
    /// Strings inside a JSON-coded attribute.
    case path(attribute: String, keys: String)
    /// A field of the index that is not an attribute: it holds values of related records.
    case field(String)
  }

  /// The columns that are not attributes.
  static let ownColumns: [(name: String, column: Column)] = [
    ("@id", .identifier), ("@entity", .entity), ("@store", .store), ("@score", .score), ("@freshness", .freshness),
    ("@deleted", .deleted), ("@author", .author), ("@tx", .transaction),
  ]

  private static func isTitle(_ name: String) -> Bool { name.lowercased() == "title" }

  let columns: [(name: String, column: Column)]
  /// The index fields that the search must return with each hit.
  let fields: [String]
  private let strings: JSONStrings

  /// - Parameters:
  ///   - names: The comma-separated value of `option`; nil for the standard columns of tables.
  ///   - findsDeleted: Whether the hits are deleted records; the standard columns then say when and by whom.
  ///   - isOfGroup: Whether the hits are of several stores; the standard columns then name the store.
  ///   - isField: Whether the index has a field with this name.
  init(
    _ names: String?, entities: [EntityLayout], option: String = "--fields", findsDeleted: Bool = false,
    isOfGroup: Bool = false, isField: (String) -> Bool
  ) throws {
    strings = try JSONStrings()
    guard let names else {
      let deletion: [(name: String, column: Column)] = [("@deleted", .deleted), ("@author", .author)]
      columns =
        [("@id", .identifier), ("@score", .score), ("title", .title)] + (findsDeleted ? deletion : [])
        + (isOfGroup ? [("@store", .store)] : [])
      fields = []
      return
    }
    var known: Set<String> = []
    let wanted = TypedName.split(names, at: ",").filter { !$0.isEmpty }.map { TypedName.read($0) }
      .filter { option != "--fields" || known.insert($0).inserted }
    columns = try wanted.map { name in (name, try Self.column(name, entities, option, isField)) }
    guard !columns.isEmpty else { throw CommandError("\(option) needs the name of a field") }
    fields = columns.compactMap { _, column in
      switch column {
      case .field(let name): name
      case .attribute(let name): entities.contains { $0.entity.index(of: name) == nil } && isField(name) ? name : nil
      default: nil
      }
    }
  }

  private static func column(
    _ name: String, _ entities: [EntityLayout], _ option: String, _ isField: (String) -> Bool
  ) throws -> Column {
    if let own = ownColumns.first(where: { $0.name == name }) { return own.column }
    let attributes = entities.flatMap(\.entity.attributes)
    if name == "id", !attributes.contains(where: { $0.name == name }) { return .identifier }
    if let found = AttributeName(name, of: attributes) {
      return found.keys.isEmpty
        ? .attribute(found.attribute.name) : .path(attribute: found.attribute.name, keys: found.keys)
    }
    if isField(name) { return .field(name) }
    if isTitle(name) { return .title }
    let nearest = NearestNames.of(name, among: attributes.map(\.name) + ownColumns.map(\.name))
    throw CommandError(
      "\(option): no record has a field '\(name)'",
      hint: Hint.nearest(nearest) ?? Hint.listFields)
  }

  /// The names of the columns with attributes and fields.
  var attributes: [String] {
    columns.compactMap { _, column in
      switch column {
      case .attribute(let name), .path(let name, _), .field(let name): name
      default: nil
      }
    }
  }

  // MARK: Values

  /// Whether a hit of a replica has no value in a column because the replica lacks it.
  func lacks(_ column: Column, _ hit: Hit) -> Bool {
    guard let stored = hit.storedAttributes else { return false }
    switch column {
    case .attribute(let name), .path(let name, _):
      guard let index = hit.entity.entity.index(of: name) else { return lacks(.field(name), hit) }
      return !stored.contains(index)
    case .field(let name): return fields.contains(name) && hit.fields[name] == nil
    default: return false
    }
  }

  /// A column of a hit as plain text.
  func text(_ column: Column, of hit: Hit, uri: Bool = true) throws -> String {
    switch column {
    case .identifier: return uri ? hit.identifier.uri : hit.identifier.short
    case .entity: return hit.identifier.entityName
    case .store: return hit.store ?? ""
    case .score: return ScoreText.of(hit.score)
    case .freshness: return hit.freshness.rawValue
    case .title: return hit.title
    case .deleted: return hit.deletion.map { DateText.formatTime(secondsSince1970: $0.secondsSince1970) } ?? ""
    case .author: return hit.deletion?.author ?? ""
    case .transaction: return hit.deletion.map { String($0.transaction) } ?? ""
    case .attribute(let name):
      guard let index = hit.entity.entity.index(of: name) else {
        let related = try text(.field(name), of: hit)
        return related.isEmpty && Self.isTitle(name) ? hit.title : related
      }
      return ValueText.plain(hit.values[index], as: hit.entity.entity.attributes[index].type)
    case .path(let attribute, let keys):
      return try inside(attribute, keys, hit)?.joined(separator: "; ") ?? ""
    case .field(let name): return hit.fields[name]?.texts.joined(separator: "; ") ?? ""
    }
  }

  /// A column of a hit as JSON.
  func value(_ column: Column, of hit: Hit) throws -> (any JSONValue)? {
    switch column {
    case .score: return JSONFragment.score(hit.score)
    case .deleted: return hit.deletion == nil ? nil : try text(column, of: hit)
    case .author: return hit.deletion?.author
    case .transaction: return hit.deletion?.transaction
    case .attribute(let name):
      guard let index = hit.entity.entity.index(of: name) else {
        guard hit.fields[name]?.texts.isEmpty == false else { return Self.isTitle(name) ? hit.title : nil }
        return try value(.field(name), of: hit)
      }
      return StoredValue(hit.values[index], as: hit.entity.entity.attributes[index].type)
    case .path(let attribute, let keys): return try inside(attribute, keys, hit)
    case .field(let name):
      guard let found = hit.fields[name] else { return nil }
      return found.isList ? found.texts : found.texts.first
    default: return try text(column, of: hit)
    }
  }

  private func inside(_ attribute: String, _ keys: String, _ hit: Hit) throws -> [String]? {
    guard let index = hit.entity.entity.index(of: attribute), case .blob(let bytes) = hit.values[index] else {
      return nil
    }
    var found: [String] = []
    _ = try bytes.withUnsafeBytes { json in
      try strings.each(in: json, withOthers: true) { path, text in
        if AttributeName.includes(path, below: keys) { found.append(String(decoding: text, as: UTF8.self)) }
      }
    }
    return found
  }
}
