#if canImport(Glibc)
  internal import Glibc
#endif

/// Makes a fresh database of many documents by several threads: small runs, each a database that is written in one
/// go, are joined into a compact one. A few documents go into the database directly.
///
/// Xapian looks up every word of a document in trees that soon outgrow the processor's caches; in small runs they do
/// not. The documents' numbers follow the order in which they are added.
package final class IndexBuilder {
  package struct Limits: Sendable {
    /// Documents of one run; fewer than Xapian takes before it writes them by itself.
    package var documents = 5_000
    /// Bytes of the documents of one run: the trees that Xapian makes of them take some thirty times as many.
    package var bytes = 640 << 10
    package var threads = 2
    /// Databases that are joined into one; Xapian opens four files of each.
    package var fan = 64
    /// Bytes that runs may take in /dev/shm, which is memory; 0 keeps them all on the disk.
    package var memory = 256 << 20

    package init() {}
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
  ///   - path: Where the database will be; nothing is there yet. Runs may lie beside it.
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
    ScratchDirectory.sweep(RunSpace.memoryPath)
    ScratchDirectory.sweep(parent)
  }

  deinit { cancel() }

  /// Adds a document; no other may have its unique term.
  package func add(_ document: Document) throws {
    run.documents.append(IndexWriter.prepared(document))
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
    let space = RunSpace(diskPath: parent, memory: limits.memory)
    let made = Runs(path: path, stemmer: stemmer, space: space, threads: limits.threads, fan: limits.fan)
    runs = made
    for _ in 0..<limits.threads {
      guard let thread = WorkerThread({ made.work() }) else {
        cancel()
        throw IndexError(
          .limit, "no thread can be started: the process is out of memory, or has too many threads",
          recovery: .raiseLimits([.memory, .threads]))
      }
      threads.append(thread)
    }
  }

  /// All documents were added: what is left to do goes on in the background until `finish()`.
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

  /// Bytes of shared memory that the runs have taken at most, or were about to take.
  package var mostMemory: Int { runs?.mostMemory ?? 0 }

  /// Ends the threads, which may take as long as joining one table does, and removes the runs.
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
