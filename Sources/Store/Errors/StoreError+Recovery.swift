// SPDX-License-Identifier: MIT

extension StoreError {
  /// What removes the cause of an error. Whoever shows the error to a person phrases it.
  package enum Recovery: Hashable, Sendable {
    // MARK: The machine

    case retry
    /// The lock is free again after the other writer's transaction, or when its program ends. The writer is nil if it is
    /// not known.
    case waitForWriter(LockHolder?)
    /// Nothing was lost: the same call succeeds when there is space.
    case freeSpace
    /// The process needs more memory or open files than its limits allow.
    case raiseLimits
    /// Of the file and its directory.
    case checkPermissions
    case checkPermissionsAndSpace
    /// A directory of the path does not let the process through.
    case checkParentDirectories
    /// The directory of a new file does not exist, or cannot be written.
    case checkDirectory
    /// What was saved before the failure stays.
    case checkDisk

    // MARK: The file

    case restoreBackup
    /// The directory of external values, if no other process is just replacing it.
    case restoreDirectory(String)
    /// The schema is damaged, or needs an extension that only its own program loads.
    case restoreBackupOrLoadExtension
    /// The header is damaged, or the file is encrypted.
    case restoreBackupOrDecrypt
    /// The owner rolls the interrupted transaction back.
    case openWithOwner
    /// Only the program that the database belongs to changes its rows.
    case changeWithOwner
    /// The store of another maker is read only.
    case writeToOwnStore
    case chooseStore
    case chooseOwnStore
    case chooseStoreOrDecrypt
    case chooseDatabase
    case chooseOtherPath
    /// The text can be imported into a new store.
    case importText
    case unzip
    /// The name of the program that decompresses the file.
    case decompress(program: String)
    case createStore
    /// The store was indexed at this path, and is elsewhere now, or deleted.
    case nameNewPath
    /// The file is empty: without it a store can be created.
    case replaceFile
    /// A log that belongs to another store.
    case removeLeftover
    /// The version of SQLite in use.
    case updateSQLite(String)
    /// Turso can change the file to a format that SQLite reads.
    case leaveMVCC
    /// The owner of the store has to turn persistent history tracking on.
    case trackHistory

    // MARK: Attached databases

    case attach
    /// A Core Data store needs no triggers.
    case indexAsItIs
    /// The names of the tables that there are.
    case chooseTable([String])
    case chooseColumn
    case chooseKey
    case chooseOtherKey
    case createUniqueIndex
    /// The SQL statement lists the rows of the database that prevent the action.
    case listRows(path: String, statement: String)
    case createTable
    /// The table, and why it cannot be used.
    case changeTable(String, reason: String)
    case renameTable

    // MARK: Models and values

    case renameProperty
    /// The elements that can be named instead of their composite.
    case chooseElements([String])
    case migrateInTwoSteps
    /// A trigger that the migration would lose.
    case dropTrigger
    case removeDuplicates
    case changeValue
    /// A required attribute has no value.
    case giveValue
    case deleteRelatedFirst
  }
}
