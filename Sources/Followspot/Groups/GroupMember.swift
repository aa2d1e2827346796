internal import PersistentStore
internal import SearchIndex

/// One index of a group, and its store.
///
/// The store is opened only if its newest transaction cannot be read otherwise, or if its rows are needed.
final class GroupMember {
  /// The name of the store in the configuration, or its path.
  let name: String
  private(set) var index: OpenIndex
  /// Where the store and its index are; nil for a remote index.
  private let place: (store: String, directory: IndexDirectory)?
  /// The searcher with the store; nil as long as the store is not opened.
  private(set) var opened: Searcher?
  /// Whether the store is at rest in the current search, at the token of the index.
  private var isAtRest = false
  /// The searcher of the current search, or of the last one, if the store was at rest and its rows were needed. It reads
  /// without locks.
  private(set) var resting: Searcher?

  /// - Throws: As `Searcher.init`.
  init(name: String, path: String, directory: IndexDirectory) throws {
    (self.name, place) = (name, (path, directory))
    // Without a file, or with one of another kind, the error of the store precedes that of the index.
    if FileIdentity(path: path).map({ $0.otherKind == nil }) == true,
      let index = try? OpenIndex(directory: directory)
    {
      self.index = index
      return
    }
    let searcher = try Searcher(storePath: path, directory: directory)
    (index, opened) = (searcher.index, searcher)
    // A store with a fault is reported when its snapshot begins.
    try? RestingStore.learn(searcher.store)
  }

  init(name: String, remote: Searcher) {
    (self.name, place) = (name, nil)
    (index, opened) = (remote.index, remote)
  }

  /// Whether it is the index of another machine.
  var isRemote: Bool { remoteName != nil }
  var remoteName: String? { opened?.remoteName }

  /// The file to which this process has a connection.
  var openedFile: FileIdentity? { opened?.store.fileIdentity }

  /// The entities of the store.
  var entities: [EntityLayout] { opened?.entities ?? index.searched.layout?.entities ?? [] }

  /// The index and its store. It is not read in a snapshot yet.
  func searcher() throws -> Searcher {
    if let opened { return opened }
    guard let place else { preconditionFailure("a remote index is open from the beginning") }
    let store = try PersistentStore.open(place.store, readings: place.directory.readings)
    // The index was opened for a store with the model of its token.
    let searcher =
      store.modelDigest == index.searched.modelDigest
      ? Searcher(store: store, index: index) : try Searcher(store: store, directory: place.directory)
    (opened, index) = (searcher, searcher.index)
    return searcher
  }

  // MARK: A search

  /// Checks whether the store is at the token of the index, without opening it. Until `release`, `current` gives its rows.
  ///
  /// - Parameter files: The files to which this process has connections.
  /// - Returns: nil if the store has to be opened.
  func rest(_ request: SearchRequest, opened files: Set<FileIdentity>) -> Searcher.Snapshot? {
    guard let place, opened == nil, request.atLeast == nil, let layout = index.searched.layout else { return nil }
    if let parsed = try? index.searched.parse(request), index.searched.findsDeleted(parsed) { return nil }
    // The searcher handles an index that changes.
    do { try index.refresh(layout: layout) } catch { return nil }
    guard index.searched.layout != nil, let token = index.state.token, index.state.highWaterMark == nil,
      token.modelDigest == index.searched.modelDigest,
      RestingStore.token(ofStoreAt: place.store, opened: files) == token
    else { return nil }
    guard let uuid = try? index.uuid else { return nil }
    (isAtRest, resting) = (true, nil)
    return Searcher.Snapshot(
      indexStatus: IndexStatus(
        uuid: uuid, generation: index.generation, token: token.number, lagTransactions: 0, lagSeconds: 0,
        answersAt: token.number))
  }

  /// The index and its store in the snapshot of the current search.
  ///
  /// - Throws: `IndexError.changed` if another process has saved the store since its token was read. The search starts
  ///   again.
  func current() throws -> Searcher {
    guard isAtRest, let place else { return try searcher() }
    if let resting { return resting }
    let store = try PersistentStore.openAtRest(place.store)
    guard store.tracking == .history, store.modelDigest == index.searched.modelDigest, let token = index.state.token,
      try store.newest() == token.number, try index.state.verdict(in: store) == .valid
    else { throw Searcher.overtaken }
    let searcher = Searcher(store: store, index: index)
    resting = searcher
    return searcher
  }

  /// Whether another process has written a store whose rows were read at rest.
  var isOvertaken: Bool { isAtRest && resting?.store.isReplaced == true }

  /// Ends the current search.
  func release() {
    isAtRest = false
  }
}
