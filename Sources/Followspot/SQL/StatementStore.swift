// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// A store that statements read. It stays open for the next statement.
final class StatementStore {
  /// The name in the group; nil for the only store.
  let name: String?
  private let path: String
  private let directory: IndexDirectory
  private var opened: Opened?

  /// The store, with the index if it can be read.
  enum Opened {
    case indexed(Searcher)
    case alone(PersistentStore, reason: IndexError)

    var store: PersistentStore {
      switch self {
      case .indexed(let searcher): searcher.store
      case .alone(let store, _): store
      }
    }

    var searcher: Searcher {
      get throws {
        switch self {
        case .indexed(let searcher): return searcher
        case .alone(_, let reason): throw reason
        }
      }
    }
  }

  init(name: String?, path: String, directory: IndexDirectory) {
    (self.name, self.path, self.directory) = (name, path, directory)
  }

  /// - Throws: Errors of the store.
  func open() throws -> Opened {
    if case .indexed(let searcher) = opened, !searcher.isOutdated { return .indexed(searcher) }
    let made: Opened
    do { made = .indexed(try Searcher(storePath: path, directory: directory)) } catch let error as IndexError {
      made = .alone(try StoreFile.open(path), reason: error)
    } catch {
      throw directory.explaining(error)
    }
    opened = made
    return made
  }

  /// The next statement opens the store again.
  func close() { opened = nil }
}
