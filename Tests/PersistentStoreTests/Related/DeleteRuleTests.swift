// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct DeleteRuleTests {
  /// A sketch of nested folders that contain files.
  private static func folders(
    _ rule: RelationshipRule, upward: RelationshipRule = .nullify, isParentOptional: Bool = true,
    minimum: Int? = nil, maximum: Int? = nil
  ) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        "Folder",
        relationships: [
          RelationshipDescription(
            "files", to: "File", isToMany: true, inverse: "folder", deleteRule: rule, minimumCount: minimum,
            maximumCount: maximum),
          RelationshipDescription("parent", to: "Folder", inverse: "children"),
          RelationshipDescription("children", to: "Folder", isToMany: true, inverse: "parent", deleteRule: .cascade),
        ]),
      EntityDescription(
        "File",
        relationships: [
          RelationshipDescription(
            "folder", to: "Folder", isOptional: isParentOptional, inverse: "files", deleteRule: upward)
        ]),
    ])
  }

  /// A folder with two files.
  private static func fixture(_ model: ModelDescription) throws -> (StoreFixture, RowIdentifier, [RowIdentifier]) {
    let bench = try StoreFixture(model)
    var files: [RowIdentifier] = []
    var folder: RowIdentifier?
    try bench.store.save { save in
      let made = try save.add("Folder")
      for _ in 0..<2 { files.append(try save.add("File", [:], ["folder": [made]])) }
      folder = made
    }
    return try (bench, #require(folder), files)
  }

  // MARK: Nullify

  @Test func `nullify removes the references to the deleted object`() throws {
    let (bench, folder, _) = try Self.fixture(Self.folders(.nullify))
    let result = try bench.store.save { try $0.remove(folder) }
    #expect(result == SaveNumbers(transaction: 2, updated: 2, deleted: 1))
    #expect(try bench.rows("SELECT Z_PK, ZFOLDER FROM ZFILE") == ["1|NULL", "2|NULL"])
  }

  @Test func `a save is refused if nullify empties a required relationship`() throws {
    let (bench, folder, files) = try Self.fixture(Self.folders(.nullify, isParentOptional: false))
    let error = #expect(throws: StoreError.self) { try bench.store.save { try $0.remove(folder) } }
    #expect(error?.code == .invalidValue)
    #expect(error?.description == "File/p1: folder needs an object")
    #expect(try bench.rows("SELECT ZFOLDER FROM ZFILE") == ["1", "1"])
    #expect(try bench.store.newest() == 1)
    // The relationship is set again before the save ends.
    try bench.store.save { save in
      try save.remove(folder)
      let other = try save.add("Folder")
      for file in files { try save.set(file, "folder", [other]) }
    }
    #expect(try bench.rows("SELECT ZFOLDER FROM ZFILE") == ["2", "2"])
    let inserting = try storeErrorText { try bench.store.save { try $0.add("File") } }
    #expect(inserting == "File/p3: folder needs an object")
  }

  // MARK: Cascade

  @Test func `cascade deletes the related objects`() throws {
    let (bench, folder, _) = try Self.fixture(Self.folders(.cascade))
    let result = try bench.store.save { try $0.remove(folder) }
    #expect(result == SaveNumbers(transaction: 2, deleted: 3))
    #expect(try bench.newestChanges() == ["delete File/p1", "delete File/p2", "delete Folder/p1"])
  }

  @Test func `a cascade along a chain of 20,000 objects ends`() throws {
    let bench = try StoreFixture(Self.folders(.cascade))
    let folders = try bench.add(20_000, "Folder")
    try bench.store.save { save in
      for (child, parent) in zip(folders.dropFirst(), folders) { try save.set(child, "parent", [parent]) }
    }
    let result = try bench.store.save { try $0.remove(folders[0]) }
    #expect(result == SaveNumbers(transaction: 3, deleted: 20_000))
    #expect(try bench.rows("SELECT COUNT(*) FROM ZFOLDER") == ["0"])
  }

  @Test func `a cascade through cycles and shared objects deletes each object once`() throws {
    let model = ModelDescription(entities: [
      EntityDescription(
        "Node",
        relationships: [
          RelationshipDescription("next", to: "Node", isToMany: true, inverse: "before", deleteRule: .cascade),
          RelationshipDescription("before", to: "Node", isToMany: true, inverse: "next"),
        ])
    ])
    let bench = try StoreFixture(model)
    let nodes = try bench.add(6, "Node")
    try bench.store.save { save in
      // 1 refers to 2 and 3, these to 4, and 4 to 1 and itself. 5 refers to 4, and 6 to nothing.
      try save.set(nodes[0], "next", [nodes[1], nodes[2]])
      for node in [1, 2, 4] { try save.set(nodes[node], "next", [nodes[3]]) }
      try save.set(nodes[3], "next", [nodes[0], nodes[3]])
    }
    let result = try bench.store.save { try $0.remove(nodes[0]) }
    #expect(result == SaveNumbers(transaction: 3, updated: 1, deleted: 4))
    #expect(try bench.rows("SELECT Z_PK FROM ZNODE") == ["5", "6"])
    #expect(try bench.rows("SELECT COUNT(*) FROM Z_1BEFORE") == ["0"])
  }

  // MARK: Deny

  @Test func `deny refuses the save and nothing changes`() throws {
    let (bench, folder, files) = try Self.fixture(Self.folders(.deny))
    let error = #expect(throws: StoreError.self) {
      try bench.store.save { save in
        try save.remove(folder)
        try save.remove(files[0])
      }
    }
    #expect(error?.code == .denied)
    #expect(error?.description == "Folder/p1 cannot be deleted: its files still holds File/p2")
    #expect(error?.recovery == .deleteRelatedFirst)
    #expect(try bench.rows("SELECT Z_PK, ZFOLDER, Z_OPT FROM ZFILE") == ["1|1|1", "2|1|1"])
    #expect(try bench.store.newest() == 1)
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
  func `deny allows the deletion if the others are deleted in the same save, in any order`(_ order: [Int]) throws {
    let (bench, folder, files) = try Self.fixture(Self.folders(.deny))
    let all = [folder] + files
    let result = try bench.store.save { save in
      for index in order { try save.remove(all[index]) }
    }
    #expect(result == SaveNumbers(transaction: 2, deleted: 3))
  }

  @Test func `deny allows the deletion after the others left the relationship`() throws {
    let (bench, folder, _) = try Self.fixture(Self.folders(.deny))
    let result = try bench.store.save { save in
      try save.set(folder, "files", [])
      try save.remove(folder)
    }
    #expect(result == SaveNumbers(transaction: 2, updated: 2, deleted: 1))
  }

  // MARK: No action

  @Test func `no action keeps the key of the deleted object`() throws {
    let (bench, folder, _) = try Self.fixture(Self.folders(.noAction))
    let result = try bench.store.save { try $0.remove(folder) }
    #expect(result == SaveNumbers(transaction: 2, deleted: 1))
    #expect(try bench.rows("SELECT ZFOLDER, Z_OPT FROM ZFILE") == ["1|1", "1|1"])
    let file = try bench.row("File", 1)
    let nowhere = try bench.targets(file, "folder")
    #expect(nowhere == [])
    try bench.store.save { save in try save.set(file, "folder", [try save.add("Folder")]) }
    let there = try bench.targets(file, "folder")
    #expect(there == ["Folder/p2"])
  }

  @Test func `the parent of a deleted child is updated despite no action`() throws {
    let (bench, folder, files) = try Self.fixture(Self.folders(.nullify, upward: .noAction))
    try bench.store.save { try $0.remove(files[0]) }
    // Folder: parent 80, children 40, files 20.
    #expect(try bench.newestChanges() == ["update Folder/p1 20", "delete File/p1"])
    #expect(try bench.targets(folder, "files") == ["File/p2"])
  }

  // MARK: Counts

  @Test func `too few or too many objects refuse the save, from either end`() throws {
    let (bench, folder, files) = try Self.fixture(Self.folders(.nullify, minimum: 1, maximum: 2))
    func refusal(_ body: (Save) throws -> Void) throws -> String? { try storeErrorText { try bench.store.save(body) } }
    let many = try refusal { try $0.add("File", [:], ["folder": [folder]]) }
    let none = try refusal { try $0.set(folder, "files", []) }
    let empty = try refusal { try $0.add("Folder") }
    // The files leave because they move to another folder.
    let given = try refusal { try $0.add("Folder", [:], ["files": files]) }
    let deleted = try refusal { save in for file in files { try save.remove(file) } }
    #expect(many == "Folder/p1: files has 3 objects; 1 to 2 fit")
    #expect([none, given, deleted] == Array(repeating: "Folder/p1: files has 0 objects; 1 to 2 fit", count: 3))
    #expect(empty == "Folder/p2: files has 0 objects; 1 to 2 fit")
    #expect(try bench.store.newest() == 1)
    try bench.store.save { save in try save.add("Folder", [:], ["files": [files[0]]]) }
    #expect(try bench.targets(folder, "files") == ["File/p2"])
  }

  @Test func `a relationship without an inverse checks its count when objects leave it`() throws {
    let model = ModelDescription(entities: [
      EntityDescription(
        "Box", relationships: [RelationshipDescription("balls", to: "Ball", isToMany: true, minimumCount: 1)]),
      EntityDescription("Ball"),
    ])
    let bench = try StoreFixture(model)
    let ball = try bench.add(1, "Ball")[0]
    try bench.store.save { try $0.add("Box", [:], ["balls": [ball]]) }
    let taken = try storeErrorText { try bench.store.save { try $0.add("Box", [:], ["balls": [ball]]) } }
    let deleted = try storeErrorText { try bench.store.save { try $0.remove(ball) } }
    #expect(
      [taken, deleted] == ["Box/p1: balls has 0 objects; 1 at least", "Box/p1: balls has 0 objects; 1 at least"])
  }
}
