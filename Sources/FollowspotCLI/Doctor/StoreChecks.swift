// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import Glibc
internal import SearchIndex
internal import Store

/// Checks whether the store can be read, written and followed.
enum StoreChecks {
  /// The size in bytes from which a `-wal` indicates that a reader prevents checkpoints.
  private static let largeLog = 64 << 20

  static func findings(
    _ path: String, of directory: IndexDirectory?
  ) -> (findings: [Doctor.Finding], isReadable: Bool) {
    let store: PersistentStore
    let sizes: StoreSizes
    do {
      store = try StoreFile.open(path, busyMilliseconds: 1_000)
      sizes = try store.withSnapshot { try store.sizes() }
    } catch {
      return ([.fail("store", directory?.explaining(error) ?? error)], false)
    }
    let entities = store.layout.entities.count
    var findings: [Doctor.Finding] = [
      .ok("store", "\(path), \(sizes.bytes) bytes, \(entities) \(entities == 1 ? "entity" : "entities")"),
      history(sizes, store), journal(path, sizes, store), permissions(path, store),
    ]
    if let unrecorded = try? store.unrecordedEntities().filter({ try store.keyRange(of: $0) != nil }),
      !unrecorded.isEmpty
    {
      findings.append(
        .ok(
          "history",
          "it records no change of \(unrecorded.map(\.entity.name).joined(separator: ", ")): each pass compares their rows"
        ))
    }
    let remains = Database.of(store)?.remains
    let remedy = "followspot attach repairs it, and followspot detach removes what is left"
    findings += store.remarks.map { .warn("model", $0, hint: $0 == remains ? remedy : nil) }
    if let stamp = try? store.futureStamp(now: Date().timeIntervalSince1970) {
      findings.append(
        .warn("clock", stamp.sentence, hint: "synchronize the clocks of all machines that save, with NTP"))
    }
    if let links = HardLinks.warning(of: path) {
      findings.append(.warn("names", links, hint: Hint.hardLinks))
    }
    if let consumers = try? Consumers(storePath: path).statuses(in: store) {
      findings += consumers.filter { $0.reason != nil }.map { consumer in
        .warn(
          "consumers", "\(consumer.name) is \(consumer.statusText)",
          hint: "followspot history consumers drop '\(consumer.name)', if this consumer is not used any more")
      }
    }
    return (findings, true)
  }

  /// The relations of an ordinary database, a line for each table.
  static func relations(_ path: String, _ readings: ReadingChoice) -> [Doctor.Finding] {
    guard let store = try? StoreFile.open(path, busyMilliseconds: 1_000, readings: readings) else { return [] }
    return RelationList.lines(of: store).map { .ok("relations", $0) }
  }

  private static func history(_ sizes: StoreSizes, _ store: PersistentStore) -> Doctor.Finding {
    guard store.tracking.hasHistory else {
      return .ok("history", "none: changes are found by comparing rows with the index")
    }
    guard sizes.transactions > 0 else {
      guard !store.isOrdinaryDatabase else { return .ok("history", "no change yet; changes from now on are recorded") }
      return .warn("history", "the store has no transaction yet", hint: "saves from now on are followed")
    }
    return .ok("history", "\(HumanText.count(sizes.transactions, "transaction")), \(sizes.changes) changes")
  }

  /// Checks the journal mode. Bytes 18 and 19 of an SQLite file are 2 if the file is in WAL mode.
  private static func journal(_ path: String, _ sizes: StoreSizes, _ store: PersistentStore) -> Doctor.Finding {
    var header = [UInt8](repeating: 0, count: 20)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      return .fail("journal", "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    guard pread(descriptor, &header, header.count, 0) == header.count else {
      return .fail("journal", "\(path) has no header")
    }
    guard header[18] == 2, header[19] == 2 else {
      guard !store.isOrdinaryDatabase else {
        return .ok("journal", "a rollback journal: programs that write wait while the database is read")
      }
      return .warn(
        "journal", "the store is not in WAL mode: a save waits for readers, and they for it",
        hint: "run sqlite3 FILE 'PRAGMA journal_mode = WAL' while no program has the file open")
    }
    if let finding = LogCheck.finding(path) {
      return .warn("journal", finding, hint: "restore the database and its -wal from one backup")
    }
    guard sizes.walBytes < largeLog else {
      return .warn(
        "journal", "the -wal has \(sizes.walBytes) bytes: a reader holds it, or nobody checkpoints it",
        hint: "end programs that keep a read transaction open")
    }
    return .ok("journal", "WAL, \(sizes.walBytes) bytes in it")
  }

  private static func permissions(_ path: String, _ store: PersistentStore) -> Doctor.Finding {
    if let reason = store.copyReason {
      if case .locked = reason {
        return .ok("permissions", "each opening reads a private copy, because \(reason.text)")
      }
      return .warn(
        "permissions", "each opening reads a private copy, because \(reason.text)",
        hint: reason == .interrupted
          ? "open it once with the program that it belongs to, which rolls the transaction back" : nil)
    }
    let directory = FilePath.parent(of: path)
    let others = ["-wal", "-shm"].map { path + $0 }.filter { access($0, F_OK) == 0 && access($0, R_OK | W_OK) != 0 }
    if let closed = others.first {
      return .warn("permissions", "\(closed) cannot be read and written", hint: "chown it to the owner of the store")
    }
    guard !store.isOrdinaryDatabase else {
      return .ok("permissions", "the database can be read, and its rows are never changed")
    }
    guard store.isOwn else {
      return .ok("permissions", "Apple's software made the store: it can be read, and is never written")
    }
    guard access(path, W_OK) == 0, access(directory, W_OK) == 0 else {
      return .warn(
        "permissions", "the store or its directory cannot be written: import, set, delete and purge will not work")
    }
    return .ok("permissions", "the store can be read and written")
  }
}
