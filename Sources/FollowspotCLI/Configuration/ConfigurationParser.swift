// SPDX-License-Identifier: MIT

internal import Base

/// Parses the sections of the configuration file.
struct ConfigurationParser {
  private enum Section {
    case store(Int)
    case group(Int)
    case preset
    /// An unknown section: its lines are skipped.
    case unknown
  }

  private let file: String
  private let home: String?
  private var configuration = Configuration()
  private var section: Section?
  /// The profiles and the groups by name: a group may have a thousand stores.
  private var profiles: [String: Int] = [:]
  private var groups: [String: Int] = [:]
  /// The keys of the present section.
  private var keys: Set<String> = []
  private var preset: (name: String, line: Int)?

  init(file: String, home: String?) { (self.file, self.home) = (file, home) }

  /// Parses the text. Errors carry the file and the line.
  mutating func parse(_ text: String) -> Configuration {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      check(index + 1) { try $0.take(ConfigurationFile.trimmed(line), index + 1) }
    }
    for (index, profile) in configuration.profiles.enumerated() where profile.path.isEmpty {
      section = .store(index)
      check(profile.line) { _ in throw CommandError("the store \"\(profile.name)\" has no path", hint: "path = FILE") }
    }
    for (index, group) in configuration.groups.enumerated() {
      section = .group(index)
      check(group.line) { try $0.check(group) }
    }
    if let preset {
      section = .preset
      check(preset.line) { parser in
        if parser.groups[preset.name] == nil, parser.profiles[preset.name] == nil { throw parser.unknown(preset.name) }
        parser.configuration.preset = preset.name
      }
    }
    return configuration
  }

  /// Records the first error of each section, and the first of the file.
  private mutating func check(_ line: Int, _ body: (inout ConfigurationParser) throws -> Void) {
    do {
      try body(&self)
    } catch {
      let cause = error as? CommandError
      let problem = CommandError("\(file), line \(line): \(error)", hint: cause?.hint)
      configuration.problem = configuration.problem ?? problem
      switch section {
      case .store(let index):
        configuration.profiles[index].problem = configuration.profiles[index].problem ?? problem
      case .group(let index): configuration.groups[index].problem = configuration.groups[index].problem ?? problem
      case .preset, .unknown, nil: break
      }
    }
  }

  /// Checks that each of the group's stores is one.
  private func check(_ group: Configuration.Group) throws {
    if group.stores.isEmpty {
      throw CommandError("the group \"\(group.name)\" has no stores", hint: "stores = NAME, NAME")
    }
    var named: Set<String> = []
    for name in group.stores {
      guard named.insert(name).inserted else {
        throw CommandError("the group \"\(group.name)\" names the store \"\(name)\" twice")
      }
      if profiles[name] == nil, configuration.address(name) == nil { throw unknown(name) }
    }
  }

  /// The error for a name that is not the name of a store.
  private func unknown(_ name: String) -> CommandError {
    if groups[name] != nil {
      return CommandError("\"\(name)\" is a group, not a store", hint: "name the stores of the group")
    }
    let nearest = NearestNames.of(name, among: configuration.profiles.map(\.name)).first
    return CommandError(
      "there is no store \"\(name)\"",
      hint: nearest.map { "did you mean \($0)?" } ?? "[store \"\(name)\"] and a path make one")
  }

  // MARK: Lines

  private mutating func take(_ line: Substring, _ number: Int) throws {
    if line.first == "[" { section = .unknown }
    switch try ConfigurationFile.parse(line) {
    case .section(let words): try begin(words, line, number)
    case .entry(let key, let value): try set(key, value, number)
    case nil: break
    }
  }

  private mutating func set(_ key: String, _ value: String, _ number: Int) throws {
    guard let section else {
      throw CommandError("\(key) must be inside a section", hint: "[store \"NAME\"] begins one")
    }
    guard keys.insert(key).inserted else { throw CommandError("\(key) is repeated in its section") }
    switch (section, key) {
    case (.unknown, _): break
    case (.preset, "store"): preset = (value, number)
    case (.store(let index), "path"): configuration.profiles[index].path = try path(value)
    case (.store(let index), "index"): configuration.profiles[index].index = try path(value)
    case (.store(let index), "definition"): configuration.profiles[index].definition = try path(value)
    case (.group(let index), "stores"):
      let names = try value.split(separator: ",").map {
        try ConfigurationFile.unquoted(ConfigurationFile.trimmed($0))
      }
      configuration.groups[index].stores = names.filter { !$0.isEmpty }
    case (.group, _): throw CommandError("a group has no '\(key)'", hint: "a group section has only the key stores")
    case (.preset, _): throw CommandError("[default] has no '\(key)'", hint: "this section has only the key store")
    case (.store, _):
      throw CommandError("a store has no '\(key)'", hint: "a store section has the keys path, index and definition")
    }
  }

  private mutating func begin(_ words: [Substring], _ line: Substring, _ number: Int) throws {
    keys = []
    switch (words.first?.lowercased(), words.count) {
    case ("default", 1): section = .preset
    case ("store", 2):
      let name = try name(words[1])
      let known = profiles[name]
      section = .store(known ?? configuration.profiles.count)
      if known != nil { throw CommandError("there are two stores \"\(name)\"") }
      profiles[name] = configuration.profiles.count
      configuration.profiles.append(Configuration.Profile(name: name, path: "", line: number))
      if groups[name] != nil { throw collision(name) }
    case ("group", 2):
      let name = try name(words[1])
      let known = groups[name]
      section = .group(known ?? configuration.groups.count)
      if known != nil { throw CommandError("there are two groups \"\(name)\"") }
      groups[name] = configuration.groups.count
      configuration.groups.append(Configuration.Group(name: name, line: number))
      if profiles[name] != nil { throw collision(name) }
    default:
      throw CommandError(
        "there is no section '\(line)'", hint: "the sections are [default], [store \"NAME\"] and [group \"NAME\"]")
    }
  }

  private func name(_ text: Substring) throws -> String {
    let name = try ConfigurationFile.unquoted(ConfigurationFile.trimmed(text))
    guard !name.isEmpty, !name.contains("/") else {
      throw CommandError("'\(name)' is not a valid name", hint: "a name must not be empty, and must not contain /")
    }
    return name
  }

  private func collision(_ name: String) -> CommandError {
    CommandError("\"\(name)\" is the name of a store and of a group", hint: "give one of them another name")
  }

  /// Expands `~`, and refuses relative paths, which would depend on the working directory.
  private func path(_ value: String) throws -> String {
    if value == "~" || value.hasPrefix("~/"), let home { return home + value.dropFirst() }
    guard value.hasPrefix("/") else {
      throw CommandError("the path '\(value)' depends on where it is used", hint: "start the path with / or ~/")
    }
    return value
  }
}
