// SPDX-License-Identifier: MIT

internal import Foundation
import SQLite
internal import Store
internal import TestSupport

/// One of several processes that save to one store, so many times. For each save it prints the transaction's number,
/// how often the store was busy before, and how long it took in microseconds.
struct SharedWriter {
  private let store: PersistentStore
  private var catalogue: Catalogue
  private let author: String
  /// The rows that this process made.
  private var keys: [Int64] = []

  init(storePath: String, seed: Int) throws {
    store = try PersistentStore.open(storePath, access: .readWrite)
    catalogue = Catalogue(seed: seed)
    author = "writer-\(seed)"
  }

  mutating func save(_ count: Int, say: (String) -> Void) throws {
    let clock = ContinuousClock()
    for _ in 0..<count {
      let begun = clock.now
      var busy = 0
      var saved: Int64?
      while saved == nil {
        do {
          saved = try saveOnce()
        } catch let error as StoreError where error.code == .busy {
          busy += 1
        }
      }
      say("\(saved ?? 0) \(busy) \(Int((clock.now - begun) / .microseconds(1)))")
    }
  }

  /// One to three inserts, an update, and a deletion where there are many.
  private mutating func saveOnce() throws -> Int64 {
    let film = store.layout.entities[0]
    var now = keys
    let result = try store.save(author: author) { save in
      for _ in 0..<catalogue.number(1...3) { now.append(try save.insert(film, catalogue.film()).key) }
      if let key = catalogue.pick(now) {
        try save.update(film, key: key, [(attribute: 0, value: .text(catalogue.words(3)))])
      }
      while now.count > 50 { try save.delete(film, key: now.removeFirst()) }
    }
    keys = now
    return result.transaction
  }
}
