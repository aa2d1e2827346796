// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

/// Several stores that a program searches as one.
///
/// The order of the hits is that of one store with all objects: the frequencies of words are those of the whole group. The
/// answers cover the newest transaction of each store. A store that cannot be read is named by `SearchAnswer.missing`, and the
/// others answer.
public final class StoreGroup: Sendable {
  /// A store of a group.
  public struct Member: Sendable {
    /// The name of the store in the group, as in `@store:films` and `SearchHit.store`.
    public let name: String
    /// The store and its index.
    public let index: StoreIndex

    /// - Parameters:
    ///   - name: The name of the store in the group.
    ///   - index: The store and its index.
    public init(_ name: String, _ index: StoreIndex) { (self.name, self.index) = (name, index) }
  }

  /// The stores, in the order of the group.
  public let members: [Member]

  let report: @Sendable (String) -> Void
  let idle = IdleSearch<SearchGroup>()
  let live = SharedWhileUsed()

  /// Creates the handle of a group. No file is opened yet.
  ///
  /// - Parameters:
  ///   - members: At least one. Names and indexes are distinct.
  ///   - report: Called with one sentence per unusual event, such as a store that is not followed any more. It runs on any
  ///     thread, and must not block.
  /// - Throws: `FollowspotError` with the code `.usage` if there is no member, or if two have one name or one index.
  public init(_ members: [Member], report: @escaping @Sendable (String) -> Void = { _ in }) throws(FollowspotError) {
    guard !members.isEmpty else { throw FollowspotError(usage: "a group needs a store") }
    var names: Set<String> = []
    var directories: Set<String> = []
    for member in members {
      guard names.insert(member.name).inserted else {
        throw FollowspotError(usage: "two stores of the group have the name '\(member.name)'")
      }
      guard directories.insert(member.index.directory.standardizedFileURL.path).inserted else {
        throw FollowspotError(usage: "two stores of the group have one index: \(member.index.directory.path)")
      }
    }
    (self.members, self.report) = (members, report)
  }

  /// Updates the index of each store to the newest transaction, one after the other, and builds what is missing.
  ///
  /// - Throws: The first error, after the other stores were updated; `CancellationError`.
  public func update() async throws {
    var failure: (any Error)?
    for member in members {
      do { try await member.index.update() } catch let error as CancellationError { throw error } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Updates the indexes after every save to one of the stores, until the task is cancelled or no store can be followed any
  /// more. A store that cannot be followed is reported, and the others go on.
  ///
  /// - Parameter reached: Called on a thread of the index with the name of a store and its newest indexed transaction.
  /// - Throws: The first error, if no store can be followed any more.
  public func follow(reached: @escaping @Sendable (String, Int64) -> Void = { _, _ in }) async throws {
    let failures = await withTaskGroup(of: (any Error)?.self) { tasks in
      for member in members {
        tasks.addTask {
          do { try await member.index.follow { reached(member.name, $0) } } catch {
            self.report("\(member.name) is not followed: \(error)")
            return error
          }
          return nil
        }
      }
      return await tasks.reduce(into: [any Error]()) { failures, error in failures += error.map { [$0] } ?? [] }
    }
    if failures.count == members.count, let failure = failures.first { throw failure }
  }
}

extension StoreGroup: SearchSource {
  var storePaths: [String] { members.map(\.index.store.path) }

  func open() throws -> SearchGroup {
    // The program may have connections to the stores.
    try SearchGroup(
      members.map { .store(name: $0.name, path: $0.index.store.path, $0.index.indexDirectory) }, readsAtRest: false)
  }
}
