// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import TestSupport
import Testing

/// A store in the layout of Apple's SwiftData, which the test writes by plain SQL.
@Suite(.temporaryDirectory)
struct RecipeStoreTests {
  private let directory = TemporaryDirectory()

  private func read(
    hasHistory: Bool = true, _ types: any PersistentModel.Type..., body: (ModelContext, _ path: String) throws -> Void
  ) throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("recipes.store")
      try RecipeStore.make(path, hasHistory: hasHistory)
      // An empty log is made by whoever opens a store in WAL mode first.
      _ = try plainRows(path, "SELECT count(*) FROM Z_METADATA")
      let before = storeBytes(path)
      try body(ModelContext(try readOnlyContainer(path, types.isEmpty ? [Cooking.Recipe.self] : types)), path)
      #expect(storeBytes(path) == before)
    }
  }

  private func recipes(_ context: ModelContext) throws -> [Cooking.Recipe] {
    try context.fetch(FetchDescriptor<Cooking.Recipe>(sortBy: [SortDescriptor(\.title)]))
  }

  @Test func `plain values are read`() throws {
    try read { context, _ in
      let (curry, rice) = (try recipes(context)[0], try recipes(context)[1])
      #expect(curry.title == "Curry" && rice.title == "Rice")
      #expect(curry.id == RecipeStore.first && rice.id == RecipeStore.author)
      #expect(curry.created == Date(timeIntervalSinceReferenceDate: 700_000_000))
      #expect(rice.created == Date(timeIntervalSinceReferenceDate: 700_000_000.25))
      #expect(curry.servings == 4 && curry.price == Decimal(string: "12.5") && rice.price == 7)
      #expect(curry.link == URL(string: "https://example.com/a%20b") && rice.link == nil)
    }
  }

  @Test func `structures and enumerations are read from their columns`() throws {
    try read { context, _ in
      let (curry, rice) = (try recipes(context)[0], try recipes(context)[1])
      #expect(curry.level == .hard && rice.level == .easy)
      #expect(curry.folder == .user && rice.folder == .all)
      #expect(
        curry.author
          == Cooking.Author(id: RecipeStore.author, person: "Ann", place: Cooking.Place(city: "Graz", street: nil)))
      #expect(rice.author == nil)
      #expect(
        curry.tags == Cooking.Tags(spices: [Cooking.Spice(name: "Chili", heat: .hot(3))], isHot: true, tags: ["old"]))
      #expect(rice.tags == nil)
      // In one column, as JSON.
      #expect(curry.origin == Cooking.Place(city: "Bangkok", street: nil) && rice.origin == nil)
    }
  }

  @Test func `collections are read from JSON, property lists and archives`() throws {
    try read { context, _ in
      let (curry, rice) = (try recipes(context)[0], try recipes(context)[1])
      #expect(curry.keywords == ["spicy", "red"] && rice.keywords == ["quick", "é"])
      #expect(curry.marks == ["one": 1, "two": 2] && rice.marks == nil)
    }
  }

  @Test func `data are read from the row and from files beside the store`() throws {
    try read { context, _ in
      let (curry, rice) = (try recipes(context)[0], try recipes(context)[1])
      #expect(rice.picture == Data([9, 8]))
      #expect(curry.picture == Data(repeating: 7, count: 300_000))
    }
  }

  @Test func `relationships are followed both ways, ordered ones in their order`() throws {
    try read { context, _ in
      let (curry, rice) = (try recipes(context)[0], try recipes(context)[1])
      #expect(curry.steps.map(\.text) == ["Cut", "Fry"] && rice.steps.map(\.text) == ["Boil"])
      #expect(curry.steps.allSatisfy { $0.recipe === curry })
      #expect(Set(curry.cuisines.compactMap(\.name)) == ["Thai", "Indian"])
      #expect(Set(curry.cuisines.first { $0.name == "Thai" }?.recipes.map(\.title) ?? []) == ["Curry", "Rice"])
    }
  }

  @Test func `predicates can use elements, members of collections and related objects`() throws {
    try read { context, _ in
      func titles(_ predicate: Predicate<Cooking.Recipe>) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
      }
      let (hard, author) = (Cooking.Level.hard, RecipeStore.author)
      let found = [
        try titles(#Predicate { $0.level == hard }), try titles(#Predicate { $0.author?.id == author }),
        try titles(#Predicate { $0.author == nil }), try titles(#Predicate { $0.tags?.isHot == true }),
        try titles(#Predicate { $0.keywords.contains("red") }),
        // A property list in the column.
        try titles(#Predicate { $0.keywords.contains("quick") }), try titles(#Predicate { $0.marks != nil }),
        try titles(#Predicate { $0.origin != nil }),
        try titles(#Predicate { $0.steps.contains { $0.text == "Fry" } }),
        try titles(#Predicate { $0.cuisines.contains { $0.name == "Thai" } }),
      ]
      #expect(
        found == [
          ["Curry"], ["Curry"], ["Rice"], ["Curry"], ["Curry"], ["Rice"], ["Curry"], ["Curry"], ["Curry"],
          ["Curry", "Rice"],
        ])
      let inner = #Predicate<Cooking.Recipe> { $0.author?.place.city == "Graz" }
      #expect(throws: SwiftDataError.unsupportedPredicate) { _ = try titles(inner) }
    }
  }

  @Test func `history contains inserts, updates and deletes`() throws {
    try read { context, _ in
      var lines: [String] = []
      for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
        #expect(transaction.bundleIdentifier == "com.example.cook" && transaction.processIdentifier == "Cook")
        for change in transaction.changes {
          let (number, key) = (transaction.transactionIdentifier, keyText(change.changedPersistentIdentifier))
          switch change {
          case .insert: lines.append("\(number) insert \(key)")
          case .update(let change):
            let entity = change.changedPersistentIdentifier.entityName
            let recipe = change as? DefaultHistoryUpdate<Cooking.Recipe>
            let step = change as? DefaultHistoryUpdate<Cooking.Step>
            let names = [
              (\Cooking.Recipe.author as AnyKeyPath, "author"), (\Cooking.Recipe.keywords, "keywords"),
              (\Cooking.Recipe.picture, "picture"), (\Cooking.Recipe.steps, "steps"), (\Cooking.Recipe.title, "title"),
              (\Cooking.Step.text, "text"),
            ].filter { path, _ in
              recipe?.updatedAttributes.contains { $0 as AnyKeyPath == path } ?? false
                || step?.updatedAttributes.contains { $0 as AnyKeyPath == path } ?? false
            }.map(\.1)
            lines.append("\(number) update \(entity) \(key) \(names.joined(separator: ","))")
          case .delete(let change):
            let delete = try #require(change as? DefaultHistoryDelete<Cooking.Recipe>)
            lines.append("\(number) delete \(key) " + row(delete.tombstone[\.title], delete.tombstone[\.id]))
          }
        }
      }
      #expect(
        lines == [
          "1 insert 1", "1 insert 2", "2 update Recipe 1 author,keywords,picture,steps", "2 update Step 1 text",
          "3 delete 3 Gone | mZmZmZmZmZmZmZmZmZmZmQ==",
        ])
    }
  }

  @Test func `a store without history is read, and a history fetch reports that it has none`() throws {
    try read(hasHistory: false) { context, path in
      let titles = try recipes(context).map(\.title)
      #expect(titles == ["Curry", "Rice"])
      let words = explanation(of: .invalidTransactionFetchRequest) {
        _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      }
      #expect(
        words == "\(path) keeps no transaction history: the program that made it does not record one; fetch the objects"
      )
    }
  }

  @Test func `nothing is saved, and a configuration that allows it is refused`() throws {
    try read { context, path in
      context.insert(Cooking.Cuisine())
      let refused = explanation(of: .saveFailure) { try context.save() }
      #expect(
        refused
          == "the configuration recipes is read-only, because Apple's software made its store: save to a store of your own"
      )
      let url = URL(fileURLWithPath: path)
      let unopened = explanation(of: .loadIssueModelContainer) {
        _ = try ModelContainer(for: Cooking.Recipe.self, configurations: ModelConfiguration(url: url))
      }
      #expect(
        unopened == "\(path) was made by Apple's software and can only be read: open it by "
          + "ModelConfiguration(url:allowsSave:) with allowsSave: false")
    }
  }

  @Test func `a file's name in a row may end with a zero byte`() throws {
    let path = directory.file("recipes.store")
    try RecipeStore.make(path)
    try execute(
      "UPDATE ZRECIPE SET ZPICTURE = CAST(ZPICTURE || x'00' AS BLOB) WHERE Z_PK = 1", URL(fileURLWithPath: path))
    let curry = try recipes(ModelContext(try readOnlyContainer(path, [Cooking.Recipe.self]))).first
    #expect(curry?.picture == Data(repeating: 7, count: 300_000))
  }

  @Test func `without the file's model, names match regardless of case`() throws {
    let path = directory.file("recipes.store")
    try RecipeStore.make(path)
    try execute("DELETE FROM Z_MODELCACHE", URL(fileURLWithPath: path))
    let context = ModelContext(try readOnlyContainer(path, [PlainCooking.Recipe.self]))
    let found = try context.fetch(FetchDescriptor<PlainCooking.Recipe>(sortBy: [SortDescriptor(\.title)]))
    #expect(found.map(\.title) == ["Curry", "Rice"] && found.map(\.isHot) == [true, nil])
    #expect(found[0].id1 == RecipeStore.first)
    let words = explanation(of: .loadIssueModelContainer) { _ = try readOnlyContainer(path, [PlainCooking.Step.self]) }
    #expect(
      words.split(separator: "\n").map(String.init) == [
        "\(path) cannot be read by the classes of this schema:",
        "- Step.recipe: the store's entity has no relationship of this name",
        "- the model in Z_MODELCACHE cannot be used, so names and types come from the columns: there is none",
      ])
  }

  @Test func `a migration plan does not change an Apple store`() throws {
    let path = directory.file("recipes.store")
    try RecipeStore.make(path)
    let container = try ModelContainer(
      for: Schema(versionedSchema: SecondCooking.self), migrationPlan: CookingPlan.self,
      configurations: [ModelConfiguration(url: URL(fileURLWithPath: path), allowsSave: false)])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Cooking.Recipe>()) == 2)
  }

  @Test func `an Apple store and a store of this program are used together`() throws {
    let path = directory.file("recipes.store")
    try RecipeStore.make(path, hasHistory: false)
    let own = ModelConfiguration(
      "own", schema: Schema([Work.self, Author.self]), url: URL(fileURLWithPath: directory.file("own.store")))
    let cooking = ModelConfiguration(
      "cooking", schema: Schema([Cooking.Recipe.self]), url: URL(fileURLWithPath: path), allowsSave: false)
    let container = try ModelContainer(
      for: Schema([Work.self, Author.self, Cooking.Recipe.self]), configurations: [own, cooking])
    let context = ModelContext(container)
    context.insert(Work(title: "Cooking"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Work>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Cooking.Recipe>()) == 2)
    // One of them keeps a history.
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    let observer = try HistoryObserver(modelContainer: container)
    #expect(observer.eventCounter == 0)
  }

  @Test func `elements that are missing or of another type are differences`() throws {
    let path = directory.file("recipes.store")
    try RecipeStore.make(path)
    let words = explanation(of: .loadIssueModelContainer) {
      _ = try readOnlyContainer(path, [OtherCooking.Recipe.self])
    }
    #expect(
      words.split(separator: "\n").map(String.init) == [
        "\(path) cannot be read by the classes of this schema:",
        "- Recipe.author.id: the class declares String, and the store holds UUID",
        "- Recipe.author.age: the store's attribute has no such element",
        "- Recipe.level: the class declares Int, and the store holds String",
        "- Recipe.tags: the class declares String, and the store holds a composite of other elements",
        "- Recipe.price: the class declares Int, and the store holds Decimal",
        "- Recipe.created: the class declares Double, and the store holds Date",
      ])
  }

  @Test func `values are read as types that hold them`() throws {
    try read(WideCooking.Recipe.self) { context, _ in
      let found = try context.fetch(FetchDescriptor<WideCooking.Recipe>(sortBy: [SortDescriptor(\.title)]))
      #expect(found.map(\.servings) == [4, 2] && found.map(\.link) == ["https://example.com/a%20b", nil])
      #expect(found[0].marks?.starts(with: Data("bplist00".utf8)) == true)
      #expect(found.map(\.rename) == ["Curry", "Rice"])
    }
  }

  @Test func `rows whose values cannot be decoded are counted`() throws {
    let path = directory.file("recipes.store")
    try RecipeStore.make(path)
    try execute(
      "UPDATE ZRECIPE SET ZLEVEL = 'odd', ZUSER = NULL, ZALL = NULL; UPDATE ZRECIPE SET ZKEYWORDS = x'00' WHERE Z_PK = 2",
      URL(fileURLWithPath: path))
    let words = explanation(of: .loadIssueModelContainer) { _ = try readOnlyContainer(path, [Cooking.Recipe.self]) }
    #expect(
      words.split(separator: "\n").map(String.init) == [
        "\(path) cannot be read by the classes of this schema:",
        "- Recipe.level: 2 of 2 rows hold a value that is not Level, such as Recipe/p1",
        "- Recipe.folder: 2 of 2 rows hold a value that is not Folder, such as Recipe/p1",
        "- Recipe.keywords: 1 of 2 rows holds a value that is not Array<String>, such as Recipe/p2",
      ])
  }

  @Test func `rows that lack an element of a structure are counted`() throws {
    let path = directory.file("recipes.store")
    try RecipeStore.make(path)
    try execute("UPDATE ZRECIPE SET ZPERSON = 'Bob' WHERE Z_PK = 2", URL(fileURLWithPath: path))
    let words = explanation(of: .loadIssueModelContainer) {
      _ = try readOnlyContainer(path, [StrictCooking.Recipe.self])
    }
    #expect(
      words.split(separator: "\n").map(String.init) == [
        "\(path) cannot be read by the classes of this schema:",
        "- Recipe.author.id: 1 of 2 rows holds no value, and the property is not optional",
        "- Recipe.link: 1 of 2 rows holds no value, and the property is not optional",
        "- Recipe.marks: 1 of 2 rows holds no value, and the property is not optional",
      ])
  }
}

private enum OtherCooking {
  struct Author: Codable {
    var id: String
    var age: Int
  }

  @Model final class Recipe {
    var author: Author?
    var level: Int?
    var tags: String?
    var price: Int?
    var created: Double
    init() { created = 0 }
  }
}

private enum StrictCooking {
  struct Author: Codable {
    var id: UUID
    var person: String?
  }

  @Model final class Recipe {
    var author: Author?
    var link: URL
    var marks: [String: Int]
    init(_ link: URL) { (self.link, marks) = (link, [:]) }
  }
}

private enum PlainCooking {
  @Model final class Recipe {
    var title: String
    var isHot: Bool?
    var id1: UUID
    init(_ title: String) { (self.title, id1) = (title, UUID()) }
  }

  @Model final class Step {
    var text: String
    var recipe: Recipe?
    init(_ text: String) { self.text = text }
  }
}

private enum FirstCooking: VersionedSchema {
  static var models: [any PersistentModel.Type] { [PlainCooking.Recipe.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

private enum SecondCooking: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Cooking.Recipe.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
}

private enum CookingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstCooking.self, SecondCooking.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: FirstCooking.self, toVersion: SecondCooking.self)]
  }
}

private enum WideCooking {
  @Model final class Recipe {
    var title: String
    @Attribute(originalName: "title") var rename: String
    var servings: Double?
    var link: String?
    var marks: Data?
    init(_ title: String) { (self.title, rename) = (title, title) }
  }
}
