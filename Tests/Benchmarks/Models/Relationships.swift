// SPDX-License-Identifier: MIT

internal import SwiftData

@Model final class Folder {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Item.folder) var items: [Item] = []
  @Relationship(inverse: \Item.tags) var tagged: [Item] = []
  /// Leads one way.
  @Relationship(inverse: nil) var picks: [Item] = []

  init(_ name: String) { self.name = name }
}

@Model final class Item {
  var number: Int
  var folder: Folder?
  var tags: [Folder] = []

  init(_ number: Int) { self.number = number }
}

/// Measures changes of to-many relationships, object by object, beside the same loop over a plain array that the
/// relationship is then set to. Both end with one save.
struct RelationshipBenchmark {
  let sizes: [Int]
  let rounds: Int
  let directory: URL

  private struct Kind {
    let name: String
    let change: (Folder, (inout [Item]) -> Void) -> Void

    static var all: [Kind] {
      [
        Kind(name: "one-to-many") { $1(&$0.items) },
        Kind(name: "many-to-many") { $1(&$0.tagged) },
        Kind(name: "no inverse") { $1(&$0.picks) },
      ]
    }
  }

  /// A store with a folder whose relationship has `count` items, in a context that has read them all.
  private struct FolderStore {
    let context: ModelContext
    let folder: Folder
    /// Twice as many as the relationship has at first: the other half is in no relationship.
    var items: [Item] = []
    let change: ((inout [Item]) -> Void) -> Void

    init(_ url: URL, _ kind: Kind, _ size: Int, filled: Bool) throws {
      context = ModelContext(
        try ModelContainer(for: Schema([Folder.self, Item.self]), configurations: [ModelConfiguration(url: url)]))
      let folder = Folder("folder")
      self.folder = folder
      change = { kind.change(folder, $0) }
      context.insert(folder)
      items = (0..<(size * 2)).map { Item($0) }
      for item in items { context.insert(item) }
      if filled { change { $0 = Array(items[..<size]) } }
      try context.save()
    }
  }

  private struct Operation {
    let name: String
    let kinds: [String]
    /// Whether the relationship has all items of the first half to begin with.
    let isFilled: Bool
    /// Whether the same loop over a plain array takes quadratic time too.
    var isQuadratic = false
    let ours: (FolderStore, Int) -> Void
    let plain: (FolderStore, Int) -> Void

    static func array(
      _ name: String, isFilled: Bool, isQuadratic: Bool = false, _ step: @escaping (inout [Item], Int, [Item]) -> Void
    ) -> Operation {
      Operation(
        name: name, kinds: Kind.all.map(\.name), isFilled: isFilled, isQuadratic: isQuadratic,
        ours: { store, size in for index in 0..<size { store.change { step(&$0, index, store.items) } } },
        plain: { store, size in
          var array: [Item] = []
          store.change { array = $0 }
          for index in 0..<size { step(&array, index, store.items) }
          store.change { $0 = array }
        })
    }
  }

  private static func operations(_ size: Int) -> [Operation] {
    [
      .array("append", isFilled: false) { $0.append($2[$1]) },
      .array("append to a loaded one", isFilled: true) { $0.append($2[$2.count / 2 + $1]) },
      .array("+= of ten", isFilled: false) { if $1 % 10 == 0 { $0 += $2[$1..<min($1 + 10, $2.count)] } },
      .array("insert(at: 0)", isFilled: false, isQuadratic: true) { $0.insert($2[$1], at: 0) },
      .array("insert(at: count)", isFilled: false) { $0.insert($2[$1], at: $0.count) },
      .array("removeLast", isFilled: true) { array, _, _ in array.removeLast() },
      .array("remove(at: 0)", isFilled: true, isQuadratic: true) { array, _, _ in array.remove(at: 0) },
      .array("removeAll", isFilled: true) { array, index, _ in if index == 0 { array.removeAll() } },
      .array("reassignment", isFilled: true) { array, index, all in
        if index == 0 { array = Array(all[(all.count / 2)...]) }
      },
      Operation(
        name: "count and isEmpty", kinds: ["one-to-many"], isFilled: true,
        ours: { store, size in
          for _ in 0..<size { precondition(store.folder.items.count == size && !store.folder.items.isEmpty) }
        },
        plain: { store, size in
          let array = store.items
          for _ in 0..<size { precondition(array.count == size * 2 && !array.isEmpty) }
        }),
      Operation(
        name: "set of the to-one side", kinds: ["one-to-many"], isFilled: false,
        ours: { store, size in for item in store.items[..<size] { item.folder = store.folder } },
        plain: appendAll),
      Operation(
        name: "set to nil of the to-one side", kinds: ["one-to-many"], isFilled: true,
        ours: { store, size in for item in store.items[..<size] { item.folder = nil } },
        plain: { store, _ in store.change { $0 = [] } }),
      Operation(
        name: "append to the other side", kinds: ["many-to-many"], isFilled: false,
        ours: { store, size in for item in store.items[..<size] { item.tags.append(store.folder) } },
        plain: appendAll),
      Operation(
        name: "cascade", kinds: ["one-to-many"], isFilled: true,
        ours: { store, _ in store.context.delete(store.folder) },
        plain: { store, size in
          var array: [Item] = []
          for item in store.items[size...] { array.append(item) }
          for item in array { store.context.delete(item) }
        }),
    ]
  }

  private static func appendAll(_ store: FolderStore, _ size: Int) {
    var array: [Item] = []
    for item in store.items[..<size] { array.append(item) }
    store.change { $0 = array }
  }

  func run() throws {
    print("| relationship | change | objects | relationship | plain array | ratio | growth |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for kind in Kind.all {
      for operation in Self.operations(0) where operation.kinds.contains(kind.name) {
        var last: (size: Int, time: Double)?
        for size in sizes {
          let ours = try time(operation.ours, operation, kind, size)
          let plain = try time(operation.plain, operation, kind, size)
          let growth = last.map { String(format: "%.1f", ours / $0.time / (Double(size) / Double($0.size)) * 10) } ?? ""
          print(
            String(
              format: "| %@ | %@%@ | %d | %.1f ms | %.1f ms | %.2f | %@ |", kind.name, operation.name,
              operation.isQuadratic ? " (quadratic)" : "", size, ours * 1_000, plain * 1_000, ours / plain, growth))
          last = (size, ours)
        }
      }
    }
  }

  /// The median time of the change and its save, in seconds.
  private func time(
    _ change: (FolderStore, Int) -> Void, _ operation: Operation, _ kind: Kind, _ size: Int
  ) throws -> Double {
    var times: [Double] = []
    for _ in 0..<rounds {
      let url = directory.appendingPathComponent("\(UUID()).store")
      let store = try FolderStore(url, kind, size, filled: operation.isFilled)
      let clock = ContinuousClock()
      let start = clock.now
      change(store, size)
      try store.context.save()
      let duration = clock.now - start
      times.append(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
    }
    return times.sorted()[times.count / 2]
  }
}
