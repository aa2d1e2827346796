// SPDX-License-Identifier: MIT

extension IndexDefinition {
  /// The same definition after a migration. Entities, attributes and relationships that were renamed (`originalName`)
  /// get their new names. Field names, which queries use, stay.
  func following(_ model: ModelShape) -> IndexDefinition {
    var renamed: [String: EntityDefinition] = [:]
    for (name, definition) in entities {
      let now = model[name] == nil ? model.first { $0.value.originalName == name }?.key ?? name : name
      var entity = definition
      entity.identify = definition.identify.map { Self.path($0, from: now, in: model) }
      for index in entity.fields.indices {
        entity.fields[index].path = Self.path(entity.fields[index].path, from: now, in: model)
      }
      renamed[now] = entity
    }
    var following = self
    following.entities = renamed
    return following
  }

  private static func path(_ path: String, from entity: String, in model: ModelShape) -> String {
    guard let shape = model[entity] else { return path }
    for attribute in shape.attributes {
      if path == attribute.name || path.hasPrefix(attribute.name + ".") { return path }
    }
    for relationship in shape.relationships {
      for name in [relationship.name, relationship.originalName].compactMap({ $0 }) where path.hasPrefix(name + ".") {
        let rest = String(path.dropFirst(name.count + 1))
        return relationship.name + "." + self.path(rest, from: relationship.destination, in: model)
      }
    }
    for attribute in shape.attributes {
      guard let name = attribute.originalName, path == name || path.hasPrefix(name + ".") else { continue }
      return attribute.name + path.dropFirst(name.count)
    }
    return path
  }
}
