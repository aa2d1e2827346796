// SPDX-License-Identifier: MIT

extension OperationError {
  /// What a person can do. The command line phrases it in terms of its verbs and options.
  package enum Action: Hashable, Sendable {
    // MARK: The machine

    case retry
    /// The index in use has not changed.
    case retryAndCheckDisk
    /// Nothing was lost: the same call succeeds when there is space.
    case freeSpace
    /// The process or its user has too many threads.
    case raiseLimits
    /// The process, or the machine, has too many files open, or too little memory.
    case raiseFileLimit
    case checkPermissions
    case checkDiskAndPermissions
    case createDirectory
    case moveOrLink
    /// The ID of the process that holds the lock.
    case endProcess(Int32)
    /// The cause is a bug in the program.
    case report

    // MARK: The index

    case updateIndex
    /// The index was removed while it was being updated, or followed.
    case buildIndexAgain, followAgain
    case rebuildIndex
    case reconcileIndex
    case updateAndVerify
    case updateOrWait
    case showStatus

    // MARK: Replicas

    /// Xapian's programs are missing.
    case installPrograms
    /// Another process uses the address, or the machine does not have it.
    case chooseAddress
    case chooseReplicaDirectory
    /// The other machine has another version of the program.
    case sameVersion
    /// The names of the fields that a replica stores.
    case storedFields([String])
    /// The other machine does not answer.
    case retryLater

    /// The remote indexes of a group are not served.
    case serveShards

    // MARK: The history

    case attachDatabase
    /// The reader of the feed begins again with all records.
    case feedSnapshot
    /// The history is complete after this transaction.
    case laterToken(Int64)
    /// The stores of a group, each of which has its own transactions.
    case tokensOfStores([String])

    // MARK: Names

    /// Names that are close to the unknown one, the closest first; empty if none is close.
    case nearestNames([String])
    /// All existing names.
    case knownNames([String])
    case listFields
    case chooseConsumerName
    case moveConsumer(String)
    /// The existing name that is closest, and the unknown name. If no name is close, the unknown one can be added.
    case nearestConsumer(String?, insteadOf: String?)
    case listTransactions(after: Int64)

    // MARK: Saved searches

    case chooseSearchName
    /// The existing name that is closest; nil if none is close.
    case nearestSearch(String?)
    case replaceSearch
    /// The state of a saved search cannot be read.
    case saveAgain

    // MARK: SQL

    /// The statement ran longer than allowed.
    case giveMoreTime

    // MARK: Recency

    case scale(QueryError.Scale)
    /// The name of the field whose value was refused.
    case recentTimes(String)
    case recentNumber(String)

    // MARK: Imports

    case addRecord
    /// To create a store from the file.
    case nameEntity(file: String)
    case chooseEntity
    case updateByKeyOrRepeat
    /// The path does not lead to an array.
    case nameArray, chooseArray
    /// The path of an array of records inside the document.
    case readArray(String)
    case writeLines
    case nameFormat
    case copyFileAgain
    case relaxTypes(column: String)
    /// The line to start with; nil if a key identifies existing records.
    case resume(line: Int?)
  }
}
