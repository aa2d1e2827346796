// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex

/// A verb of this program.
protocol Verb: Command {
  func run(_ call: Call) throws -> ExitCode
}

/// Options that every verb takes, before or after its name.
struct GlobalOptions: OptionGroup {
  @Option(
    "--store", "FILE",
    "path of a store, or a name of the configuration (default: $FOLLOWSPOT_STORE, then the configured default)")
  var stores: [String]
  @Option(
    "--index", "DIR",
    "directory of the index (default: $FOLLOWSPOT_INDEX, then STORE.index or the user's cache); one for each --store")
  private var indexes: [String]
  @Option("--color", "WHEN", "when to use colour: ") var color: Style.When?
  @Option("--no-pager", "do not use a pager") var hasNoPager: Bool
  @Option("--format-version", "N", "version of the output formats that the script expects (default: 2)")
  var formatVersion: String?
  @Option("--help", "print this help") var help: Bool
  @Option("-h", for: "--help") var shortHelp: Bool
  @Option("--version", "print the version") var version: Bool

  /// The directory of the only index.
  var index: String? { indexes.last }
  /// The directories of the indexes of several stores, in their order; nil if they are not named.
  func indexes(of stores: Int) -> [String]? { stores > 1 && indexes.count == stores ? indexes : nil }
}

/// One call of a verb: its arguments, and the stores and indexes that it names.
struct Call {
  let command: any Verb.Type
  let options: [String: [String]]
  let positionals: [String]
  let globals: GlobalOptions
  /// The name of the store, if the call is a part of one that names several stores.
  var member: String?
  /// That store; nil if the call is not a part of one about several stores, or if the part is on another machine.
  private(set) var place: GroupedStore?
  /// Whether the call names the index of that store.
  private(set) var namesIndex = false

  var name: String { command.name }

  init(_ command: any Verb.Type, _ arguments: ParsedArguments) throws {
    self.command = command
    (options, positionals) = (arguments.options, arguments.positionals)
    globals = try GlobalOptions(reading: options)
  }

  /// The same call on another store.
  func naming(store: String?) throws -> Call {
    guard let store else { return self }
    return try Call(command, positionals, options.merging(["--store": [store]]) { $1 })
  }

  /// The part of the call that is about one of its stores.
  func part(_ part: GroupedPart) throws -> Call {
    var others = options
    others["--index"] = nil
    others["--store"] = [part.name]
    var call = try Call(command, positionals, others)
    call.member = part.name
    if case .store(let store) = part { (call.place, call.namesIndex) = (store, options["--index"] != nil) }
    return call
  }

  private init(
    _ command: any Verb.Type, _ positionals: [String], _ options: [String: [String]]
  ) throws {
    (self.command, self.positionals, self.options) = (command, positionals, options)
    globals = try GlobalOptions(reading: options)
  }

  /// The same call with one more option, quoted for a shell. `CommandHints` adds the options for the store and the index.
  func line(adding option: String) -> String {
    let given = command.options.flatMap { description in
      (options[description.name] ?? []).flatMap { value in
        description.value == nil ? [description.name] : [description.name, value.quotedForShell]
      }
    }
    let words = positionals.map(\.quotedForShell)
    let end = positionals.contains { $0.hasPrefix("-") } ? ["--"] : []
    return (["followspot", name, option] + given + end + words).joined(separator: " ")
  }

  // MARK: Arguments

  /// An error of usage, with the help of the verb as its hint.
  func usageError(_ message: String) -> CommandError { CommandError(message, hint: "followspot help \(name)") }

  func noPositionals() throws {
    if let first = positionals.first { throw usageError("\(name) does not take '\(first)'") }
  }

  /// The only argument.
  ///
  /// - Parameter what: The argument, as in "import takes one file".
  func onlyArgument(_ what: String) throws -> String {
    guard positionals.count == 1 else { throw usageError("\(name) takes one \(what)") }
    return positionals[0]
  }

  /// The path of the database in the argument; defaults to the store that other verbs use.
  func databasePath() throws -> String { try positionals.isEmpty ? storePath() : onlyArgument("database") }

  /// Refuses options and arguments that the subcommand does not take.
  func take(_ names: [String], positionals count: Int) throws {
    let part = ([name] + positionals.prefix(count)).joined(separator: " ")
    let common = GlobalOptions.declaredOptions.map(\.description.name)
    if let other = options.keys.sorted().first(where: { !names.contains($0) && !common.contains($0) }) {
      throw usageError("\(part) does not take \(other)")
    }
    if let extra = positionals.dropFirst(count).first { throw usageError("\(part) does not take '\(extra)'") }
  }

  // MARK: Store and index

  /// The names or paths of stores and groups.
  ///
  /// `--store` comes first, then the environment, then the configured default.
  var givenStores: [String] {
    get throws {
      guard globals.stores.isEmpty else { return globals.stores }
      return try (environment("FOLLOWSPOT_STORE") ?? Configuration.load().defaultName()).map { [$0] } ?? []
    }
  }

  /// The store of this call, and its profile in the configuration.
  ///
  /// A name without a slash is looked up in the configuration, unless a file has this name.
  func namedStore() throws -> (path: String, profile: Configuration.Profile?)? {
    if let place {
      return (
        place.path,
        Configuration.Profile(
          name: place.name, path: place.path, index: place.directory.path, definition: place.definition)
      )
    }
    let given = try givenStores
    guard given.count <= 1 else {
      throw CommandError("\(name) works on one store, but \(given.count) are named", hint: Self.groupVerbs)
    }
    guard let name = given.first else { return nil }
    guard Self.isName(name) else { return (path: name, profile: nil) }
    let configuration = try Configuration.load()
    if configuration.groups.contains(where: { $0.name == name }) {
      throw CommandError("\(self.name) works on one store, but \"\(name)\" is a group", hint: Self.groupVerbs)
    }
    if configuration.address(name) != nil {
      throw CommandError(
        "\(self.name) needs the store, but '\(name)' names the index of another machine",
        hint: Self.copyVerbs)
    }
    return try configuration.profile(named: name).map { (path: $0.path, profile: $0) } ?? (path: name, profile: nil)
  }

  static let copyVerbs = "search, count, pick, suggest, explain, schema, status, doctor and failed need no store"
  private static let groupVerbs = "name one of them with --store"

  /// Whether a text names an entry of the configuration rather than a file.
  static func isName(_ text: String) -> Bool { !text.contains("/") && !FileManager.default.fileExists(atPath: text) }

  func storePath() throws -> String {
    if let store = try namedStore() {
      let path = try Self.checked(store.path)
      warnOfHardLinks(path)
      return path
    }
    if let replica = try replicaDirectory() {
      throw CommandError(
        "\(name) needs the store, which the replica \(replica.path) does not have",
        hint: Self.copyVerbs + "; --store FILE names a store")
    }
    throw CommandError(
      "no store is named",
      hint: "--store FILE, or FOLLOWSPOT_STORE=FILE in the environment, or a default: followspot help config")
  }

  /// Warns once a process. `doctor` reports hard links as a finding of its own, and completion prints no warnings.
  private func warnOfHardLinks(_ path: String) {
    guard !Self.hasWarned, !["doctor", "completion"].contains(name),
      let warning = HardLinks.warning(of: path)
    else { return }
    Self.hasWarned = true
    Console.say(warning)
    Console.hint(Hint.hardLinks)
  }

  nonisolated(unsafe) private static var hasWarned = false

  /// Whether the directory of the index is named by itself, not derived from the store.
  var hasIndexDirectory: Bool { place == nil && (globals.index ?? environment("FOLLOWSPOT_INDEX")) != nil }

  func indexDirectory() throws -> IndexDirectory {
    if let place { return place.directory }
    let named = try globals.index ?? environment("FOLLOWSPOT_INDEX") ?? namedStore()?.profile?.index
    guard let path = named else {
      return .standard(forStore: try storePath(), environment: ProcessInfo.processInfo.environment)
    }
    _ = try Self.checked(path)
    return IndexDirectory(path: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
  }

  /// Refuses a path that is not UTF-8. Decoding has already replaced its invalid bytes, so it would name another file.
  static func checked(_ path: String) throws -> String {
    guard !path.unicodeScalars.contains("\u{fffd}") else {
      throw CommandError("the path \(path) is not UTF-8", hint: "give the file another name, or reach it by a link")
    }
    return path
  }

  private func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
