// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// Builds a new database of many documents with several threads. They write runs, small databases with one commit each,
/// and join them into a compact one. A few documents are written to the database directly.
///
/// Xapian looks up every word of a document in B-trees. Those of a large database do not fit into the processor's caches;
/// those of a run do. Document numbers follow the order in which documents are added.
package final class IndexBuilder {
  package struct Limits: Sendable {
    /// Documents of one run; fewer than Xapian takes before it writes them by itself.
    var documents = 5_000
    /// Bytes of the documents of one run: the trees that Xapian makes of them take some thirty times as many.
    var bytes = 2 << 20
    /// nil for one thread for each usable core, or fewer if `memory` is short.
    package var threads: Int?
    /// The number of databases that a thread joins into one; nil for as many as all threads together may open. Runs that
    /// are joined with more than that many others are written twice.
    var fan: Int?
    /// Bytes of memory that the process may use; fewer if the machine can spare less (0 = as few as possible).
    package var memory = 256 << 20

    package init() {}

    /// The highest number of threads: more would wait for the one that reads the rows.
    package static let mostThreads = 32
    /// The heap that a thread needs for one run.
    private static let bytesPerThread = 20 << 20
    /// The databases that all threads together join at once, at least.
    private static let leastJoined = 64
    /// The memory that each database takes while it is joined.
    private static let bytesPerJoined = 40 << 10
    /// The files of a database that Xapian opens.
    private static let filesPerDatabase = 4
    /// The memory of everything else.
    private static let otherBytes = 48 << 20

    /// The threads of a build, and how many databases each joins at once. A third of the memory is for joins.
    ///
    /// - Parameters:
    ///   - available: The memory that the machine can spare; a build takes at most half of it. nil if that is not known.
    ///   - openFiles: The files that the process may have open. Half of them are for joins.
    func plan(cores: Int, available: Int?, openFiles: Int) -> (threads: Int, fan: Int) {
      let memory = min(memory, available.map { $0 / 2 } ?? memory)
      let affordable = (memory - memory / 3 - Self.otherBytes) / Self.bytesPerThread
      let threads = threads ?? max(1, min(cores, affordable, Self.mostThreads))
      let joined = min(max(Self.leastJoined, memory / 3 / Self.bytesPerJoined), openFiles / 2 / Self.filesPerDatabase)
      return (threads, fan ?? max(4, joined / threads))
    }
  }

  private let path: String
  private let stemmer: String
  private let parent: String
  private let limits: Limits
  private let check: () throws -> Void
  private var run = Runs.Run()
  private var runs: Runs?
  private var threads: [WorkerThread] = []

  /// - Parameters:
  ///   - path: The path of the new database. Runs are stored beside it.
  ///   - check: Called while the caller's thread waits; what it throws ends the building; `cancel` is next.
  package init(
    path: String, stemmer: String, limits: Limits = Limits(),
    check: @escaping () throws -> Void = {}
  ) {
    self.path = path
    self.stemmer = stemmer
    self.limits = limits
    self.check = check
    parent = IndexDirectory.parent(of: path)
    // What a killed build left goes also where this one will need no runs.
    ScratchDirectory.sweep(parent)
  }

  deinit { cancel() }

  /// Adds a document. No other document may have its unique term.
  package func add(_ document: Document) throws {
    run.documents.append(IndexWriter.prepared(document).compacted())
    run.bytes += document.size
    if run.documents.count >= limits.documents || run.bytes >= limits.bytes { try queue() }
  }

  private func queue() throws {
    if runs == nil { try start() }
    guard let runs else { return }
    let next = Runs.Run(
      number: run.number + 1, firstDocument: run.firstDocument + UInt32(run.documents.count))
    while !runs.queue.push(run, milliseconds: 50) {
      if let failure = runs.failure { throw failure }
      try check()
    }
    run = next
  }

  private func start() throws(IndexError) {
    let (count, fan) = limits.plan(
      cores: MachineLimits.usableCores(), available: MachineLimits.availableMemory(),
      openFiles: MachineLimits.openFiles())
    let made = try Runs(path: path, in: parent, stemmer: stemmer, threads: count, fan: fan)
    runs = made
    for _ in 0..<count {
      guard let thread = WorkerThread({ made.work() }) else {
        cancel()
        throw IndexError(
          .limit, "no thread can be started: the process is out of memory, or has too many threads",
          recovery: .raiseLimits([.memory, .threads]))
      }
      threads.append(thread)
    }
  }

  /// Call it after the last document. The remaining work continues in the background until `finish()`.
  package func seal() throws {
    guard let runs else { return }
    if !run.documents.isEmpty { try queue() }
    runs.queue.close()
  }

  /// Waits for the database.
  ///
  /// - Returns: Its writer, in bulk mode, with nothing committed since.
  package func finish() throws -> IndexWriter {
    guard let runs else {
      let writer = try IndexWriter(path: path, stemmer: stemmer, mode: .bulk)
      try writer.begin()
      for (offset, document) in run.documents.enumerated() {
        try writer.append(document, number: run.firstDocument + UInt32(offset))
      }
      run.documents = []
      return writer
    }
    try seal()
    while !runs.isFinished {
      try check()
      usleep(2_000)
    }
    cancel()
    run = Runs.Run()
    if let failure = runs.failure { throw failure }
    return try IndexWriter(path: path, stemmer: stemmer, mode: .bulk)
  }

  /// Ends the threads and removes the runs. It may take as long as joining one table.
  package func cancel() {
    guard !threads.isEmpty else { return }
    runs?.cancel()
    for thread in threads { thread.join() }
    // With the runs goes where they lie.
    runs = nil
    threads = []
  }

  /// Removes the runs and the unfinished database beneath the threads, which fail at the next file that they open.
  ///
  /// Only for a process that is about to end with `_exit`: nobody waits for the threads, and Xapian does not ask
  /// anybody while it joins a table.
  package func abandon() {
    guard let runs, !threads.isEmpty else { return }
    runs.cancel()
    // Xapian does not survive every error of a file while it writes a run, which takes a fraction of a second.
    while runs.isWriting { usleep(1_000) }
    runs.discard()
    ScratchDirectory.discard(path)
    self.runs = nil
    threads = []
  }
}
