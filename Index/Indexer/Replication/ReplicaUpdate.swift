// SPDX-License-Identifier: MIT

package import Base
internal import FoundationEssentials
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Copies the index of another machine to a replica, and applies its changes, with Xapian's program.
package final class ReplicaUpdate {
  package struct Options {
    let source: NetworkAddress
    let directory: IndexDirectory
    /// A transfer that moves less than `ReplicaUpdate.least` in this time is ended.
    package var patience = Duration.seconds(30)
    package var report: (String) -> Void = { _ in }

    package init(source: NetworkAddress, directory: IndexDirectory) {
      (self.source, self.directory) = (source, directory)
    }
  }

  /// What one update did.
  package struct Outcome: Equatable, Sendable {
    package let token: Int64
    package let documents: Int
    /// Whether the whole database was copied.
    package let isCopied: Bool
    package let hasChanged: Bool
  }

  /// Bytes that a transfer must move in the time of its patience.
  private static let least = 4_096

  private let options: Options
  private let program: String
  private let lock: FileLock
  private(set) var state: ReplicaState
  private var isChecked = false
  private var directory: IndexDirectory { options.directory }

  /// - Throws: `OperationError.locked`; `IndexError.foreign` if the directory contains something else.
  package init(_ options: Options) throws {
    self.options = options
    program = try XapianProgram.replicationClient.path()
    try options.directory.makeReplica()
    state = ReplicaState(in: options.directory) ?? ReplicaState(source: options.source.description)
    state.source = options.source.description
    try state.write(in: options.directory)
    lock = try FileLock(.replica, in: options.directory, verb: "replicate from")
    try removeUnfinished()
  }

  /// Brings the replica to the state of the server's index.
  ///
  /// - Throws: `OperationError.unreachable` if the server does not answer, or not to the end; `.usage` if it serves
  ///   something else.
  package func run() throws -> Outcome {
    do {
      let outcome = try update()
      (state.failure, state.complete) = (nil, Date().timeIntervalSince1970)
      try state.write(in: directory)
      lock.note(state: "following")
      return outcome
    } catch {
      state.failure = String(describing: error)
      try? state.write(in: directory)
      lock.note(state: "retrying", reason: String(describing: error))
      throw error
    }
  }

  private func update() throws -> Outcome {
    let announced = try hear()
    guard announced.format == DocumentLayout.format else {
      throw OperationError(
        .usage,
        "\(options.source) serves an index of format \(announced.format); this version reads \(DocumentLayout.format)",
        recovery: .sameVersion)
    }
    guard announced.home.isEmpty || announced.home != Announcement.home(of: directory.path) else {
      throw OperationError(.usage, "\(options.source) serves this directory itself", recovery: .chooseReplicaDirectory)
    }
    state.token = announced.token
    state.newest = announced.newest
    state.generation = announced.generation
    state.heard = Date().timeIntervalSince1970
    try state.write(in: directory)
    guard let before = try servingState(), try isSound() else { return try copy() }
    lock.note(state: "receiving")
    do {
      try transfer("index", to: directory.path(ofCopy: before.copy))
      guard let after = try servingState() else { return try copy() }
      if after.database != before.database { state.copies += 1 }
      return Outcome(
        token: after.token, documents: after.documents, isCopied: after.database != before.database,
        hasChanged: after != before)
    } catch let error as OperationError where error.code == .damagedReplica {
      options.report("\(error.message); copying the whole index again")
      return try copy()
    }
  }

  /// Copies the whole index beside the serving copy, which stays in use until the new one is complete.
  private func copy() throws -> Outcome {
    let number = (directory.copies().last ?? 0) + 1
    let path = directory.path(ofCopy: number)
    lock.note(state: "copying")
    do {
      try transfer("index", to: path)
      let generation = try directory.serving(copy: number)
      _ = try IndexState.read(path: generation.path)
      try directory.flip(toCopy: number)
    } catch {
      directory.removeCopy(number)
      throw error
    }
    state.copies += 1
    guard let after = try servingState() else {
      throw OperationError(.damagedReplica, "the new copy of \(directory.path) cannot be read")
    }
    return Outcome(token: after.token, documents: after.documents, isCopied: true, hasChanged: true)
  }

  /// Replicates what the server announces.
  private func hear() throws -> Announcement {
    lock.note(state: "connecting")
    do {
      try transfer("announced", to: directory.announcedPath)
    } catch let error as OperationError where error.code == .damagedReplica {
      IndexDirectory.removeReplica(directory.announcedPath)
      try transfer("announced", to: directory.announcedPath)
    }
    return try Announcement(path: directory.announcedPath, from: options.source)
  }

  // MARK: The copy that serves

  private struct Serving: Equatable {
    let copy: Int
    let database: String
    let token: Int64
    let revision: UInt64
    let documents: Int
  }

  /// The state of the serving copy; nil if there is none that can be read.
  private func servingState() throws -> Serving? {
    guard let generation = try? directory.serving() else { return nil }
    guard IndexReader.survives(path: generation.path) else { return nil }
    do {
      let reader = try IndexReader(path: generation.path)
      let state = try IndexState.read(reader)
      return Serving(
        copy: generation.number, database: generation.path, token: state.token?.number ?? 0,
        revision: try reader.revision(), documents: try reader.documentCount())
    } catch let error as IndexError where error.code == .corrupt {
      options.report("\(error); copying the whole index again")
      return nil
    }
  }

  /// Whether the documents of the serving copy have the checksum of the index. A process compares them once.
  private func isSound() throws -> Bool {
    guard !isChecked else { return true }
    isChecked = true
    lock.note(state: "checking")
    let isEqual = try? directory.reading { _, reader in
      try reader.checksum() == IndexState.read(reader).checksum
    }
    if isEqual != true { options.report("the replica \(directory.path) is damaged; copying the whole index again") }
    return isEqual == true
  }

  /// Removes what an interrupted copy left.
  private func removeUnfinished() throws {
    let serving = try? directory.serving()
    for number in directory.copies() where number != serving?.number { directory.removeCopy(number) }
  }

  // MARK: Transfers

  /// Runs Xapian's program once, and ends it if it makes no progress.
  private func transfer(_ name: String, to path: String) throws {
    let seconds = max(1, Int(options.patience / .seconds(1)))
    let child = try SupervisedChild(
      program,
      [
        "-h", options.source.host, "-p", "\(options.source.port)", "-m", name, "-o", "-q", "-r", "0", "-t",
        "\(seconds)",
        path,
      ])
    var mark = (moved: 0, at: ContinuousClock.now)
    while child.isRunning {
      if StopSignal.isRaised {
        child.end()
        try StopSignal.check()
      }
      let moved = child.moved
      // Where the system does not count the bytes, the program's own limit for a silent connection is the only one.
      if moved.map({ $0 - mark.moved >= Self.least }) ?? true {
        mark = (moved ?? 0, .now)
      } else if ContinuousClock.now - mark.at > options.patience {
        child.end()
        throw OperationError(
          .unreachable, "\(options.source) sent almost nothing for \(seconds) seconds", recovery: .retryLater)
      }
      child.wait(milliseconds: 100)
    }
    guard let status = child.status, status != 0 else { return }
    guard let reason = child.lastLine else {
      // The program writes to a connection that the other side has closed, and the signal ends it.
      guard status != 128 + SIGPIPE else {
        throw OperationError(
          .unreachable, "\(options.source) closed the connection without an answer", recovery: .retryLater)
      }
      let end = status > 128 ? "was ended by signal \(status - 128)" : "ended with code \(status)"
      throw OperationError(
        .damagedReplica,
        "the replica \(path) cannot be updated: \(XapianProgram.replicationClient.rawValue) \(end)")
    }
    guard reason.hasPrefix("Network") else {
      throw OperationError(.damagedReplica, "the replica \(path) cannot be updated: \(reason)")
    }
    let text = reason.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? reason
    throw OperationError(.unreachable, "\(options.source) does not serve the index: \(text)", recovery: .retryLater)
  }
}
