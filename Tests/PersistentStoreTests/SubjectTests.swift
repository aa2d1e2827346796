// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// The subject of a refusal, which programs evaluate.
@Suite(.overlapping, .temporaryDirectory)
struct SubjectTests {
  private let directory = TemporaryDirectory()

  private static let model = ModelDescription(entities: [
    EntityDescription(
      "Dog",
      attributes: [
        AttributeDescription("name", .string), AttributeDescription("chip", .integer16, isOptional: true),
      ],
      relationships: [RelationshipDescription("owner", to: "Owner", isOptional: false, inverse: "dogs")],
      uniqueness: [["name", "owner"]]),
    EntityDescription(
      "Owner",
      relationships: [
        RelationshipDescription(
          "dogs", to: "Dog", isToMany: true, inverse: "owner", deleteRule: .deny, maximumCount: 2)
      ]),
  ])

  /// The code, the entity, the properties and the key of the error of a save.
  private static func refusal(_ store: PersistentStore, _ body: (Save) throws -> Void) -> [String] {
    do {
      try store.save(body)
      return []
    } catch {
      guard let error = error as? StoreError, let subject = error.subject else { return ["\(error)"] }
      return [error.code.name, subject.entity] + subject.properties + [subject.key.map { "p\($0)" } ?? "-"]
    }
  }

  @Test func `the error of a refused value has its entity, its properties and its row`() throws {
    let store = try PersistentStore.createInMemory(model: Self.model)
    let (dog, owner) = (store.layout.entities[0], store.layout.entities[1])
    let ann = RowIdentifier(entity: owner.number, key: 1)
    try store.save { save in
      for _ in 1...2 { try save.insert(owner, []) }
      for name in ["Rex", "Ace"] { try save.insert(dog, [.text(name), nil], related: [0: [ann]]) }
    }
    let bob = RowIdentifier(entity: owner.number, key: 2)
    let refusals = [
      Self.refusal(store) { try $0.insert(dog, [nil, nil]) },
      Self.refusal(store) { try $0.update(dog, key: 1, [(1, .integer(70_000))]) },
      Self.refusal(store) { try $0.insert(dog, [.text("Rex"), nil], related: [0: [ann]]) },
      Self.refusal(store) { try $0.update(dog, key: 2, [(0, .text("Rex"))]) },
      Self.refusal(store) { try $0.insert(dog, [.text("Max"), nil], related: [0: [ann, bob]]) },
      Self.refusal(store) { try $0.setTargets(dog, key: 1, 0, [RowIdentifier(entity: 1, key: 1)]) },
      Self.refusal(store) { try $0.setTargets(dog, key: 1, 0, []) },
      Self.refusal(store) { try $0.insert(dog, [.text("Max"), nil], related: [0: [ann]]) },
      Self.refusal(store) { try $0.delete(owner, key: 1) },
    ]
    #expect(
      refusals == [
        ["invalidValue", "Dog", "name", "-"], ["invalidValue", "Dog", "chip", "p1"],
        ["duplicate", "Dog", "name", "owner", "-"], ["duplicate", "Dog", "name", "owner", "p2"],
        ["invalidValue", "Dog", "owner", "-"], ["invalidValue", "Dog", "owner", "p1"],
        ["invalidValue", "Dog", "owner", "p1"], ["invalidValue", "Owner", "dogs", "p1"],
        ["denied", "Owner", "dogs", "p1"],
      ])
  }

  @Test func `a migration names the constraint that rows violate`() throws {
    var model = Self.model
    model.entities[0].uniqueness = []
    model.entities[0].relationships[0].isOptional = true
    let store = try PersistentStore.create(directory.file("dogs.store"), model: model)
    try store.save { save in for _ in 1...2 { try save.insert(store.layout.entities[0], [.text("Rex"), .integer(1)]) } }
    model.entities[0].uniqueness = [["name", "chip"]]
    let error = #expect(throws: StoreError.self) { _ = try store.migrate(to: model) }
    #expect(error?.subject == StoreError.Subject(model.entities[0].name, ["name", "chip"]))
  }
}
