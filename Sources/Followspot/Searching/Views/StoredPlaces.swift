// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// Where the documents of one entity have the values of its rows: in their data, or in the slots of fields.
struct StoredPlaces {
  struct Place {
    enum Content {
      /// The member of that name.
      case data(String)
      /// The texts in a slot.
      case texts(UInt32)
      /// The number in a slot.
      case number(UInt32)
    }

    let content: Content
    /// The terms of documents that do not have the value there, or not as it is written in the row.
    let exceptions: [[UInt8]]
  }

  private struct Related: Hashable {
    let path: [String]
    let attribute: Int
  }

  /// By attribute.
  private(set) var own: [Int: Place] = [:]
  private var related: [Related: Place] = [:]
  /// The names of the fields and of the attributes that have a place.
  private(set) var names: Set<String> = []
  /// Whether records have a title, or a title of what they belong to.
  private(set) var hasTitles = false

  init(_ plan: DocumentPlan, _ definition: EntityDefinition?) {
    let outputs = plan.outputs + plan.related.flatMap(\.outputs)
    let users = Dictionary(outputs.map { ($0.slot, 1) }, uniquingKeysWith: +)
    // A value in the data is the whole value.
    for readsSlots in [false, true] {
      func place(_ output: DocumentPlan.Output, _ related: DocumentPlan.Related?) -> Place? {
        let isStored = output.roles.contains(.stored)
        guard isStored || readsSlots && users[output.slot] == 1 else { return nil }
        return Place(of: output, along: related, isStored: isStored)
      }
      for output in plan.outputs {
        let attribute = plan.attributes[output.column]
        guard own[attribute] == nil, let place = place(output, nil) else { continue }
        own[attribute] = place
        names.formUnion([output.name, plan.entity.entity.attributes[attribute].name])
      }
      for path in plan.related {
        for output in path.outputs {
          let key = Related(path: path.path.names, attribute: path.attributes[output.column])
          guard related[key] == nil, let place = place(output, path) else { continue }
          related[key] = place
          names.insert(output.name)
        }
      }
    }
    if let definition { hasTitles = !names.isDisjoint(with: definition.title + definition.titledBy) }
  }

  /// The place of an attribute, of a related record if there is a path; nil if the documents do not have it.
  func place(of attribute: Int, along path: RelationshipPath?) -> Place? {
    path.map { related[Related(path: $0.names, attribute: attribute)] } ?? own[attribute]
  }
}

extension StoredPlaces.Place {
  /// nil if neither the data nor the slot have the whole value.
  fileprivate init?(of output: DocumentPlan.Output, along related: DocumentPlan.Related?, isStored: Bool) {
    let omitted = related.flatMap { $0.isBounded ? [DocumentLayout.omittedTerm($0.path)] : nil } ?? []
    guard !isStored else {
      self.init(content: .data(output.name), exceptions: omitted)
      return
    }
    let isToMany = related?.path.isToMany == true
    let content: Content?
    switch (output.slotContent, output.type) {
    case (.texts, .string), (.texts, .url): content = .texts(output.slot)
    case (.texts, .strings) where !isToMany: content = .texts(output.slot)
    case (.number, .integer16), (.number, .integer32), (.number, .integer64), (.number, .double), (.number, .float),
      (.number, .decimal), (.number, .date), (.number, .boolean):
      // The slot has one number alone.
      content = isToMany ? nil : .number(output.slot)
    default: content = nil
    }
    guard let content else { return nil }
    self.init(content: content, exceptions: omitted + [DocumentLayout.rowOnlyTerm(output.fieldPrefix)])
  }
}
