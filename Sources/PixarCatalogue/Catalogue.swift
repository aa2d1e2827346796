// SPDX-License-Identifier: MIT

import SwiftData

/// A store of films, people and credits, managed with SwiftData.
struct Catalogue {
  private let context: ModelContext

  /// Opens the store at `path`, or creates it.
  ///
  /// - Parameter author: The author that the history records for each save.
  init(path: String, author: String) throws {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    let container = try ModelContainer(
      for: PixarMovie.self, PixarCredit.self, PixarPerson.self, configurations: configuration)
    context = ModelContext(container)
    context.author = author
  }

  /// Adds films with their people. A film whose title already exists is not changed.
  func add(_ films: [FilmFacts]) throws -> String {
    let known = Set(try context.fetch(FetchDescriptor<PixarMovie>()).map(\.title))
    let everybody = try context.fetch(FetchDescriptor<PixarPerson>())
    var people = Dictionary(uniqueKeysWithValues: everybody.map { ($0.name, $0) })
    for facts in films where !known.contains(facts.title) {
      let movie = PixarMovie(facts)
      context.insert(movie)
      for credit in facts.people {
        let person = people[credit.name] ?? PixarPerson(name: credit.name)
        people[credit.name] = person
        context.insert(PixarCredit(role: credit.role, movie: movie, person: person))
      }
    }
    return try save()
  }

  func favor(_ title: String) throws -> String {
    try movie(title).isFavorite = true
    return try save()
  }

  func delete(_ title: String) throws -> String {
    context.delete(try movie(title))
    return try save()
  }

  private func movie(_ title: String) throws -> PixarMovie {
    let wanted = FetchDescriptor<PixarMovie>(predicate: #Predicate { $0.title == title })
    guard let movie = try context.fetch(wanted).first else { throw CatalogueError("there is no film '\(title)'") }
    return movie
  }

  /// Saves, and returns a summary of the transaction from the history.
  private func save() throws -> String {
    let before = try newestOwnTransaction()
    try context.save()
    guard let saved = try newestOwnTransaction(), saved != before else { return "nothing to save\n" }
    return summary(of: saved)
  }

  private func newestOwnTransaction() throws -> DefaultHistoryTransaction? {
    let author = context.author
    var newest = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.author == author },
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    newest.fetchLimit = 1
    return try context.fetchHistory(newest).first
  }

  private func summary(of transaction: DefaultHistoryTransaction) -> String {
    var films: [String] = []
    var others: [String: Int] = [:]
    for change in transaction.changes {
      let entity = change.changedPersistentIdentifier.entityName
      switch change {
      case .update(let update as DefaultHistoryUpdate<PixarMovie>):
        let movie = context.model(for: update.changedPersistentIdentifier) as? PixarMovie
        let isFavorite = update.updatedAttributes.contains(\PixarMovie.isFavorite)
        films.append("updated \(movie?.title ?? entity)" + (isFavorite ? ", isFavorite" : ""))
      case .delete(let delete as DefaultHistoryDelete<PixarMovie>):
        films.append("deleted \(delete.tombstone[\.title] as? String ?? entity)")
      case .insert: others["inserted \(entity)", default: 0] += 1
      case .update: others["updated \(entity)", default: 0] += 1
      case .delete: others["deleted \(entity)", default: 0] += 1
      }
    }
    let lines = films + others.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let author = transaction.author.map { " by \($0)" } ?? ""
    return "transaction \(transaction.transactionIdentifier)\(author)\n" + lines.map { "  \($0)\n" }.joined()
  }
}
