// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Store

/// Refused relationships, inheritance and composites. Names and attributes are tested in `StoreLayoutTests`.
@Suite(.temporaryDirectory)
struct ModelValidationTests {
  private static func entity(
    _ name: String, below superentity: String? = nil, attributes: [String] = [],
    composites: [CompositeDescription] = [], _ relationships: RelationshipDescription...
  ) -> EntityDescription {
    EntityDescription(
      name, superentity: superentity, attributes: attributes.map { AttributeDescription($0, .string) },
      composites: composites, relationships: relationships)
  }

  private static func to(
    _ name: String, _ destination: String, many: Bool = false, ordered: Bool = false, inverse: String? = nil,
    _ least: Int? = nil, _ most: Int? = nil
  ) -> RelationshipDescription {
    RelationshipDescription(
      name, to: destination, isToMany: many, isOrdered: ordered, inverse: inverse, minimumCount: least,
      maximumCount: most)
  }

  private static func composite(_ name: String, _ elements: String...) -> CompositeDescription {
    CompositeDescription(name, elements: elements.map { AttributeDescription($0, .string) })
  }

  private static let mismatch =
    "are not each other's inverse: each names the other, and leads to the entity that describes it"

  @Test(
    arguments: [
      ([entity("A", below: "B")], "A: there is no superentity B"),
      ([entity("A", below: "A")], "A is its own superentity"),
      ([entity("A", below: "B"), entity("B", below: "A")], "A is its own superentity"),
      ([entity("A", attributes: ["x"]), entity("B", below: "A", attributes: ["x"])], "B has two attributes named x"),
      ([entity("A", to("b", "B"))], "A.b: there is no entity B"),
      ([entity("A", to("b", "A", ordered: true))], "A.b: only a to-many relationship can be ordered"),
      ([entity("A", to("b", "A", many: true, 3, 2))], "A.b: no count lies between 3 and 2"),
      ([entity("A", to("b", "A", many: true, -1))], "A.b: no count lies between -1 and \(Int.max)"),
      ([entity("A", to("b", "B", inverse: "a")), entity("B")], "A.b: B has no relationship a"),
      ([entity("A", to("b", "B", inverse: "a")), entity("B", to("a", "A"))], "A.b and B.a \(mismatch)"),
      (
        [entity("A", to("b", "B", inverse: "a")), entity("B", to("a", "B", inverse: "b"))],
        "A.b and B.a \(mismatch)"
      ),
      (
        [
          entity("A", to("b", "C", inverse: "a")), entity("B", to("a", "A", inverse: "b")), entity("C", below: "B"),
        ], "A.b and C.a \(mismatch)"
      ),
      ([entity("A", attributes: ["b"], to("b", "A"))], "A has two properties named b"),
      ([entity("A", to("b", "A")), entity("B", below: "A", to("b", "A"))], "B has two properties named b"),
      (
        [entity("A", to("", "A"))],
        "A has a property whose name is empty, longer than 200 bytes or holds control characters"
      ),
      ([entity("A", composites: [composite("c")])], "A.c has no elements"),
      ([entity("A", composites: [composite("c", "x", "x")])], "A has two attributes named c.x"),
      ([entity("A", composites: [composite("c", "x"), composite("c", "y")])], "A has two properties named c"),
      ([entity("A", attributes: ["c"], composites: [composite("c", "x")])], "A has two attributes named c"),
      ([entity("A", attributes: ["c"], composites: [composite("c", "c")])], "A has two attributes named c"),
      ([entity("A", composites: [composite("c", "x", "y")], to("c", "A"))], "A has two properties named c"),
      ([entity("A", attributes: ["c.x"], composites: [composite("c", "x", "y")])], "A has two attributes named c.x"),
    ] as [([EntityDescription], String)])
  func `an invalid model is refused with the location of the fault`(_ entities: [EntityDescription], _ message: String)
    throws
  {
    let found = try storeErrorText { try ModelDescription(entities: entities).validate() }
    #expect(found == message)
  }

  @Test func `the width of a table includes its hierarchy and relationships that refer to it`() throws {
    let families = [
      [
        Self.entity("A", attributes: (0..<1_000).map { "a\($0)" }),
        Self.entity("B", below: "A", attributes: (0..<901).map { "b\($0)" }),
      ],
      [
        Self.entity("A", attributes: (0..<1_895).map { "a\($0)" }),
        Self.entity("B", Self.to("x", "A", many: true), Self.to("y", "A", many: true)),
      ],
    ]
    let found = try families.map { family in try storeErrorText { try ModelDescription(entities: family).validate() } }
    #expect(found == Array(repeating: "A has 1901 attributes; a table holds 1900 at most", count: 2))
  }

  @Test(
    arguments: [
      [entity("A", composites: [composite("c", "c")])],
      [entity("A", composites: [composite("c", "x"), composite("d", "x")])],
      [entity("A", attributes: ["x"], composites: [composite("c", "x", "y")])],
      [
        entity("A", attributes: ["x"]), entity("B", below: "A", attributes: ["y"]),
        entity("C", below: "A", attributes: ["y"]),
      ],
      [entity("A", to("friends", "A", many: true, inverse: "friends"))],
      [entity("A", to("partner", "A", inverse: "partner"))],
      [entity("A", to("b", "B", many: true, inverse: "a", 2, 2)), entity("B", to("a", "A", inverse: "b"))],
    ])
  func `a store can be created from a valid model`(_ entities: [EntityDescription]) throws {
    let bench = try StoreFixture(ModelDescription(entities: entities))
    let opened = try PersistentStore.open(bench.path)
    #expect(opened.model == ModelDescription(entities: entities))
  }
}
