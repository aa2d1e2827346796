// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// One index of a group, and its store.
///
/// The store is opened only if its newest transaction cannot be read otherwise, or if its rows are needed. Its index is not
/// opened as long as the documents are searched in a joined index.
final class GroupMember {
  /// The name of the store in the configuration, or its path.
  let name: String
  /// Where the store and its index are; nil if the caller has opened them, or for a remote index.
  private let place: (store: String, directory: IndexDirectory)?
  /// The joined index that has the documents, if the store is as it was then; nil if there is none.
  private let joined: (index: JoinedIndex, member: JoinedMember, fields: SearchedFields)?
  /// The index of the store; nil as long as it is not opened, because `joined` is used.
  private var own: OpenIndex?
  /// The searcher with the store; nil as long as the store is not opened.
  private(set) var opened: Searcher?

  /// The freshness of the store, if it is at rest in the current search, at the token of the index.
  private var atRest: IndexFreshness?
  /// The part of the group whose documents are searched in the joined index in the current search; nil if they are not.
  private(set) var joinedPart: Int?
  var isJoined: Bool { joinedPart != nil }
  /// Whether the store was checked when the group was opened, and no search has run since.
  private var isFresh = true
  /// The view of the current search, or of the last one, if the store was at rest and its rows were needed. It reads
  /// without locks.
  private(set) var resting: SearchView?
  /// The file that `resting` reads.
  private var reading: CheckpointedStore.Reader?

  /// - Throws: As `Searcher.init`.
  init(name: String, path: String, directory: IndexDirectory) throws {
    (self.name, place, joined) = (name, (path, directory), nil)
    try open(path, directory)
  }

  /// A store that was just found to be as it was when its documents were joined.
  ///
  /// - Parameter fields: The fields of the joined index.
  init(
    name: String, path: String, directory: IndexDirectory, joined: JoinedIndex, as member: JoinedMember,
    fields: SearchedFields
  ) {
    (self.name, place, self.joined) = (name, (path, directory), (joined, member, fields))
  }

  /// A remote index, or a store that the caller has opened. It stays open.
  init(name: String, opened searcher: Searcher) {
    (self.name, place, joined) = (name, nil, nil)
    (own, opened) = (searcher.index, searcher)
  }

  /// Why the store cannot answer alone; nil if it can, if the mistake is in the request, or for a remote index.
  func fault(answering request: SearchRequest) -> (any Error)? {
    guard let place else { return nil }
    do {
      _ = try Searcher(storePath: place.store, directory: place.directory).search(request)
      return nil
    } catch {
      let isOfStore = error is StoreError || (error as? IndexError).map { $0.code != .changed } == true
      return isOfStore ? place.directory.explaining(error) : nil
    }
  }

  private func open(_ path: String, _ directory: IndexDirectory) throws {
    // Without a file, or with one of another kind, the error of the store precedes that of the index.
    if FileIdentity(path: path).map({ $0.otherKind == nil }) == true,
      let index = try? OpenIndex(directory: directory)
    {
      own = index
      return
    }
    do {
      let searcher = try Searcher(storePath: path, directory: directory)
      (own, opened) = (searcher.index, searcher)
    } catch {
      throw directory.explaining(error)
    }
    // A store with a fault is reported when its snapshot begins.
    try? opened.map { try CheckpointedStore.learn($0.store) }
  }

  /// The index of the store alone.
  func index() throws -> OpenIndex {
    if own == nil, let place { try open(place.store, place.directory) }
    guard let own else { preconditionFailure("a remote index is open from the beginning") }
    return own
  }

  /// The fields of the index.
  var searched: SearchedFields {
    guard let fields = own?.searched ?? joined?.fields else {
      preconditionFailure("an index is open as long as its documents are not in a joined one")
    }
    return fields
  }

  /// The identity of the database that has the documents in the current search.
  var searchedUUID: String { get throws { try joinedPart == nil ? uuid : joined?.index.uuid ?? uuid } }
  /// The identity of the index.
  var uuid: String { get throws { try own?.uuid ?? joined?.member.uuid ?? index().uuid } }

  /// Whether it is the index of another machine.
  var isRemote: Bool { remoteName != nil }
  var remoteName: String? { opened?.remoteName }

  /// The file to which this process has a connection.
  var openedFile: FileIdentity? { opened?.store.fileIdentity }

  /// The entities of the store.
  var entities: [EntityLayout] { opened?.entities ?? searched.layout?.entities ?? [] }

  /// The index and its store. It is not read in a snapshot yet.
  func searcher() throws -> Searcher {
    if let opened { return opened }
    guard let place else { preconditionFailure("a remote index is open from the beginning") }
    let store = try StoreFile.open(place.store, readings: place.directory.readings)
    let index = try index()
    // The index was opened for a store with the model of its token.
    let searcher =
      store.modelDigest == index.searched.modelDigest
      ? Searcher(store: store, index: index) : try Searcher(store: store, directory: place.directory)
    (opened, own) = (searcher, searcher.index)
    return searcher
  }

  // MARK: A search

  /// Checks whether the store is at the token of the index, without opening it. Until `release`, `viewAtRest` gives its rows.
  ///
  /// - Parameters:
  ///   - files: The files to which this process has connections.
  ///   - joins: Whether the documents may be searched in the joined index.
  /// - Returns: nil if the store has to be opened.
  func rest(
    _ request: SearchRequest, opened files: Set<FileIdentity>, joins: Bool = true
  ) -> IndexFreshness? {
    defer { isFresh = false }
    guard let place, opened == nil, request.atLeast == nil else { return nil }
    if let parsed = try? searched.parse(request), searched.findsDeleted(parsed) { return nil }
    if joins, let joined, isFresh || joined.member.isCurrent(path: place.store, directory: place.directory) {
      joinedPart = joined.member.part
      let member = joined.member
      return rest(uuid: member.uuid, generation: member.generation, member.token, member.complete)
    }
    guard let index = try? index(), opened == nil, let layout = index.searched.layout else { return nil }
    // The searcher handles an index that changes.
    do { try index.refresh(layout: layout) } catch { return nil }
    guard index.searched.layout != nil, let token = index.state.token, index.state.highWaterMark == nil,
      token.modelDigest == index.searched.modelDigest,
      CheckpointedStore.token(ofStoreAt: place.store, opened: files) == token
    else { return nil }
    guard let uuid = try? index.uuid, let complete = try? index.completeness(pending: 0) else { return nil }
    return rest(uuid: uuid, generation: index.generation, token, complete)
  }

  private func rest(uuid: String, generation: Int, _ token: StoreToken, _ complete: Completeness) -> IndexFreshness {
    let freshness = IndexFreshness(uuid: uuid, generation: generation, token: token.number, complete)
    (atRest, resting, reading) = (freshness, nil, nil)
    return freshness
  }

  /// The index and the rows of a store at rest. The index is the joined one if that has the documents.
  ///
  /// - Throws: `IndexError.changed` if another process has saved the store since its token was read. The search starts
  ///   again.
  func viewAtRest() throws -> SearchView {
    if let resting { return resting }
    guard let place else { preconditionFailure("a remote index is never at rest") }
    guard let reading = CheckpointedStore.Reader(ofStoreAt: place.store) else { throw Searcher.overtaken }
    self.reading = reading
    do {
      let store = try reading.open()
      let index =
        if joinedPart != nil, let joined {
          OpenIndex(joined.index, as: joined.member, in: place.directory, joined.fields)
        } else {
          try index()
        }
      let view = try view(store, index)
      resting = view
      return view
    } catch {
      throw reading.isUnchanged ? error : Searcher.overtaken
    }
  }

  /// As `viewAtRest`, but always with the index of the store alone.
  func viewAtRestAlone() throws -> SearchView {
    let view = try viewAtRest()
    guard joinedPart != nil else { return view }
    let index = try index()
    guard index.state.token == joined?.member.token, index.state.highWaterMark == nil else { throw Searcher.overtaken }
    return try self.view(view.store, index)
  }

  private func view(_ store: PersistentStore, _ index: OpenIndex) throws -> SearchView {
    guard let atRest, store.tracking == .history, store.modelDigest == index.searched.modelDigest,
      let token = index.state.token,
      try store.newest() == token.number, try index.state.verdict(in: store) == .valid
    else { throw Searcher.overtaken }
    return SearchView(index, RowSource(store), atRest)
  }

  /// Whether another process has written a store whose rows were read at rest.
  var isOvertaken: Bool { atRest != nil && reading?.isUnchanged == false }

  /// The store is checked again before the next search.
  func expire() { isFresh = false }

  /// Ends the current search.
  func release() { (atRest, joinedPart) = (nil, nil) }
}
