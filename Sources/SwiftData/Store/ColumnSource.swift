// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// The source of one column of a property in a store that other software made. Attributes are indexes of the entity.
indirect enum ColumnSource {
  /// An attribute, as it is stored.
  case column(Int)
  /// An attribute that holds a coded value: JSON, a property list or an archive.
  case coded(Int)
  /// A structure or an enumeration with an attribute for each member or case, by their names.
  case members([(name: String, source: ColumnSource)])

  /// How the members of a value may be understood.
  enum Form: CaseIterable {
    /// As the properties of a structure, or as JSON.
    case structure
    /// As the cases of an enumeration, of which one has a value; or as a text that is not JSON.
    case cases
  }

  // MARK: Finding

  /// The sources of a property's columns, nil of those that are missing in the entity.
  static func sources(of property: PropertyType, in entity: EntityDescription) -> [ColumnSource?] {
    guard let coder = property.coder else { return [] }
    let all = property.storedNames.map { name in
      coder.columns.map { column in
        let isWhole = coder.columns.count == 1 && column.name == property.name
        return find(isWhole ? name : "\(name).\(column.name)", column.type, entity)
      }
    }
    if let found = all.first(where: { !$0.contains { $0 == nil } }) { return found }
    // A structure whose members could have columns of their own may all the same be one coded value.
    if coder.columns.count > 1, let index = property.storedNames.lazy.compactMap(entity.position).first,
      AttributeType.json.isReadable(from: entity.attributes[index].type)
    {
      return [.coded(index)]
    }
    return all[0]
  }

  private static func find(_ path: String, _ type: AttributeType, _ entity: EntityDescription) -> ColumnSource? {
    // The case of letters is lost where a file's names are those of its columns.
    if let index = entity.position(matching: path) { return type.isJSON ? .coded(index) : .column(index) }
    let members = members(below: path, entity)
    if type.isJSON { return members.isEmpty ? nil : .members(members) }
    // An enumeration with raw values has one element, whatever it is called.
    guard members.count == 1, case .column = members[0].source else { return nil }
    return members[0].source
  }

  private static func members(
    below path: String, _ entity: EntityDescription
  ) -> [(name: String, source: ColumnSource)] {
    var names: [String] = []
    for attribute in entity.attributes where attribute.name.hasPrefix(path + ".") {
      let name = String(attribute.name.dropFirst(path.count + 1).prefix { $0 != "." })
      if !names.contains(name) { names.append(name) }
    }
    return names.map { name in
      let inner = "\(path).\(name)"
      return (name, entity.index(of: inner).map(ColumnSource.column) ?? .members(members(below: inner, entity)))
    }
  }

  var attributes: [Int] {
    switch self {
    case .column(let index), .coded(let index): [index]
    case .members(let members): members.flatMap(\.source.attributes)
    }
  }

  // MARK: Reading

  /// SQL of the column; of a value with members, SQL that is NULL where there is none.
  func sql(_ column: (Int) -> String) -> String {
    switch self {
    case .column(let index): column(index)
    case .coded(let index): "\(CodedValue.function)(\(column(index)))"
    case .members: "coalesce(NULL, \(attributes.map(column).joined(separator: ", ")))"
    }
  }

  /// The value that a coder reads from its column.
  func value(of entity: EntityDescription, _ form: Form, _ stored: (Int) -> Value) -> Value {
    switch self {
    case .column(let index): return stored(index)
    case .coded(let index):
      switch stored(index) {
      case .blob(let bytes): return .blob(bytes.withUnsafeBytes(CodedValue.json) ?? bytes)
      case .text(let text): return .blob(form == .structure ? Array(text.utf8) : JSONText.quoted(text))
      case let other: return other
      }
    case .members(let members):
      let found = members.compactMap { member in
        member.source.json(of: entity, stored).map { (member.name, $0) }
      }
      guard !found.isEmpty else { return form == .structure ? .null : .blob(Array("{}".utf8)) }
      guard form == .cases, found.count == 1 else { return .blob(JSONMember.object(found)) }
      return .blob(JSONMember.object([(found[0].0, JSONMember.object([("_0", found[0].1)]))]))
    }
  }

  /// nil for NULL.
  private func json(of entity: EntityDescription, _ stored: (Int) -> Value) -> [UInt8]? {
    switch self {
    case .column(let index), .coded(let index):
      return JSONMember.value(stored(index), entity.attributes[index].type)
    case .members(let members):
      let found = members.compactMap { member in
        member.source.json(of: entity, stored).map { (member.name, $0) }
      }
      return found.isEmpty ? nil : JSONMember.object(found)
    }
  }
}

/// JSON of single attributes, as `JSONText` decodes it.
private enum JSONMember {
  static func object(_ members: [(name: String, json: [UInt8])]) -> [UInt8] {
    let pairs = members.map { JSONText.quoted($0.name) + Array(":".utf8) + $0.json }
    return Array("{".utf8) + pairs.joined(separator: Array(",".utf8)) + Array("}".utf8)
  }

  /// nil for NULL.
  static func value(_ value: Value, _ type: AttributeType) -> [UInt8]? {
    switch value {
    case .null: return nil
    case .integer(let number):
      return Array((type == .boolean ? (number != 0 ? "true" : "false") : String(number)).utf8)
    case .real(let number):
      guard !number.isFinite else { return Array("\(number)".utf8) }
      return JSONText.quoted(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
    case .text(let text): return JSONText.quoted(text)
    case .blob(let bytes):
      if type == .uuid, let uuid = UUID(column: value) { return JSONText.quoted(uuid.uuidString) }
      let json = bytes.withUnsafeBytes(CodedValue.json) ?? bytes
      let isJSON = (try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)) != nil
      return isJSON ? json : JSONText.quoted(Data(bytes).base64EncodedString())
    }
  }
}
