// SPDX-License-Identifier: MIT

internal import ForeignStores
internal import Indexing
internal import PersistentStore
internal import Searching
internal import ShellInterface

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json, ndjson }

  static let show = CommandDescription(
    name: "show", arguments: "ID…", summary: "print records from the store",
    details:
      """
      Print all attributes of records, and the identifiers of related records. Of a deleted record, print what the history
      still contains: when and by whom it was deleted, the transaction and the preserved values. The exit code is 1 if a
      record does not exist.
      """,
    examples: [
      "followspot --store movies.store show Movie/p12",
      "followspot --store movies.store show Movie/p1 Movie/p2 --format ndjson",
    ],
    options: [
      OptionDescription("--format", "FORMAT", Format.self),
      OptionDescription(
        "--deps", nil,
        "list the records that contribute text to the document, their paths, and whether they are indexed"),
      OptionDescription("--terms", nil, "list the terms of the document with their frequencies"),
    ], isPaged: true
  ) { call in
    let format = try call.choice("--format", Format.self) ?? .text
    guard !call.positionals.isEmpty else {
      throw CommandError("show takes identifiers such as Movie/p12", hint: "followspot help show")
    }
    let store = try StoreFile.open(try call.storePath(), readings: call.indexDirectory().readings)
    let dependencies = call.has("--deps") ? try Dependencies(store: store, directory: try call.indexDirectory()) : nil
    var records: [RecordDocument] = []
    var (shown, missing) = (0, 0)
    for text in call.positionals {
      guard let identifier = try store.record(named: text) else {
        throw CommandError("'\(text)' is not an identifier", hint: "identifiers look like \(store.exampleIdentifier)")
      }
      if let uuid = identifier.storeUUID, uuid != store.uuid {
        throw CommandError("\(text) belongs to another store; this one is \(store.uuid)")
      }
      guard let named = store.layout.entity(matching: identifier.entityName),
        let entity = try store.concreteEntity(of: named, key: identifier.key),
        let values = try store.values(of: entity, key: identifier.key)
      else {
        missing += 1
        guard let deleted = try DeletedRecord(identifier, in: store) else {
          Console.say("there is no \(identifier.short)")
          continue
        }
        Console.say("\(deleted.identifier.short) was deleted")
        if format != .text {
          records.append(deleted.document)
          continue
        }
        if shown > 0 { Console.write("\n") }
        shown += 1
        deleted.print()
        continue
      }
      let whole = try store.identifier(of: RowIdentifier(entity: entity.number, key: identifier.key))
      if format == .text {
        if shown > 0 { Console.write("\n") }
        shown += 1
        Console.write("\(whole.uri)\n")
        for (attribute, value) in zip(entity.entity.attributes, values) {
          Console.write(
            "\(attribute.name.printable): \(ValueText.plain(value, as: attribute.type).printable)\n")
        }
        for relationship in entity.relationships {
          let names = try store.targets(of: relationship, from: identifier.key).map(store.shortName)
          Console.write("\(relationship.name.printable): \(names.joined(separator: "; "))\n")
        }
        for dependency in try dependencies?.of(entity, key: identifier.key) ?? [] {
          Console.write(
            "deps: \(try store.shortName(dependency.object))\t\(dependency.path.printable)\t"
              + "\(dependency.isIndexed ? "indexed" : "not indexed yet")\n")
        }
        if call.has("--terms") {
          let terms = try IndexedTerm.of(
            entity, key: identifier.key, layout: store.layout, directory: call.indexDirectory())
          if terms == nil { Console.write("terms: not in the index\n") }
          for term in terms ?? [] {
            let field = term.field.map { $0.printable } ?? ""
            Console.write("term: \(term.kind.rawValue)\t\(field)\t\(term.text.printable)\t\(term.weight)\n")
          }
        }
      } else {
        var record = RecordDocument(
          id: whole.uri, entity: whole.entityName,
          fields: JSONFragment { json in json.object { RecordPrinter.writeFields(values, entity, to: &$0) } })
        record.related = try related(store, entity, identifier.key)
        if call.has("--terms") {
          let terms = try IndexedTerm.of(
            entity, key: identifier.key, layout: store.layout, directory: call.indexDirectory())
          record.terms = .some(
            terms?.map { .init(kind: $0.kind.rawValue, field: $0.field, text: $0.text, weight: $0.weight) })
        }
        record.deps = try dependencies?.of(entity, key: identifier.key).map {
          .init(id: try store.uri($0.object), path: $0.path, indexed: $0.isIndexed)
        }
        records.append(record)
      }
    }
    switch format {
    case .text: break
    case .ndjson: for record in records { try Console.write(json: record) }
    case .json: try Console.write(json: RecordsDocument(records: records))
    }
    return missing == 0 ? .success : .negative
  }

  /// The related records by relationship; nil for an entity without relationships.
  private static func related(_ store: PersistentStore, _ entity: EntityLayout, _ key: Int64) throws -> JSONFragment? {
    guard !entity.relationships.isEmpty else { return nil }
    let targets = try entity.relationships.map { ($0, try store.targets(of: $0, from: key).map(store.uri)) }
    return .members(targets) { (member, json) in
      let (relationship, targets) = member
      json.key(relationship.name)
      if relationship.description.isToMany {
        json.array { json in for target in targets { json.string(target) } }
      } else {
        json.string(targets.first)
      }
    }
  }
}

extension PersistentStore {
  /// The short form of an identifier, such as `Entity/p12`.
  fileprivate func shortName(_ row: RowIdentifier) throws -> String { try identifier(of: row).short }
  fileprivate func uri(_ row: RowIdentifier) throws -> String { try identifier(of: row).uri }
}
