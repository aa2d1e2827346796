internal import Followspot
internal import PersistentStore

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json, ndjson }

  static let show = CommandDescription(
    name: "show", arguments: "ID…", summary: "print records from the store",
    details:
      "Print all attributes of records, and the identifiers of related records.",
    examples: [
      "followspot --store movies.store show Movie/p12",
      "followspot --store movies.store show Movie/p1 Movie/p2 --format ndjson",
    ],
    options: [
      OptionDescription("--format", "FORMAT", Format.self),
      OptionDescription("--deps", nil, "list the objects whose text the document contains, and their paths"),
      OptionDescription("--terms", nil, "list the terms of the document with their frequencies"),
    ], isPaged: true
  ) { call in
    let format = try call.choice("--format", Format.self) ?? .text
    guard !call.positionals.isEmpty else {
      throw CommandError("show takes identifiers such as Movie/p12", hint: "followspot help show")
    }
    let store = try PersistentStore.open(try call.storePath(), readings: call.indexDirectory().readings)
    let dependencies = call.has("--deps") ? try Dependencies(store: store, directory: try call.indexDirectory()) : nil
    var records: [JSONWriter] = []
    var (shown, missing) = (0, 0)
    for text in call.positionals {
      guard let identifier = PersistentIdentifier(text) else {
        throw CommandError("'\(text)' is not an identifier", hint: "identifiers look like Movie/p12")
      }
      if let uuid = identifier.storeUUID, uuid != store.uuid {
        throw CommandError("\(text) belongs to another store; this one is \(store.uuid)")
      }
      guard let named = store.layout.entity(matching: identifier.entityName),
        let entity = try store.concreteEntity(of: named, key: identifier.key),
        let values = try store.values(of: entity, key: identifier.key)
      else {
        Console.say("there is no \(identifier.short)")
        missing += 1
        continue
      }
      let whole = PersistentIdentifier(storeUUID: store.uuid, entityName: entity.entity.name, key: identifier.key)
      if format == .text {
        if shown > 0 { Console.write("\n") }
        shown += 1
        Console.write("\(whole.uri)\n")
        for (attribute, value) in zip(entity.entity.attributes, values) {
          Console.write(
            "\(Visible.line(attribute.name)): \(Visible.line(ValueText.plain(value, as: attribute.type)))\n")
        }
        for relationship in entity.relationships {
          let names = try store.targets(of: relationship, from: identifier.key).map(store.shortName)
          Console.write("\(Visible.line(relationship.name)): \(names.joined(separator: "; "))\n")
        }
        for dependency in try dependencies?.of(entity, key: identifier.key) ?? [] {
          Console.write(
            "deps: \(store.shortName(dependency.object))\t\(Visible.line(dependency.path))\t"
              + "\(dependency.isIndexed ? "indexed" : "not indexed yet")\n")
        }
        if call.has("--terms") {
          let terms = try IndexedTerm.of(
            entity, key: identifier.key, layout: store.layout, directory: call.indexDirectory())
          if terms == nil { Console.write("terms: not in the index\n") }
          for term in terms ?? [] {
            let field = term.field.map { Visible.line($0) } ?? ""
            Console.write("term: \(term.kind.rawValue)\t\(field)\t\(Visible.line(term.text))\t\(term.weight)\n")
          }
        }
      } else {
        var json = JSONWriter()
        try json.object { json in
          json.pair("id", whole.uri)
          json.pair("entity", whole.entityName)
          json.key("fields")
          json.object { RecordPrinter.writeFields(values, entity, to: &$0) }
          try writeRelated(store, entity, identifier.key, to: &json)
          if call.has("--terms") {
            let terms = try IndexedTerm.of(
              entity, key: identifier.key, layout: store.layout, directory: call.indexDirectory())
            write(terms, to: &json)
          }
          guard let dependencies else { return }
          json.key("deps")
          try json.array { json in
            for dependency in try dependencies.of(entity, key: identifier.key) {
              json.object { json in
                json.pair("id", store.uri(dependency.object))
                json.pair("path", dependency.path)
                json.key("indexed")
                json.bool(dependency.isIndexed)
              }
            }
          }
        }
        records.append(json)
      }
    }
    switch format {
    case .text: break
    case .ndjson: for record in records { Console.write(bytes: record.bytes + [0x0a]) }
    case .json:
      Console.write("{\"format\":1,\"records\":[" + records.map(\.text).joined(separator: ",") + "]}\n")
    }
    return missing == 0 ? .success : .negative
  }

  private static func write(_ terms: [IndexedTerm]?, to json: inout JSONWriter) {
    json.key("terms")
    guard let terms else { return json.null() }
    json.array { json in
      for term in terms {
        json.object { json in
          json.pair("kind", term.kind.rawValue)
          json.key("field")
          json.string(term.field)
          json.pair("text", term.text)
          json.pair("weight", term.weight)
        }
      }
    }
  }

  private static func writeRelated(
    _ store: PersistentStore, _ entity: EntityLayout, _ key: Int64, to json: inout JSONWriter
  ) throws {
    guard !entity.relationships.isEmpty else { return }
    json.key("related")
    try json.object { json in
      for relationship in entity.relationships {
        let targets = try store.targets(of: relationship, from: key).map(store.uri)
        json.key(relationship.name)
        if relationship.description.isToMany {
          json.array { json in for target in targets { json.string(target) } }
        } else {
          json.string(targets.first)
        }
      }
    }
  }
}

extension PersistentStore {
  /// `Entity/p12`.
  fileprivate func shortName(_ row: RowIdentifier) -> String { identifier(of: row).short }
  fileprivate func uri(_ row: RowIdentifier) -> String { identifier(of: row).uri }
}
