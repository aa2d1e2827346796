internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

extension FollowspotError.Code {
  /// There is no store at the path.
  public static let storeMissing = Self(name: "storeMissing")
  /// The file is no store, keeps no history, or is damaged.
  public static let storeUnusable = Self(name: "storeUnusable")
  /// There is no index yet.
  public static let indexMissing = Self(name: "indexMissing")
  /// The index cannot be read: rebuild it.
  public static let indexCorrupt = Self(name: "indexCorrupt")
  /// The query cannot be read.
  public static let query = Self(name: "query")
  /// The index definition is wrong, or does not fit the store's model.
  public static let definition = Self(name: "definition")
  /// No space is left: try again when there is.
  public static let full = Self(name: "full")
  /// Another process held the store, or overtook the reader, for too long: try again.
  public static let busy = Self(name: "busy")
}

extension FollowspotError {
  /// Any error of the modules below, for a program that calls `StoreIndex`: hints name its methods, not the commands of
  /// the shell.
  init(embedding error: any Error) {
    switch error {
    case let error as FollowspotError: self = error
    case let error as StoreError: self.init(error)
    case let error as IndexError: self.init(error)
    case let error as QueryError:
      self.init(.query, error.description, hint: error.offset == nil ? error.hint : error.marked.map { "here:\n\($0)" })
    case let error as DefinitionError: self.init(.definition, error.description)
    default: self.init(.file, String(describing: error), cause: error)
    }
    if let own = Self.hints[code] { hint = own }
  }

  private init(_ error: StoreError) {
    let code: Code =
      switch error.code {
      case .missing: .storeMissing
      case .busy, .limit, .replaced: .busy
      case .full: .full
      case .unreadable, .notWritable: .file
      default: .storeUnusable
      }
    self.init(code, error.message, hint: error.hint, cause: error.cause)
  }

  private init(_ error: IndexError) {
    let code: Code =
      switch error.code {
      case .missing, .building: .indexMissing
      case .locked: .locked
      case .corrupt: .indexCorrupt
      case .changed, .limit: .busy
      case .full: .full
      case .invalidQuery: .query
      default: .file
      }
    self.init(code, error.description, hint: error.hint)
  }

  /// Where what helps is a call.
  private static let hints: [Code: String] = [
    .storeMissing: "save something with a ModelContainer of that URL first",
    .storeUnusable: "name the file of a store that SwiftData or followspot made, or restore it from a backup",
    .indexMissing: "call update() first: it builds the index",
    .indexCorrupt: "call rebuild()",
    .historyGone: "try again",
    .removed: "call follow() again: it builds the index anew",
  ]
}
