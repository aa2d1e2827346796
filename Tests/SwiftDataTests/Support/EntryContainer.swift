// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport

/// A container over a file of its own.
func entryContainer(in directory: TemporaryDirectory) throws -> ModelContainer {
  try ModelContainer(
    for: Entry.self, Comment.self,
    configurations: ModelConfiguration(url: URL(fileURLWithPath: directory.file("diary.store"))))
}

/// Saves one entry in a context of its own.
@discardableResult
func write(_ title: String, day: Int = 0, by author: String? = nil, in container: ModelContainer) throws
  -> PersistentIdentifier
{
  let context = ModelContext(container)
  context.author = author
  let entry = Entry(title, day: day)
  context.insert(entry)
  try context.save()
  return entry.persistentModelID
}

/// What several threads note, in order.
final class ConcurrentLog<Note: Sendable>: @unchecked Sendable {
  // Unchecked: the notes are behind the lock.

  private let lock = NSLock()
  private var notes: [Note] = []

  func add(_ note: Note) { lock.withLock { notes.append(note) } }
  var all: [Note] { lock.withLock { notes } }
}
