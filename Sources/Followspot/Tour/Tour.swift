internal import PersistentStore
internal import SQLite
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Shows the main job on a small catalogue: 31 films with their dates, lengths, ratings, people and genres.
///
/// Source of the facts: the data set pixarfilms of Eric Leung, CC0 1.0.
package struct Tour {
  /// Where the tour keeps its files; nothing else is touched.
  package let directory: String
  /// The program itself, to start a follower as a process of its own.
  private let program: String
  private let say: (String) -> Void

  package var storePath: String { directory + "/pixar.store" }
  private static let author = "tour"
  private var index: IndexDirectory { IndexDirectory(path: storePath + ".index") }

  package init(directory: String, program: String, say: @escaping (String) -> Void) {
    self.directory = directory
    self.program = program
    self.say = say
  }

  /// `Index/built` of the checkout that holds the working directory; nil outside of one.
  package static func directoryInCheckout() -> String? {
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

  package func run() throws {
    try prepare()
    try makeStore()
    say("\n2. The index is built from the rows as they are, and remembers the transaction it has read.")
    _ = try Pass.run(Indexer.Options(storePath: storePath, directory: index))
    try show("toy")
    try show("people.name:docter released:2000..2010")
    try follow()
    say("\n5. A rebuild from the null token: a new generation, compared with the store, then served.")
    let rebuilt = try Rebuild(storePath: storePath, directory: index).run()
    say("   generation \(rebuilt.generation), \(rebuilt.documents) documents, certificate \(rebuilt.certificate)")
    let verified = try Verify(storePath: storePath, directory: index).run(isQuick: false)
    guard verified.isEqual else {
      throw FollowspotError(.unequal, "the index does not equal the store", hint: "please report this")
    }
    say("   verified: index and store are equal at transaction \(verified.token)")
    farewell()
  }

  // MARK: Steps

  private func prepare() throws {
    guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
      throw FollowspotError(.file, "\(directory) cannot be made: \(String(cString: strerror(errno)))")
    }
    if let holder = FileLock.holder(.tailer, in: index) {
      throw FollowspotError(
        .locked, "process \(holder.pid) (\(holder.verb)) works on the tour's index", hint: "kill \(holder.pid)")
    }
    try removeEarlierTour()
  }

  /// Removes what an earlier tour left, and nothing that anybody else made.
  private func removeEarlierTour() throws {
    if access(storePath, F_OK) == 0 {
      var authors: [String?] = []
      try? PersistentStore.open(storePath).transactions(limit: 1) { authors.append($0.author) }
      guard authors == [Self.author] else {
        throw FollowspotError(
          .file, "\(storePath) is not of an earlier tour", hint: "move it away, or name another place with --store")
      }
    }
    // Refuses a directory of another program.
    _ = try index.serving()
    Consumers(storePath: storePath).forget(index)
    for number in index.generations() { index.removeGeneration(number) }
    for name in ["XAPIANDB", "tailer.lock", "rebuild.lock"] { unlink(index.path + "/" + name) }
    rmdir(index.path)
    PersistentStore.remove(storePath)
  }

  private func makeStore() throws {
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
    let store = try PersistentStore.open(storePath, access: .readWrite)
    guard let movie = store.layout.entity(named: "Movie"), let title = movie.entity.index(of: "title"),
      let favorite = movie.entity.index(of: "isFavorite"),
      let row = try store.row(of: movie, where: title, equals: .text("WALL-E"))
    else { throw FollowspotError(.unequal, "the tour's catalogue lacks a film") }
    let clock = ContinuousClock()
    let saved = try store.save(author: "projectionist") { save in
      try save.update(movie, key: row.key, [(attribute: favorite, value: .integer(1))])
    }
    let start = clock.now
    let waiting = Waiting(storePath: storePath, directory: index)
    let outcome = try waiting.run(token: saved.transaction, milliseconds: 10_000)
    guard outcome.isReached else { throw FollowspotError(.unequal, "the follower did not follow within 10 s") }
    let elapsed = (clock.now - start).components
    say(
      "\n4. Transaction \(saved.transaction) by projectionist was searchable \(milliseconds(elapsed)) ms after its save."
    )
    try show("is:favorite")
  }

  private func milliseconds(_ time: (seconds: Int64, attoseconds: Int64)) -> Int64 {
    time.seconds * 1_000 + time.attoseconds / 1_000_000_000_000_000
  }

  private func show(_ query: String) throws {
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

  /// Relative to the working directory where it lies inside.
  private func shown(_ path: String) -> String {
    let here = Self.workingDirectory + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  // MARK: The follower's process

  private func startFollower() throws -> pid_t {
    var pid: pid_t = 0
    let words = ["followspot", "--store", storePath, "index", "--follow"]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let code = posix_spawn(&pid, "/proc/self/exe", &actions, nil, &arguments, environ)
    guard code == 0 else {
      throw FollowspotError(.file, "the follower cannot be started: \(String(cString: strerror(code)))")
    }
    for _ in 0..<1_000 {
      if FileLock.holder(.tailer, in: index)?.state == "following" { return pid }
      usleep(10_000)
    }
    stop(pid)
    throw FollowspotError(.file, "the follower did not become ready within 10 s")
  }

  private func stop(_ pid: pid_t) {
    kill(pid, SIGTERM)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }
}
