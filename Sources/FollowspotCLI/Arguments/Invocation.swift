// SPDX-License-Identifier: MIT

internal import Following
internal import FoundationEssentials
internal import PersistentStore
internal import SearchIndex
internal import ShellInterface
internal import Values

/// One call of a verb: its options and arguments, and their interpretation.
struct Invocation: Sendable {
  let command: CommandDescription
  let options: [String: [String]]
  let positionals: [String]
  /// The number of positional arguments before `--`; nil if it was not given.
  var countBeforeEnd: Int?

  func has(_ name: String) -> Bool { options[name] != nil }
  func value(_ name: String) -> String? { options[name]?.last }

  func integer(_ name: String, atLeast minimum: Int = 0) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= minimum else {
      throw CommandError("\(name) takes a whole number from \(minimum), not '\(text)'")
    }
    return number
  }

  /// A duration such as `10s`, `500ms` or `2m`; a number without a unit is in seconds.
  func milliseconds(_ name: String, default preset: Int) throws -> Int {
    guard let text = value(name) else { return preset }
    if let milliseconds = DurationText.milliseconds(text, unitless: 1_000) { return milliseconds }
    throw CommandError("\(name) takes a time such as 10s, 500ms or 2m, not '\(text)'")
  }

  /// An age such as `7d`, `12h`, `30m` or `10s`, in seconds. The unit is required: without this rule, a forgotten unit
  /// could remove a week of history.
  func age(_ name: String) throws -> Double? {
    guard let text = value(name) else { return nil }
    if let milliseconds = DurationText.milliseconds(text, unitless: nil) { return Double(milliseconds) / 1_000 }
    throw CommandError("\(name) takes an age such as 7d, 12h or 30m, not '\(text)'")
  }

  /// A size such as `256M`, `1G` or `64k`, in powers of 1024; a number without a unit is in bytes.
  func bytes(_ name: String) throws -> Int? {
    guard let text = value(name) else { return nil }
    let shifts: [Character: Int] = ["k": 10, "m": 20, "g": 30]
    let shift = text.lowercased().last.flatMap { shifts[$0] }
    guard let number = Int(shift == nil ? text[...] : text.dropLast()), number >= 0,
      number <= Int.max >> (shift ?? 0)
    else { throw CommandError("\(name) takes a size such as 256M, 1G or 0, not '\(text)'") }
    return number << (shift ?? 0)
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, _: Choice.Type) throws -> Choice? {
    guard let text = value(name) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw CommandError("\(name) takes \(known), not '\(text)'")
  }

  /// The same call with one more option, quoted for a shell. `Advice` adds the options for the store and the index.
  func line(adding option: String) -> String {
    let given = command.options.flatMap { description in
      (options[description.name] ?? []).flatMap { value in
        description.value == nil ? [description.name] : [description.name, value.quotedForShell]
      }
    }
    let words = positionals.map(\.quotedForShell)
    let end = positionals.contains { $0.hasPrefix("-") } ? ["--"] : []
    return (["followspot", command.name, option] + given + end + words).joined(separator: " ")
  }

  func noPositionals() throws {
    if let first = positionals.first {
      throw CommandError("\(command.name) does not take '\(first)'", hint: "followspot help \(command.name)")
    }
  }

  // MARK: Store and index

  /// The names or paths of stores and groups.
  ///
  /// `--store` comes first, then the environment, then the configured default.
  var givenStores: [String] {
    get throws {
      if let given = options["--store"] { return given }
      return try (environment("FOLLOWSPOT_STORE") ?? Configuration.load().defaultName()).map { [$0] } ?? []
    }
  }

  /// The store of this call, and its profile in the configuration.
  ///
  /// A name without a slash is looked up in the configuration, unless a file has this name.
  private func namedStore() throws -> (path: String, profile: Configuration.Profile?)? {
    let given = try givenStores
    guard given.count <= 1 else {
      throw CommandError("\(command.name) works on one store, but \(given.count) are named", hint: Self.groupVerbs)
    }
    guard let name = given.first else { return nil }
    guard Self.isName(name) else { return (path: name, profile: nil) }
    let configuration = try Configuration.load()
    if configuration.groups.contains(where: { $0.name == name }) {
      throw CommandError("\(command.name) works on one store, but \"\(name)\" is a group", hint: Self.groupVerbs)
    }
    if configuration.address(name) != nil {
      throw CommandError(
        "\(command.name) needs the store, but '\(name)' names the index of another machine",
        hint: "search, count and status accept it")
    }
    return try configuration.profile(named: name).map { (path: $0.path, profile: $0) } ?? (path: name, profile: nil)
  }

  static let groupVerbs = "search, count, status and index accept several stores and groups"

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
        "\(command.name) needs the store, which the replica \(replica.path) does not have",
        hint: "search, count and status work without a store; --store FILE names one")
    }
    throw CommandError(
      "no store is named",
      hint: "--store FILE, or FOLLOWSPOT_STORE=FILE in the environment, or a default: followspot help config")
  }

  /// Warns once a process. `doctor` reports hard links as a finding of its own, and completion prints no warnings.
  private func warnOfHardLinks(_ path: String) {
    guard !Self.hasWarned, !["doctor", "completion"].contains(command.name),
      let warning = HardLinks.warning(of: path)
    else { return }
    Self.hasWarned = true
    Console.say(warning)
    Console.hint(Hint.hardLinks)
  }

  nonisolated(unsafe) private static var hasWarned = false

  /// Whether the directory of the index is named by itself, not derived from the store.
  var hasIndexDirectory: Bool { value("--index") ?? environment("FOLLOWSPOT_INDEX") != nil }

  func indexDirectory() throws -> IndexDirectory {
    let named = try value("--index") ?? environment("FOLLOWSPOT_INDEX") ?? namedStore()?.profile?.index
    guard let path = named else {
      return .standard(forStore: try storePath(), environment: ProcessInfo.processInfo.environment)
    }
    _ = try Self.checked(path)
    return IndexDirectory(path: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
  }

  /// The definition file: the one that `--definition` names; defaults to the profile's, for verbs that can build an
  /// index.
  func definitionPath() throws -> String? {
    if let path = value("--definition") { return path }
    guard command.options.contains(where: { ["--definition", "--build"].contains($0.name) }) else { return nil }
    return try namedStore()?.profile?.definition
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
