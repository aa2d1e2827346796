// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Compares the index with the store while a follower is idle, a slice of rows at a time, and starts again at the end. It
/// finds damaged postings and positions, which a search cannot notice.
package final class IdleVerify {
  /// How much is compared, and how often.
  package struct Pace: Sendable {
    /// The duration of a slice, which ends after the row that is being compared.
    var slice: Duration = .milliseconds(50)
    /// The minimum pause after each slice.
    var pause: Duration = .seconds(10)
    /// The factor by which a pause is longer than the slice before it.
    var factor = 200

    package init() {}

    /// - Parameter pause: The whole pause, however long slices last.
    package init(pause: Duration) {
      self.pause = pause
      factor = 0
    }
  }

  /// What a slice has found.
  enum Fault {
    /// Files of the index do not contain what was written.
    case damage(String)
    /// An undamaged document differs from its row.
    case difference(String)
    /// Rows of the store cannot be read.
    case unreadable(String)
  }

  private let pace: Pace
  private let clock = ContinuousClock()
  private var due: ContinuousClock.Instant
  /// The start of the next slice: the index of the entity among the indexed ones, and the key.
  private var position = (plan: 0, key: Int64.min)
  /// The reports about unreadable rows, which are not repeated.
  private var known: Set<String> = []

  init(_ pace: Pace) {
    self.pace = pace
    due = clock.now + pace.pause
  }

  var isDue: Bool { clock.now >= due }

  /// Compares the next slice; nil where it is equal, or where index and store are not at one transaction.
  ///
  /// - Parameter path: Of the serving generation. It is opened anew: what a writer keeps in memory tells nothing of its
  ///   files.
  func run(_ store: PersistentStore, _ mapper: DocumentMapper, path: String) throws -> Fault? {
    let begun = clock.now
    defer { due = clock.now + max(pace.pause, (clock.now - begun) * pace.factor) }
    do {
      let reader = try IndexReader(path: path)
      let state = try IndexState.read(reader)
      try reader.setStemmer(state.definition.language)
      return try store.withSnapshot {
        guard try state.verdict(in: store) == .valid, try store.newest() == state.token?.number else { return nil }
        let comparison = Comparison(store: store, mapper: mapper, progress: Progress(show: { _ in }))
        return try compare(comparison, reader, until: begun + pace.slice)
      }
    } catch let error as IndexError where error.code == .corrupt {
      return .damage(error.message)
    } catch let error as StoreError where [.corrupt, .unreadable].contains(error.code) {
      // What lies behind such a row is not reached: go on with the next entity.
      position = (position.plan + 1, .min)
      return known.insert(error.message).inserted ? .unreadable(error.message) : nil
    }
  }

  private func compare(
    _ comparison: Comparison, _ reader: IndexReader, until deadline: ContinuousClock.Instant
  ) throws -> Fault? {
    let rejected = try FailedRows.rejected(in: reader)
    let plans = comparison.mapper.plans
    while position.plan < plans.count {
      let plan = plans[position.plan]
      let rows = try comparison.store.rows(
        of: plan.entity, attributes: plan.attributes, keys: position.key...Int64.max)
      while let row = try rows.next() {
        let mapped = try comparison.mapper.map(row, plan, from: comparison.store)
        if let fault = try fault(of: mapped, comparison, rejected, reader) { return fault }
        position.key = max(row.key, row.key &+ 1)
        if clock.now > deadline { return nil }
      }
      position = (position.plan + 1, .min)
    }
    position = (0, .min)
    return nil
  }

  private func fault(
    of mapped: MappedDocument, _ comparison: Comparison, _ rejected: [[UInt8]: ContentDigest], _ reader: IndexReader
  ) throws -> Fault? {
    if try comparison.isRejected(mapped, rejected, reader) { return nil }
    var fault: Fault?
    _ = try comparison.compare(mapped, with: reader, deep: reader) { difference in
      if case .damaged = difference {
        fault = .damage("the words of \(mapped.name) differ from those that were written")
      } else {
        fault = .difference("\(mapped.name) differs from its row in the store")
      }
    }
    return fault
  }
}

extension Indexer {
  /// Compares a slice of the index, and repairs what it finds: a different content by comparing all rows, damage by a
  /// rebuild.
  func verify(_ slices: IdleVerify) throws {
    guard let store, let mapper, let generation else { return }
    guard let fault = try slices.run(store, mapper, path: generation.path) else { return }
    // Of a generation that was switched away and removed meanwhile nothing can be read either.
    guard try options.directory.serving() == generation else { return }
    switch fault {
    case .unreadable(let what): options.report("\(what); the index of such rows is not compared")
    case .difference(let what):
      do {
        try IndexReader.check(path: generation.path)
        return try reconcile("the index differs from the store: \(what)")
      } catch let error as IndexError where error.code == .corrupt {
        try replace(generation, because: error.message)
      }
    case .damage(let what): try replace(generation, because: what)
    }
  }

  private func replace(_ generation: IndexDirectory.Generation, because reason: String) throws {
    options.report("the index \(generation.path) is damaged (\(reason)): rebuilding beside it")
    discard()
    try rebuild(definition: nil)
  }
}
