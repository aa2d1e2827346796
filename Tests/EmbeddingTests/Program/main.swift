// SPDX-License-Identifier: MIT

import Followspot
import SwiftData

@Model final class Film {
  @Attribute(.unique, .spotlight) var title: String
  @Attribute(.spotlight) var plot: String
  var year: Int

  init(_ title: String, year: Int, plot: String) {
    self.title = title
    self.year = year
    self.plot = plot
  }
}

let store = URL(fileURLWithPath: "films.store")
let context = ModelContext(try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: store)))
context.author = "me"
context.insert(Film("Up", year: 2009, plot: "An old man flies away in his house."))
context.insert(Film("WALL-E", year: 2008, plot: "A robot cleans the earth."))
try context.save()

let index = StoreIndex(of: store)
let follower = Task { try await index.follow() }  // on a thread of its own, until it is cancelled
try await index.update()  // what was saved before is found from here on

let hits = try await index.search("flying OR robots").hits
for film in try context.fetch(Film.self, uriRepresentations: hits.map(\.id)) {
  print(film.title, film.year)
  if film.year < 2009 { context.delete(film) }
}
try context.save()
try await index.update()
print("left:", try await index.search("robots OR year:2000..").hits.map(\.title))

for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
  print("transaction \(transaction.transactionIdentifier) by \(transaction.author ?? "-"):", transaction.changes.count)
}
follower.cancel()
try await follower.value
