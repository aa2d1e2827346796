// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

/// A store that other processes save to.
final class OtherProcess {
  let directory: TemporaryDirectory
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    directory = TemporaryDirectory()
    container = try entryContainer(in: directory)
    context = ModelContext(container)
    context.author = "here"
  }

  deinit { directory.remove() }

  /// Starts `ModelWriter` on the store.
  func start(_ arguments: [String], by author: String = "there") throws -> Shell.Running {
    try Shell(in: directory).start(
      [directory.file("diary.store"), author] + arguments, program: Shell.products + "/ModelWriter")
  }

  /// Runs `ModelWriter` to its end, without keeping the caller's actor.
  func run(
    _ arguments: String..., by author: String = "there", isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let process = try start(arguments, by: author)
    let isOver = await waitUntil(within: 300) { !process.isRunning }
    let outcome = isOver ? process.wait() : process.end()
    try #require(outcome.code == 0, "\(outcome)")
  }

  func entry(_ title: String) throws -> Entry {
    let entry = Entry(title)
    context.insert(entry)
    try context.save()
    return entry
  }

  /// What a context of its own reads.
  func stored() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.title)])).map {
      "\($0.title) \($0.topic ?? "-") \($0.day)"
    }
  }
}
