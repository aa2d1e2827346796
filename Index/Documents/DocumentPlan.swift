// SPDX-License-Identifier: MIT

package import Store

/// How the rows of one entity become documents: what to read of a row and of its related objects, and how each value is
/// indexed.
package struct DocumentPlan {
  /// How one field is indexed. It is a class because the mapper passes it on for each value, and a structure of eight
  /// references would be copied each time.
  package final class Output: Sendable {
    package let name: String
    package let column: Int
    package let type: AttributeType
    /// Keys inside a JSON value; empty for the whole value.
    package let keys: String
    /// Whether queries name keys inside its JSON values.
    var hasKeys: Bool { type == .json && keys.isEmpty }
    package let roles: Roles
    /// The index of its weight and typical length in `lengths`.
    let number: Int
    /// Its main language; nil for that of the definition.
    let language: String?
    /// Chooses the language of each value; nil if all have the same.
    let languageOfValue: LanguageChooser?
    /// Whether it is the title of the row, or a part of it.
    package let isTitle: Bool
    /// What its values identify; nil if they are not codes.
    package let code: Code?
    let holdsProse: Bool
    let indexesWholeValues: Bool
    let indexesYears: Bool
    package let fieldPrefix: String
    package let slot: UInt32
    package let slotContent: SlotContent?
    let prefix: [UInt8]
    let flagTerm: [UInt8]
    let facetPrefix: [UInt8]
    let presenceTerm: [UInt8]

    init(
      _ field: FieldDefinition, _ target: FieldTarget, _ entry: FieldTable.Field, column: Int, type: AttributeType,
      number: Int, isTitle: Bool, code: Code?
    ) {
      name = field.name
      self.column = column
      self.type = type
      keys = target.keys
      roles = Roles(field.roles)
      self.number = number
      language = field.languages.first
      languageOfValue = LanguageChooser(field.languages)
      self.isTitle = isTitle
      self.code = code
      holdsProse = field.holds == .prose
      indexesWholeValues = field.indexesWholeValues
      indexesYears = field.indexesYears
      fieldPrefix = entry.fieldPrefix
      slot = entry.slot
      slotContent = entry.slotContent
      prefix = entry.textPrefix
      flagTerm = DocumentLayout.flagTerm(entry.name.lowercased())
      facetPrefix = DocumentLayout.facetPrefix(entry.fieldPrefix)
      presenceTerm = DocumentLayout.presenceTerm(entry.fieldPrefix)
    }
  }

  /// What the codes of a field identify.
  package enum Code {
    /// The record itself: the code is its key, or a part of it.
    case own
    /// The record, or another one.
    case any
  }

  /// A set of roles without hashing: the mapper looks into it for each value.
  package struct Roles {
    private let bits: Int

    init(_ roles: Set<FieldDefinition.Role>) { bits = roles.reduce(0) { $0 | Self.bit($1) } }

    package func contains(_ role: FieldDefinition.Role) -> Bool { bits & Self.bit(role) != 0 }

    private static func bit(_ role: FieldDefinition.Role) -> Int {
      switch role {
      case .text: 1
      case .facet: 2
      case .number: 4
      case .date: 8
      case .flag: 16
      case .stored: 32
      }
    }
  }

  /// The fields that follow the same relationships.
  package struct Related {
    package let path: RelationshipPath
    /// Of the path's end, in the order of the row's columns.
    package var attributes: [Int] = []
    package var outputs: [Output] = []
    /// Whether its fields are titles of what the row belongs to.
    package var isContext = false
    /// Whether its fields are titles of rows that the row consists of.
    package var isPart = false

    /// The term of rows that extend a record, if the path leads to it.
    var extensionTerm: [UInt8]?

    /// Whether a document may lack these fields because there are too many.
    package var isBounded: Bool { (isContext || isPart) && path.isToMany }
  }

  package let entity: EntityLayout
  /// The attributes to read, in the order of the row's columns.
  package private(set) var attributes: [Int] = []
  package private(set) var outputs: [Output] = []
  package private(set) var related: [Related] = []
  /// The outputs of the row itself that are its title, in their order.
  package private(set) var titles: [Output] = []
  /// The shortest text that says what a record is whose title is an identifier, such as the name of a package; nil if the
  /// title was written for reading, or if no such text exists.
  package private(set) var summary: Output?
  /// The column, and the attribute, whose value identifies the document instead of the row's key.
  private(set) var identity: (column: Int, attribute: Int)?
  /// The weights and typical lengths of the outputs with words, by their numbers.
  private(set) var lengths: [FieldLength] = []
  /// Whether its rows are parts of others or describe others, or only join others, because they have no title of their own
  /// and two references.
  package let isLink: Bool
  /// Whether its objects describe others of a model, so that their titles are texts of these.
  package let isDetail: Bool
  /// The terms of the entity and of all above it.
  let entityTerms: [[UInt8]]

  init(
    _ entity: EntityLayout, _ definition: EntityDefinition, _ fields: FieldTable, model: ModelShape,
    layout: StoreLayout, isPart: Bool
  ) {
    self.entity = entity
    let shape = model[entity.entity.name]
    let described = model.described(by: entity.entity.name)
    isDetail = described?.isForeignKey == false
    isLink =
      isPart || isDetail
      || definition.title.isEmpty && (shape?.joinsOthers == true || described != nil)
    entityTerms = entity.lineage.compactMap { layout.entity(number: $0) }.map {
      DocumentLayout.entityTerm($0.entity.name)
    }
    for field in definition.fields {
      guard let target = try? field.target(from: entity.entity.name, in: model), let entry = fields[field.name] else {
        continue
      }
      if target.hops.isEmpty {
        let isTitle = definition.title.contains(field.name)
        guard let output = Self.output(field, target, entry, of: entity, &attributes, lengths.count, isTitle: isTitle)
        else { continue }
        outputs.append(output)
        lengths.append(Self.length(of: field, isTitle: isTitle))
      } else {
        addRelated(field, target, entry, layout)
      }
    }
    titles = definition.title.compactMap { title in outputs.first { $0.name == title } }
    if titles.first?.code != nil { summary = shortestProse() }
    if let extends = definition.extends, let index = related.firstIndex(where: { $0.path.names == [extends] }) {
      related[index].extensionTerm = DocumentLayout.extensionTerm(entity.entity.name)
    }
    if let identify = definition.identify, let attribute = entity.entity.index(of: identify) {
      identity = (Self.column(of: attribute, in: &attributes), attribute)
    }
  }

  private mutating func addRelated(
    _ field: FieldDefinition, _ target: FieldTarget, _ entry: FieldTable.Field, _ layout: StoreLayout
  ) {
    guard let path = RelationshipPath(target.hops.map(\.name), from: entity, in: layout) else { return }
    let known = related.firstIndex { $0.path.names == path.names }
    if known == nil { related.append(Related(path: path)) }
    let index = known ?? related.count - 1
    guard let output = Self.output(field, target, entry, of: path.end, &related[index].attributes, lengths.count) else {
      return
    }
    related[index].outputs.append(output)
    if field.holds == .context { related[index].isContext = true }
    if field.holds == .parts { related[index].isPart = true }
    lengths.append(Self.length(of: field, isTitle: false))
  }

  private static func output(
    _ field: FieldDefinition, _ target: FieldTarget, _ entry: FieldTable.Field, of entity: EntityLayout,
    _ attributes: inout [Int], _ number: Int, isTitle: Bool = false
  ) -> Output? {
    guard let index = entity.entity.index(of: target.attribute.name) else { return nil }
    let (name, description) = (target.attribute.name, entity.entity)
    let code: Code? =
      field.holds != .identifiers || description.referenceAttributes.contains(name)
      ? nil : description.keyAttributes.contains(name) ? .own : .any
    return Output(
      field, target, entry, column: column(of: index, in: &attributes), type: entity.entity.attributes[index].type,
      number: number, isTitle: isTitle, code: code)
  }

  /// Where a definition has no typical length, because it was not measured: that of titles, or of a few sentences.
  private static func length(of field: FieldDefinition, isTitle: Bool) -> FieldLength {
    FieldLength(weight: field.weight, typical: field.length ?? (isTitle ? 3 : 20))
  }

  private static func column(of attribute: Int, in attributes: inout [Int]) -> Int {
    if let column = attributes.firstIndex(of: attribute) { return column }
    attributes.append(attribute)
    return attributes.count - 1
  }

  /// Whether the words of a field count for the order of hits.
  package func ranks(_ output: Output) -> Bool { output.roles.contains(.text) && lengths[output.number].weight > 0 }

  /// Maximum mean number of words of a summary.
  private static let longestSummary = 15.0

  private func shortestProse() -> Output? {
    func length(_ output: Output) -> Double { lengths[output.number].typical }
    return outputs.filter {
      $0.type == .string && $0.holdsProse && ranks($0) && length($0) <= Self.longestSummary
    }.min { (length($0), $1.name) < (length($1), $0.name) }
  }

  // MARK: Relevance

  /// The properties of the row itself whose change may change its document.
  func relevantProperties() -> Set<EntityLayout.Property> {
    var relevant = Set(attributes.map(EntityLayout.Property.attribute))
    for related in related {
      guard let index = entity.entity.relationship(named: related.path.hops[0].name) else { continue }
      relevant.formUnion([.relationship(index), .entityKey(index), .orderKey(index)])
    }
    return relevant
  }
}
