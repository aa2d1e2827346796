// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

extension FollowspotError.Code {
  /// There is no store at the path.
  public static let storeMissing = Self(name: "storeMissing")
  /// The file is not a store, keeps no history, or is damaged.
  public static let storeUnusable = Self(name: "storeUnusable")
  /// There is no index yet.
  public static let indexMissing = Self(name: "indexMissing")
  /// The index cannot be read: rebuild it.
  public static let indexCorrupt = Self(name: "indexCorrupt")
  /// The query is not valid; `FollowspotError.queryOffset` is the position of the mistake.
  public static let query = Self(name: "query")
  /// The index definition is wrong, or does not fit the store's model.
  public static let definition = Self(name: "definition")
  /// No space is left: try again when there is.
  public static let full = Self(name: "full")
  /// Another process held the store, or overtook the reader, for too long, or the process cannot get more memory or open
  /// more files: try again.
  public static let busy = Self(name: "busy")
}

extension FollowspotError {
  /// Converts an error of the modules below for a program that calls `StoreIndex`.
  init(embedding error: any Error) {
    switch error {
    case let error as FollowspotError: self = error
    case let error as StoreError:
      self.init(Code(error.code), error.message, cause: error.cause)
      recovery = error.recovery.flatMap(Recovery.init)
    case let error as IndexError:
      self.init(Code(error.code), error.description)
      recovery = error.recovery.flatMap(Recovery.init)
    case let error as QueryError:
      self.init(.query, error.message)
      queryOffset = error.offset
      if case .nearestNames(let names)? = error.recovery { recovery = .nearestNames(names) }
    case let error as DefinitionError: self.init(.definition, error.description)
    default: self.init(.file, String(describing: error), cause: error)
    }
  }
}

extension FollowspotError.Code {
  fileprivate init(_ code: StoreError.Code) {
    self =
      switch code {
      case .missing: .storeMissing
      case .busy, .limit, .replaced: .busy
      case .full: .full
      case .unreadable, .notWritable: .file
      default: .storeUnusable
      }
  }

  fileprivate init(_ code: IndexError.Code) {
    self =
      switch code {
      case .missing, .building: .indexMissing
      case .locked: .locked
      case .corrupt: .indexCorrupt
      case .changed, .limit: .busy
      case .full: .full
      case .invalidQuery: .query
      default: .file
      }
  }
}

extension FollowspotError.Recovery {
  fileprivate init?(_ recovery: StoreError.Recovery) {
    switch recovery {
    case .retry, .waitForWriter: self = .retry
    case .freeSpace: self = .freeSpace
    case .raiseLimits: self = .raiseLimits
    case .checkPermissions, .checkPermissionsAndSpace, .checkParentDirectories, .checkDirectory:
      self = .checkPermissions
    case .checkDisk: self = .checkDisk
    case .restoreBackup, .restoreDirectory, .restoreBackupOrLoadExtension, .restoreBackupOrDecrypt:
      self = .restoreBackup
    case .openWithOwner: self = .openWithOwner
    case .createStore, .replaceFile: self = .createStore
    case .chooseStore, .chooseOwnStore, .chooseStoreOrDecrypt, .chooseDatabase, .importText, .unzip, .decompress:
      self = .chooseStore
    default: return nil
    }
  }

  fileprivate init?(_ recovery: IndexError.Recovery) {
    switch recovery {
    case .retry, .retryCommit, .waitForIndex, .copyAgain: self = .retry
    case .freeSpace: self = .freeSpace
    case .raiseLimits: self = .raiseLimits
    case .checkPermissions: self = .checkPermissions
    case .checkDisk: self = .checkDisk
    case .buildIndex: self = .updateIndex
    case .rebuildIndex: self = .rebuildIndex
    case .chooseOtherDirectory: self = .chooseDirectory
    }
  }

  init?(_ action: FollowspotError.Action) {
    switch action {
    case .retry, .retryAndCheckDisk, .reconcileIndex: self = .retry
    case .freeSpace: self = .freeSpace
    case .raiseLimits, .raiseFileLimit: self = .raiseLimits
    case .checkPermissions: self = .checkPermissions
    case .checkDiskAndPermissions: self = .checkDisk
    case .updateIndex, .buildIndexAgain, .followAgain, .updateOrWait, .updateAndVerify: self = .updateIndex
    case .rebuildIndex: self = .rebuildIndex
    case .nearestNames(let names) where !names.isEmpty: self = .nearestNames(names)
    default: return nil
    }
  }
}
