// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Glibc
internal import SQLite
internal import SearchIndex
internal import Store

/// Demonstrates the main features on a catalogue of 31 films with dates, lengths, ratings, people and genres. The
/// program `pixar-catalogue` saves them with SwiftData. If it is not in the directory of this program, the films are
/// imported.
///
/// Source of the facts: the data set pixarfilms of Eric Leung, CC0 1.0.
struct Tour {
  /// The directory of the tour's files. The tour changes nothing outside it.
  let directory: String
  /// The name of this program, as it was called.
  private let program: String
  let catalogue: CatalogueProgram?
  let say: (String) -> Void

  var storePath: String { directory + "/pixar.store" }
  static let author = "tour"
  static let otherPath = "move it, or name another path with --store"
  /// The author of the changes that are made while the follower runs.
  static let otherAuthor = "projectionist"
  var index: IndexDirectory { IndexDirectory(path: storePath + ".index") }

  init(directory: String, program: String, say: @escaping (String) -> Void) {
    self.directory = directory
    self.program = program
    catalogue = CatalogueProgram.besideThisProgram(calledAs: program)
    self.say = say
  }

  /// The directory of a tour for which no store is named. It is `Index/built` of the checkout that contains the working
  /// directory, or `followspot-tour` in the working directory. If neither is writable, it is among the user's temporary
  /// files.
  static func chosenDirectory(temporary: String?) throws -> String {
    let directories = [directoryInCheckout(), "followspot-tour"].compactMap(\.self)
    if let directory = directories.first(where: { isWritable($0) }) { return directory }
    let own = "\(temporary.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp")/followspot-tour-\(getuid())"
    var found = stat()
    // Users may share the directory of temporary files, so a link or another user's directory is not used.
    guard mkdir(own, 0o700) == 0 || errno == EEXIST, lstat(own, &found) == 0, found.st_mode & S_IFMT == S_IFDIR,
      found.st_uid == getuid()
    else { throw CommandError("\(own) cannot be used", hint: "followspot --store FILE tour") }
    return own
  }

  private static func isWritable(_ directory: String) -> Bool {
    if access(directory, F_OK) == 0 { return access(directory, W_OK | X_OK) == 0 }
    return access(FilePath.parent(of: directory), W_OK | X_OK) == 0
  }

  /// `Index/built` of the checkout that contains the working directory; nil outside of a checkout.
  private static func directoryInCheckout() -> String? {
    var directory = workingDirectory
    while !directory.isEmpty, directory != "/" {
      if access(directory + "/Package.swift", F_OK) == 0, access(directory + "/Index/Definitions", F_OK) == 0 {
        return directory + "/Index/built"
      }
      directory = directory.lastIndex(of: "/").map { String(directory[..<$0]) } ?? ""
    }
    return nil
  }

  private static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  func run() throws {
    try prepare()
    try makeStore()
    say("\n2. The index is built from the current rows, and stores the last transaction that it has read.")
    try Pass.run(Indexer.Options(storePath: storePath, directory: index))
    try show("toy")
    try show(catalogue == nil ? Self.people : "docter")
    try follow()
    let definition = try catalogue.map { _ in try Self.definition() }
    let following =
      definition == nil ? "" : "\n   Its definition follows relationships: films are found by their people."
    say(
      "\n5. A rebuild creates a new generation from all rows, compares it with the store, and switches to it."
        + following)
    let rebuilt = try Rebuild(storePath: storePath, directory: index, definition: definition).run()
    say("   generation \(rebuilt.generation), \(rebuilt.documents) documents, checksum \(rebuilt.checksum)")
    let verified = try Verify(storePath: storePath, directory: index).run(isQuick: false)
    guard verified.isEqual else {
      throw OperationError(.unequal, "the index does not equal the store", recovery: .report)
    }
    say("   verified: index and store are equal at transaction \(verified.token)")
    if definition != nil { try show(Self.people) }
    farewell()
  }

  private static let people = "people.name:docter released:2000..2010"

  // MARK: Steps

  private func prepare() throws {
    guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
      throw OperationError(.file, "\(directory) cannot be created: \(String(cString: strerror(errno)))")
    }
    if let holder = FileLock.holder(.update, in: index) {
      throw OperationError(
        .locked, "process \(holder.pid) (\(holder.verb)) works on the tour's index",
        recovery: .endProcess(Int32(holder.pid)))
    }
    try removeEarlierTour()
  }

  /// Removes the files of an earlier tour, and no other files.
  private func removeEarlierTour() throws {
    if access(storePath, F_OK) == 0 {
      var authors: [String?] = []
      try? StoreFile.open(storePath).transactions(limit: 1) {
        authors.append($0.author)
        return true
      }
      guard authors == [Self.author] else {
        throw CommandError("\(storePath) is not of an earlier tour", hint: Self.otherPath)
      }
    }
    // This throws if the directory belongs to another program.
    _ = try index.serving()
    Consumers(storePath: storePath).forget(index)
    for number in index.generations() { index.removeGeneration(number) }
    for name in ["XAPIANDB", "tailer.lock", "rebuild.lock"] { unlink(index.path + "/" + name) }
    rmdir(index.path)
    PersistentStore.remove(storePath)
  }

  private func makeStore() throws {
    if let catalogue { return try makeStore(with: catalogue) }
    say("The program pixar-catalogue is not in the directory of this program, so the films are imported instead.")
    var options = Importer.Options(storePath: storePath, file: "pixar-films.jsonl")
    options.kind = "Movie"
    options.key = "title"
    options.author = Self.author
    let facts = InputFile(bytes: PackageResources.pixar_films_jsonl, name: options.file)
    let outcome = try Importer(options).run(on: facts)
    say("1. \(outcome.inserted) films are saved in \(shown(storePath)) as transaction \(outcome.token).")
  }

  private func follow() throws {
    say("\n3. A follower runs in a process of its own, and another author changes the store.")
    let follower = try startFollower()
    defer { stop(follower) }
    try show("is:favorite")
    if let catalogue { return try change(with: catalogue) }
    let store = try StoreFile.open(storePath, access: .readWrite)
    guard let movie = store.layout.entity(named: "Movie"), let title = movie.entity.index(of: "title"),
      let favorite = movie.entity.index(of: "isFavorite"),
      let row = try store.row(of: movie, where: title, equals: .text("WALL-E"))
    else { throw OperationError(.unequal, "the tour's catalogue lacks a film") }
    let clock = ContinuousClock()
    let saved = try store.save(author: Self.otherAuthor) { save in
      try save.update(movie, key: row.key, [(attribute: favorite, value: .integer(1))])
    }
    let start = clock.now
    try waitForFollower()
    let milliseconds = Int((clock.now - start) / .milliseconds(1))
    say(
      "\n4. Transaction \(saved.transaction) by \(Self.otherAuthor) was searchable \(milliseconds) ms after its save.")
    try show("is:favorite")
  }

  /// Waits until the newest transaction is indexed.
  func waitForFollower() throws {
    let outcome = try Waiting(storePath: storePath, directory: index).run(token: nil, milliseconds: 10_000)
    guard outcome.isReached else {
      throw OperationError(.unequal, "the follower did not index the change within 10 s")
    }
  }

  func show(_ query: String) throws {
    var request = SearchRequest(query: query)
    request.limit = 3
    let result = try Searcher(storePath: storePath, directory: index).search(request)
    say("   search '\(query)': \(result.estimated)")
    for hit in result.hits { say("     \(hit.title)") }
  }

  private func farewell() {
    let command = "\(program) --store \(shown(storePath))"
    say(
      """

      Go on with:
        \(command) search 'genres:adventure imdb:>=8'
        \(command) set title:nemo isFavorite:=true -n 1 --author me
        \(command) index
        \(command) search is:favorite --format json
        \(command) history --after 1
        \(command) help
      """)
  }

  /// The path, relative to the working directory if it is inside.
  func shown(_ path: String) -> String {
    let here = Self.workingDirectory + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  // MARK: The follower's process

  private func startFollower() throws -> pid_t {
    let words = ["followspot", "--store", storePath, "--index", index.path, "index", "--follow"]
    let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(silence) }
    let pid = try ChildProcess.start(FilePath.own ?? words[0], words, output: silence)
    for _ in 0..<1_000 {
      if FileLock.holder(.update, in: index)?.state == "following" { return pid }
      usleep(10_000)
    }
    stop(pid)
    throw OperationError(.file, "the follower did not become ready within 10 s")
  }

  private func stop(_ pid: pid_t) {
    kill(pid, SIGTERM)
    _ = ChildProcess.wait(pid)
  }
}
