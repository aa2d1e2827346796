// SPDX-License-Identifier: MIT

/// Validates JSON against a schema. It supports the part of JSON Schema 2020-12 that this project's schema uses.
struct SchemaValidator {
  private static let keywords: Set<String> = [
    "$ref", "type", "const", "enum", "required", "properties", "additionalProperties", "items", "pattern", "minimum",
    "minItems", "maxItems",
  ]

  let schema: JSONValue

  /// The faults of `value` as a document of this definition, including properties that the schema does not name.
  func faults(of value: JSONValue, as definition: String) -> [String] {
    guard let found = schema["$defs"]?[definition] else { return ["there is no definition \(definition)"] }
    return faults(value, found, definition)
  }

  private func faults(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
    if let reference = schema["$ref"]?.text {
      guard let target = self.schema["$defs"]?[String(reference.dropFirst("#/$defs/".count))] else {
        return ["\(place): \(reference) leads nowhere"]
      }
      return faults(value, target, place)
    }
    var found = schema.members.keys.filter { !Self.keywords.contains($0) }.map { "\(place): keyword \($0)" }
    if let type = schema["type"] {
      let allowed = Set(type.text.map { [$0] } ?? type.elements.compactMap(\.text))
      if allowed.isDisjoint(with: value.types) { return found + ["\(place): \(value) is not \(allowed.sorted())"] }
    }
    if let constant = schema["const"], constant != value { found.append("\(place): \(value) is not \(constant)") }
    if let choices = schema["enum"], !choices.elements.contains(value) {
      found.append("\(place): \(value) is no choice")
    }
    if let least = schema["minimum"]?.number, let number = value.number, number < least {
      found.append("\(place): \(number) is less than \(least)")
    }
    if let pattern = schema["pattern"]?.text, let text = value.text {
      let expression = try? Regex(pattern)
      if expression.map({ text.firstMatch(of: $0) == nil }) ?? true {
        found.append("\(place): '\(text)' is not \(pattern)")
      }
    }
    if case .array(let elements) = value { found += faults(elements, schema, place) }
    if case .object(let members) = value { found += faults(members, schema, place) }
    return found
  }

  private func faults(_ elements: [JSONValue], _ schema: JSONValue, _ place: String) -> [String] {
    let count = Double(elements.count)
    var found: [String] = []
    if count < schema["minItems"]?.number ?? 0 || count > schema["maxItems"]?.number ?? .infinity {
      found.append("\(place): \(elements.count) elements")
    }
    guard let items = schema["items"] else { return found }
    for (index, element) in elements.enumerated() { found += faults(element, items, "\(place)[\(index)]") }
    return found
  }

  private func faults(_ members: [String: JSONValue], _ schema: JSONValue, _ place: String) -> [String] {
    let required = schema["required"]?.elements.compactMap(\.text) ?? []
    var found = required.filter { members[$0] == nil }.map { "\(place): \($0) is missing" }
    let properties = schema["properties"]?.members ?? [:]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if let known = properties[name] ?? schema["additionalProperties"] {
        found += faults(value, known, "\(place).\(name)")
      } else if !properties.isEmpty {
        found.append("\(place): \(name) is not in the schema")
      }
    }
    return found
  }
}
