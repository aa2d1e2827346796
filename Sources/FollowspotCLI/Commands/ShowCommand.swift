internal import Followspot
internal import PersistentStore

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json, ndjson }

  static let show = CommandDescription(
    name: "show", arguments: "ID…", summary: "print records from the store", details: "",
    examples: [
      "followspot --store movies.store show Movie/p12",
      "followspot --store movies.store show Movie/p1 Movie/p2 --format ndjson",
    ],
    options: [OptionDescription("--format", "FORMAT", "text, json or ndjson")]
  ) { call in
    let format = try call.choice("--format", Format.self) ?? .text
    guard !call.positionals.isEmpty else {
      throw FollowspotError(.usage, "show takes identifiers such as Movie/p12", hint: "followspot help show")
    }
    let store = try PersistentStore.open(try call.storePath())
    var records: [JSONWriter] = []
    var (shown, missing) = (0, 0)
    for text in call.positionals {
      guard let identifier = PersistentIdentifier(text) else {
        throw FollowspotError(.usage, "'\(text)' is no identifier", hint: "identifiers look like Movie/p12")
      }
      if let uuid = identifier.storeUUID, uuid != store.uuid {
        throw FollowspotError(.usage, "\(text) belongs to another store; this one is \(store.uuid)")
      }
      guard let entity = store.layout.entity(matching: identifier.entityName),
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
      } else {
        var json = JSONWriter()
        json.object { json in
          json.pair("id", whole.uri)
          json.pair("entity", whole.entityName)
          json.key("fields")
          json.object { RecordPrinter.writeFields(values, entity, to: &$0) }
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
}
