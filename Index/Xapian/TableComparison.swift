// SPDX-License-Identifier: MIT

internal import Base
internal import CXapian
internal import Synchronization

/// Compares all stored documents with those that they should equal. A thread of its own reads the tables of the index
/// meanwhile, each in its order.
///
/// It finds whether there is a difference, and not which documents differ. Not thread-safe.
package final class TableComparison {
  /// What the thread works on.
  private final class Work: Sendable {
    let path: String
    let slots: UInt32
    let isCancelled = Atomic(false)
    let result = Mutex<Result<StoredFingerprints, IndexError>?>(nil)

    init(path: String, slots: UInt32) {
      self.path = path
      self.slots = slots
    }

    func run() {
      let read: Result<StoredFingerprints, IndexError>
      do throws(IndexError) {
        let reader = try IndexReader(path: path)
        reader.pin()
        read = .success(try reader.fingerprints(slots: slots) { self.isCancelled.load(ordering: .relaxed) })
      } catch {
        read = .failure(error)
      }
      result.withLock { $0 = read }
    }
  }

  private let work: Work
  private var thread: WorkerThread?
  private var expected: [(number: UInt32, fingerprint: UInt64)] = []

  /// - Parameters:
  ///   - path: Of an index generation.
  ///   - slots: The number of value slots of its documents.
  package init(path: String, slots: UInt32) {
    let work = Work(path: path, slots: slots)
    self.work = work
    thread = WorkerThread { work.run() }
  }

  deinit {
    work.isCancelled.store(true, ordering: .relaxed)
    thread?.join()
  }

  /// Adds a document that should be stored.
  ///
  /// - Parameter term: The term of the stored document.
  package func add(_ document: Document, storedUnder term: [UInt8], in reader: IndexReader) throws(IndexError) {
    guard let number = try reader.number(of: term) else { return }
    expected.append((number, try reader.fingerprint(of: document)))
  }

  /// Whether all stored documents are those that were added.
  ///
  /// - Throws: `IndexError.corrupt` if a table cannot be read; `.changed` if it was written meanwhile.
  package func areEqual() throws(IndexError) -> Bool {
    if let thread {
      thread.join()
      self.thread = nil
    } else {
      work.run()
    }
    guard let stored = try work.result.withLock({ $0 })?.get() else { return false }
    return expected.allSatisfy { stored[$0.number] == $0.fingerprint }
  }
}

/// The fingerprints of the documents of an index, by document number.
final class StoredFingerprints: @unchecked Sendable {
  // The numbers do not change after they were read.
  private let pointer: OpaquePointer?

  init(_ pointer: OpaquePointer?) { self.pointer = pointer }

  deinit { cx_free_fingerprints(pointer) }

  subscript(number: UInt32) -> UInt64 { cx_stored_fingerprint(pointer, number) }
}
