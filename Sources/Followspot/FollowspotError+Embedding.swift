// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

extension FollowspotError {
  /// Converts an error of the modules below for a program that calls `StoreIndex`.
  init(embedding error: any Error) {
    switch error {
    case let error as FollowspotError: self = error
    case let error as OperationError:
      self.init(code: Code(error.code), message: error.message, recovery: error.action.flatMap(Recovery.init))
      cause = error.cause
      ownAdvice = error.action?.advice
      if case .knownNames(let names)? = error.action { knownNames = names }
    case let error as StoreError:
      self.init(code: Code(error.code), message: error.message, recovery: error.recovery.flatMap(Recovery.init))
      cause = error.cause
      ownAdvice = error.recovery?.advice
    case let error as IndexError:
      self.init(code: Code(error.code), message: error.description, recovery: error.recovery.flatMap(Recovery.init))
    case let error as QueryError: self.init(error)
    case let part as MissingPart:
      if let error = part.error { self.init(embedding: error) } else { self.init(code: .file, message: part.reason) }
      message = part.reason
    case let error as DefinitionError:
      self.init(code: .definition, message: error.description)
      ownAdvice = "StoreIndex.schema() gives a definition that fits"
    default:
      self.init(code: .file, message: String(describing: error))
      cause = error
    }
  }

  private init(_ error: QueryError) {
    self.init(code: .query, message: error.message)
    (query, queryOffset, ownAdvice) = (error.query, error.offset, error.recovery?.advice)
    switch error.recovery {
    case .nearestNames(let names)?:
      recovery = .nearestNames(names)
      correctedQuery = names.first.flatMap(error.query(with:))
    case .knownNames(let names)?: knownNames = names
    case .indexAttribute?:
      if let name = error.unknownName { message = "the attribute '\(name)' is stored, but it is not indexed" }
    default: break
    }
  }
}

extension QueryError {
  /// The query with a name instead of the unknown one; nil if no name is unknown.
  fileprivate func query(with name: String) -> String? {
    guard let unknownName, let offset,
      let start = query.index(query.startIndex, offsetBy: offset, limitedBy: query.endIndex),
      let range = query[start...].firstRange(of: unknownName)
    else { return nil }
    return query[..<range.lowerBound] + name + query[range.upperBound...]
  }
}

extension FollowspotError.Code {
  fileprivate init(_ code: OperationError.Code) {
    self =
      switch code {
      case .usage: .usage
      case .locked: .locked
      case .historyGone: .historyGone
      case .unequal: .unequal
      case .file, .unreachable, .incomplete, .damagedReplica, .stopped: .file
      case .full: .full
      case .busy: .busy
      case .removed: .removed
      case .stale: .stale
      }
  }

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
    case .nameNewPath, .chooseStore, .chooseOwnStore, .chooseStoreOrDecrypt, .chooseDatabase, .importText, .unzip,
      .decompress:
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

  fileprivate init?(_ action: OperationError.Action) {
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
