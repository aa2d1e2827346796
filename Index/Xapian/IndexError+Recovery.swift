// SPDX-License-Identifier: MIT

extension IndexError {
  /// What removes the cause of an error. Whoever shows the error to a person phrases it.
  package enum Recovery: Hashable, Sendable {
    case retry
    /// The commit failed; the generation in use has not changed.
    case retryCommit
    /// Another process is building the index.
    case waitForIndex
    /// Nothing was lost: the same call succeeds when there is space.
    case freeSpace
    case raiseLimits(Set<Limit>)
    /// Of the index directory and its files.
    case checkPermissions
    /// What was committed before the failure stays.
    case checkDisk
    /// There is no index yet.
    case buildIndex
    /// The index cannot be used; a new one is built from the store.
    case rebuildIndex
    /// The directory belongs to something else.
    case chooseOtherDirectory
    /// The replica is copied again from the other machine.
    case copyAgain
  }

  /// A limit of the process.
  package enum Limit: Sendable {
    case memory, openFiles, threads
  }
}
