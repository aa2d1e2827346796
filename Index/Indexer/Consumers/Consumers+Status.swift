// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import Store

extension Consumers {
  /// History that waits longer than this for a consumer makes it stale: thirty days.
  package static let staleAfter: Double = 30 * 86_400

  /// The status of each consumer of `store`. The status of an index is read from its metadata.
  ///
  /// - Parameter staleAfter: Seconds.
  package func statuses(in store: PersistentStore, staleAfter: Double = staleAfter) throws -> [Consumer] {
    let now = Date().timeIntervalSince1970
    let newest = try store.newest()
    return try list().map { name, record in
      var consumer = Consumer(name: name)
      guard let record else {
        consumer.state = .damaged
        consumer.holds = 0
        consumer.reason = "its file in \(directory) cannot be read"
        return consumer
      }
      if let index = record.index {
        try read(IndexDirectory(path: index), record, store, oldest: now - staleAfter, into: &consumer)
      } else {
        consumer.seen = Self.seconds(record.moved)
        consumer.stamp = record.stamp
        try setToken(record.token, record.store == store.uuid ? .current : .foreign, in: store, of: &consumer)
      }
      guard consumer.state == .current, let token = consumer.token else { return consumer }
      consumer.lag = max(0, newest - token)
      // Both conditions: it may have had nothing to read for long, or may just be catching up.
      let waiting = try store.ageOfFirstTransaction(after: token, now: now)
      if let waiting, waiting > staleAfter, consumer.seen ?? 0 < now - staleAfter { consumer.state = .stale }
      return consumer
    }
  }

  /// Sets the token and the state of a consumer, which holds the history after its token if that can still be read.
  private func setToken(
    _ token: Int64?, _ state: Consumer.State, in store: PersistentStore, of consumer: inout Consumer
  ) throws {
    consumer.token = token
    consumer.state = state
    if state == .foreign {
      consumer.reason = "registered with another store at this path"
    } else if let token, try !isReadable(store, after: token) {
      consumer.state = .expired
      consumer.reason = "history that it has not read was purged"
    } else {
      consumer.holds = token
    }
  }

  private func isReadable(_ store: PersistentStore, after token: Int64) throws -> Bool {
    if try token >= store.newest() { return true }
    return try token == 0 ? store.oldest() == 1 : store.hasTransaction(token)
  }

  /// The token of an index is in its generations: the serving one, and the one before, to which `rollback` returns.
  ///
  /// - Parameter oldest: A generation kept for rollback that was last written before this is not waited for: after a
  ///   rollback it is compared with the store.
  private func read(
    _ index: IndexDirectory, _ record: ConsumerRecord, _ store: PersistentStore, oldest: Double,
    into consumer: inout Consumer
  ) throws {
    func isGone(_ reason: String) throws {
      consumer.reason = reason
      try setToken(record.token, record.store == store.uuid ? .gone : .foreign, in: store, of: &consumer)
    }
    let serving: IndexDirectory.Generation
    let token: StoreToken?
    do {
      guard let found = try index.serving() else { return try isGone("there is no index any more") }
      serving = found
      token = try IndexState.readToken(IndexReader(path: serving.path))
    } catch is IndexError {
      return try isGone("its index cannot be read")
    }
    if let token, token.storeUUID != store.uuid { return try isGone("its index follows another store") }
    consumer.seen = index.lastCommit(ofGeneration: serving.number)
    try setToken(token?.number, .current, in: store, of: &consumer)
    // The new generation begins at the transaction that was newest when it was begun, and does not say so yet.
    if FileLock.holder(.rebuild, in: index) != nil {
      consumer.holds = 0
      consumer.reason = "it is being rebuilt"
      return
    }
    for number in index.generations() where number < serving.number {
      let path = index.path(ofGeneration: number)
      guard let holds = consumer.holds, let kept = try? IndexState.readToken(IndexReader(path: path)),
        kept.storeUUID == store.uuid, kept.number < holds, try isReadable(store, after: kept.number)
      else { continue }
      if let seen = index.lastCommit(ofGeneration: number), seen < oldest {
        consumer.reason = "generation \(number), kept for rollback at transaction \(kept.number), is not waited for"
      } else {
        consumer.holds = kept.number
        consumer.reason = "generation \(number) is kept for rollback at transaction \(kept.number)"
      }
    }
  }

  /// Notes in its record where an index is, in case it is gone the next time. Call it under the lock.
  func refresh(in store: PersistentStore) throws {
    let all = try statuses(in: store)
    for case (let name, var record?) in try list() where record.index != nil {
      guard let consumer = all.first(where: { $0.name == name }),
        consumer.state == .current || consumer.state == .stale,
        let holds = consumer.holds, holds > 0, holds != record.token
      else { continue }
      (record.token, record.store, record.moved) = (holds, store.uuid, DateText.now)
      try write(record)
    }
  }
}
