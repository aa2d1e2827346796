// SPDX-License-Identifier: MIT

/// The model that Core Data keeps in `Z_MODELCACHE`: a compressed archive of its managed object model.
struct ArchivedModel {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The model without transient properties and without types that have no column.
  let model: ModelDescription
  /// How archived or JSON-coded values are stored, by `Entity.attribute`.
  let encoded: [String: DecodedValue.Form]

  /// Maximum size of the inflated archive in bytes. The largest known model, that of Photos, has 300 KB.
  static let largest = 32 << 20
  private static let deepestComposite = 8

  /// - Parameter content: The value of `Z_MODELCACHE.Z_CONTENT`.
  init(content: [UInt8]) throws {
    try self.init(archive: try RawDeflate.inflate(content, limit: Self.largest))
  }

  init(archive bytes: [UInt8]) throws {
    let archive = try KeyedArchive(bytes)
    guard let entries = archive.root?["NSEntities"]?.entries, !entries.isEmpty else {
      throw Failure(description: "the archive holds no entities")
    }
    var reader = Reader()
    for (_, entity) in entries { reader.add(entity) }
    model = ModelDescription(entities: reader.entities)
    encoded = reader.encoded
  }

  private struct Reader {
    var entities: [EntityDescription] = []
    var encoded: [String: DecodedValue.Form] = [:]

    mutating func add(_ node: KeyedArchive.Node) {
      guard let name = node["NSEntityName"]?.string else { return }
      let parent = node["NSSuperentity"]
      var entity = EntityDescription(name, superentity: parent?["NSEntityName"]?.string)
      // The archive repeats inherited properties in the subentity, whole or as proxies.
      let inherited = Set(parent?["NSProperties"]?.entries.map(\.key) ?? [])
      let unique = Self.uniqueAttributes(of: node)
      for (key, property) in (node["NSProperties"]?.entries ?? []).sorted(by: { $0.key < $1.key })
      where !inherited.contains(key) && property["NSIsTransient"]?.integer != 1 {
        switch property.className {
        case "NSRelationshipDescription":
          if let relationship = Self.relationship(key, property) { entity.relationships.append(relationship) }
        case _ where Self.isComposite(property):
          let elements = elements(of: property, depth: 0)
          if !elements.isEmpty {
            let composite = CompositeDescription(key, elements: elements.map(\.0))
            entity.composites.append(composite)
            for (element, flattened) in zip(elements, composite.flattened) {
              encoded["\(name).\(flattened.name)"] = element.form
            }
          }
        default:
          guard let (found, form) = attribute(key, property) else { continue }
          var attribute = found
          if unique.contains(key), !attribute.isExternal { attribute.options.append(.unique) }
          entity.attributes.append(attribute)
          encoded["\(name).\(key)"] = form
        }
      }
      entities.append(entity)
    }

    private func elements(
      of composite: KeyedArchive.Node, depth: Int
    ) -> [(attribute: AttributeDescription, form: DecodedValue.Form?)] {
      guard depth < ArchivedModel.deepestComposite else { return [] }
      typealias Element = (attribute: AttributeDescription, form: DecodedValue.Form?)
      return (composite["NSCompositeElements"]?.elements ?? []).flatMap { element -> [Element] in
        guard let name = element["NSPropertyName"]?.string else { return [] }
        guard Self.isComposite(element) else {
          return attribute(name, element, isElement: true).map { [$0] } ?? []
        }
        let inner = elements(of: element, depth: depth + 1)
        // An enumeration with raw values has one element, which has the name of the attribute.
        guard inner.map(\.attribute.name) != [name] else { return inner }
        return inner.map { attribute, form in
          var attribute = attribute
          attribute.name = name + "." + attribute.name
          return (attribute, form)
        }
      }
    }

    private static func isComposite(_ node: KeyedArchive.Node) -> Bool {
      node.className == "NSCompositeAttributeDescription" || node["NSAttributeType"]?.integer == 2_100
    }

    /// nil if the type has no column.
    private func attribute(
      _ name: String, _ node: KeyedArchive.Node, isElement: Bool = false
    ) -> (AttributeDescription, form: DecodedValue.Form?)? {
      let flags = node["NSFlagsKey"]?.integer ?? 0
      var form: DecodedValue.Form?
      let type: AttributeType
      switch node["NSAttributeType"]?.integer {
      case 100: type = .integer16
      case 200: type = .integer32
      case 300: type = .integer64
      case 400: type = .decimal
      case 500: type = .double
      case 600: type = .float
      case 700: type = .string
      case 800: type = .boolean
      case 900: type = .date
      case 1000:
        // In a composite, this type is an array or a structure of a Codable type, or plain data, which is not JSON.
        (type, form) = isElement ? (.json, .json) : (.data, nil)
      case 1100: type = .uuid
      case 1200: type = .url
      case 1800: (type, form) = (.json, .archive)
      default: return nil
      }
      var attribute = AttributeDescription(name, type, isOptional: node["NSIsOptional"]?.integer == 1)
      if flags & Flag.preservesValue != 0 { attribute.options.append(.preserveValueOnDeletion) }
      if flags & Flag.isExternal != 0, type == .data { attribute.options.append(.externalStorage) }
      return (attribute, form)
    }

    private enum Flag {
      static let isExternal: Int64 = 4
      static let preservesValue: Int64 = 16
    }

    private static func relationship(_ name: String, _ node: KeyedArchive.Node) -> RelationshipDescription? {
      let destination = node["_NSDestinationEntityName"] ?? node["NSDestinationEntity"]?["NSEntityName"]
      guard let destination = destination?.string else { return nil }
      let isToMany = node["NSMaxCount"]?.integer != 1
      let rules: [Int64: RelationshipDescription.DeleteRule] = [0: .noAction, 2: .cascade, 3: .deny]
      return RelationshipDescription(
        name, to: destination, isToMany: isToMany, isOrdered: isToMany && node["NSIsOrdered"]?.integer == 1,
        isOptional: node["NSIsOptional"]?.integer == 1,
        inverse: (node["_NSInverseRelationshipName"] ?? node["NSInverseRelationship"]?["NSPropertyName"])?.string,
        deleteRule: rules[node["NSDeleteRule"]?.integer ?? 1] ?? .nullify)
    }

    private static func uniqueAttributes(of node: KeyedArchive.Node) -> Set<String> {
      let tuples = node["NSUniqueTuples"]?.elements ?? []
      return Set(
        tuples.compactMap { tuple in
          guard tuple.elements.count == 1, let property = tuple.elements.first else { return nil }
          return property.string ?? property["NSPropertyName"]?.string
        })
    }
  }
}
