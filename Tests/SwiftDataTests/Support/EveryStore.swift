// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import TestSupport
import Testing

/// Where the stores of a test are kept.
enum StoreKind: CaseIterable {
  case memory
  /// In files that the test's own containers created.
  case file
  /// In files that earlier containers created; the test's own containers opened them again.
  case reopenedFile
}

/// Runs each test of a suite three times, once for each kind of store. `newContainer(_:)`, `newConfiguration(_:_:)` and
/// `PredicateFixture` make stores of that kind.
struct EveryStore: SuiteTrait, TestTrait, TestScoping {
  struct Storage {
    let kind: StoreKind
    let directory: TemporaryDirectory
  }

  /// nil outside of such suites: stores are in memory.
  @TaskLocal static var storage: Storage?

  var isRecursive: Bool { true }

  /// Each container of a file has a thread of its own, and each context several open files.
  private static let semaphore = AsyncSemaphore(12)

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.semaphore.wait()
    defer { Task { await Self.semaphore.signal() } }
    for kind in StoreKind.allCases {
      let directory = TemporaryDirectory()
      defer { directory.remove() }
      let naming = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("kind of store: \(kind)")
        return issue
      }
      try await Self.$storage.withValue(Storage(kind: kind, directory: directory)) {
        try await naming.provideScope(for: test, testCase: testCase, performing: function)
      }
    }
  }
}

extension Trait where Self == EveryStore {
  static var everyStore: Self { Self() }
}

/// A configuration of a new store of the kind that the test is run for.
func newConfiguration(_ name: String? = nil, _ schema: Schema? = nil) -> ModelConfiguration {
  guard let storage = EveryStore.storage, storage.kind != .memory else {
    return ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
  }
  let url = URL(fileURLWithPath: storage.directory.file("\(UUID()).store"))
  return ModelConfiguration(name ?? "default", schema: schema, url: url)
}

/// A container of a new store of the kind that the test is run for, in which `fill` has saved objects.
func newContainer(
  _ types: [any PersistentModel.Type], fill: (ModelContext) throws -> Void = { _ in }
) throws -> ModelContainer {
  let configuration = newConfiguration()
  func open() throws -> ModelContainer { try ModelContainer(for: Schema(types), configurations: [configuration]) }
  let container = try open()
  let writer = ModelContext(container)
  try fill(writer)
  try writer.save()
  return EveryStore.storage?.kind == .reopenedFile ? try open() : container
}

func newContainer(_ types: any PersistentModel.Type...) throws -> ModelContainer { try newContainer(types) }
