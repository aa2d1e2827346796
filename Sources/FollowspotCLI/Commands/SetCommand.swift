// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SQLite
internal import Store

struct SetCommand: Verb {
  static let description = CommandDescription(
    name: "set", arguments: "QUERY|ID FIELD=VALUE…", summary: "change attributes of records in one transaction",
    details: """
      Everything before the first FIELD= is the query. FIELD= sets the empty text. FIELD:=JSON sets a typed value or null.
      All words of the query are required. An identifier works without an index. A relationship takes identifiers:
      studio=Studio/p3, cast:='["Person/p1", "Person/p2"]'. A name with blanks or signs is written in quotation marks:
      '"First Name"=Anna'.
      """,
    examples: [
      "followspot --store movies.store set Movie/p12 rating=9.5 --author me",
      "followspot --store movies.store set title:\"toy story\" year:1995 isFavorite:=true -n 1",
    ])

  private let options = SelectionOptions()

  func run(_ call: Call) throws -> ExitCode {
    if let sign = call.positionals.first(where: { $0 == "=" || $0 == ":=" }) {
      throw CommandError(
        "'\(sign)' stands alone; nothing was changed",
        hint: "write a new value as FIELD=VALUE without blanks, and a condition as FIELD:VALUE")
    }
    let first = call.positionals.firstIndex { Assignment($0) != nil } ?? call.positionals.endIndex
    let assignments = try call.positionals[first...].map { text in
      guard let assignment = Assignment(text) else {
        throw CommandError(
          "'\(text)' does not have the form FIELD=VALUE", hint: "the query comes before the first FIELD=")
      }
      return assignment
    }
    guard !assignments.isEmpty else { throw call.usageError("set needs at least one FIELD=VALUE") }
    let shapes = try ValueShapes()
    return try SelectedRecords.change(Array(call.positionals[..<first]), call, options) { save, entity, key in
      let objects = RelatedObjects(save.store, shapes)
      var changes: [(attribute: Int, value: Value)] = []
      var isChanged = false
      for assignment in assignments {
        if let relationship = assignment.relationship(in: entity) {
          let targets = try objects.rows(try assignment.field(shapes), entity.relationships[relationship])
          isChanged = try save.setTargets(entity, key: key, relationship, targets) || isChanged
        } else {
          changes.append(try assignment.change(in: entity, shapes))
        }
      }
      return try save.update(entity, key: key, changes) || isChanged
    }
  }
}

/// An assignment of a new value: `name=text`, `name:=JSON` or `"a name"=text`.
private struct Assignment {
  let name: String
  let text: String
  let isJSON: Bool

  init?(_ argument: String) {
    let parts = TypedName.split(argument, at: "=")
    var written = parts[0]
    isJSON = written.hasSuffix(":")
    if isJSON { written.removeLast() }
    name = TypedName.read(written)
    let isPlain =
      written.first.map { $0.isLetter || $0 == "_" } == true
      && !written.contains { $0.isWhitespace || ":\"<>!".contains($0) }
    guard parts.count > 1, isPlain || name != written else { return nil }
    text = String(argument.dropFirst(parts[0].count + 1))
    // This is a condition of a query.
    guard !text.hasPrefix("=") else { return nil }
  }

  /// The relationship with this name; nil if the name is an attribute's.
  func relationship(in entity: EntityLayout) -> Int? {
    guard entity.entity.position(matching: name) == nil else { return nil }
    return entity.entity.relationship(named: name)
      ?? entity.entity.relationships.firstIndex { $0.name.lowercased() == name.lowercased() }
  }

  func field(_ shapes: ValueShapes) throws -> FieldValue {
    guard let field = isJSON ? try shapes.field(json: text) : .cell(text) else {
      throw CommandError("\(name):=\(text) is not JSON; nothing was changed", hint: "\(name)=\(text) is a text")
    }
    return field
  }

  func change(in entity: EntityLayout, _ shapes: ValueShapes) throws -> (attribute: Int, value: Value) {
    guard let index = entity.entity.position(matching: name) else {
      let names = entity.entity.attributes.map(\.name) + entity.entity.relationships.map(\.name)
      let nearest = NearestNames.of(name, among: names)
      throw CommandError(
        "\(entity.entity.name) has no attribute '\(name)'; nothing was changed",
        hint: Hint.nearest(nearest) ?? "followspot schema lists the attributes")
    }
    return (index, try shapes.fit(try field(shapes), entity.entity.attributes[index]))
  }
}
