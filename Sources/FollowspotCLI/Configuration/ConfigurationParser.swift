// SPDX-License-Identifier: MIT

internal import ShellInterface
internal import Values

/// Parses a configuration file: sections in brackets, `key = value` lines, and comment lines that start with `#` or
/// `;`.
struct ConfigurationParser {
  let file: String
  let home: String?

  private enum Section {
    case store(Int)
    case group(Int)
    case preset
    /// An unknown section: its lines are skipped.
    case unknown
  }

  private var configuration = Configuration()
  private var section: Section?
  /// The profiles and the groups by name: a group may have a thousand stores.
  private var profiles: [String: Int] = [:]
  private var groups: [String: Int] = [:]
  /// The line number of each profile's section.
  private var lines: [Int] = []
  /// The line number of each group's section.
  private var groupLines: [Int] = []
  private var seen: Set<String> = []
  private var preset: (name: String, line: Int)?

  init(file: String, home: String?) {
    self.file = file
    self.home = home
  }

  /// Parses the text. Errors carry the file and the line.
  mutating func parse(_ text: String) -> Configuration {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      do {
        try take(Self.trimmed(line), index + 1)
      } catch {
        note(error)
      }
    }
    for (index, line) in lines.enumerated() where configuration.profiles[index].path.isEmpty {
      section = .store(index)
      note(wrong(line, "the store \"\(configuration.profiles[index].name)\" has no path", hint: "path = FILE"))
    }
    for index in groupLines.indices {
      section = .group(index)
      if let problem = fault(of: configuration.groups[index], groupLines[index]) { note(problem) }
    }
    if let preset {
      let names = configuration.profiles.map(\.name) + configuration.groups.map(\.name)
      if names.contains(preset.name) {
        configuration.preset = preset.name
      } else {
        section = .preset
        note(unknown(preset.name, preset.line))
      }
    }
    return configuration
  }

  /// The error of a group's list of stores; nil if each of them is a store.
  private func fault(of group: Configuration.Group, _ line: Int) -> CommandError? {
    if group.stores.isEmpty {
      return wrong(line, "the group \"\(group.name)\" has no stores", hint: "stores = NAME, NAME")
    }
    var named: Set<String> = []
    for name in group.stores {
      guard named.insert(name).inserted else {
        return wrong(line, "the group \"\(group.name)\" names the store \"\(name)\" twice")
      }
      if profiles[name] == nil, configuration.address(name) == nil { return unknown(name, line) }
    }
    return nil
  }

  /// The error for a name that is not the name of a store.
  private func unknown(_ name: String, _ line: Int) -> CommandError {
    if groups[name] != nil {
      return wrong(line, "\"\(name)\" is a group, not a store", hint: "name the stores of the group")
    }
    let nearest = NearestNames.of(name, among: configuration.profiles.map(\.name)).first
    return wrong(
      line, "there is no store \"\(name)\"",
      hint: nearest.map { "did you mean \($0)?" } ?? "[store \"\(name)\"] and a path make one")
  }

  /// Records the first error of each section, and the first of the file.
  private mutating func note(_ problem: CommandError) {
    configuration.problem = configuration.problem ?? problem
    switch section {
    case .store(let index):
      configuration.profiles[index].problem = configuration.profiles[index].problem ?? problem
    case .group(let index): configuration.groups[index].problem = configuration.groups[index].problem ?? problem
    case .preset, .unknown, nil: break
    }
  }

  private mutating func take(_ line: Substring, _ number: Int) throws(CommandError) {
    guard let first = line.first, first != "#", first != ";" else { return }
    if first == "[" { return try begin(line, number) }
    guard let equals = line.firstIndex(of: "=") else {
      throw wrong(number, "'\(line)' is neither [section] nor key = value", hint: "comments begin with #")
    }
    let key = Self.trimmed(line[..<equals]).lowercased()
    let value = try unquoted(Self.trimmed(line[line.index(after: equals)...]), number)
    guard let section else {
      throw wrong(number, "\(key) must be inside a section", hint: "[store \"NAME\"] begins one")
    }
    guard seen.insert(key).inserted else { throw wrong(number, "\(key) is repeated in its section") }
    switch (section, key) {
    case (.unknown, _): break
    case (.preset, "store"): preset = (value, number)
    case (.store(let index), "path"): configuration.profiles[index].path = try path(value, number)
    case (.store(let index), "index"): configuration.profiles[index].index = try path(value, number)
    case (.store(let index), "definition"): configuration.profiles[index].definition = try path(value, number)
    case (.group(let index), "stores"):
      configuration.groups[index].stores = try names(value, number)
    case (.group, _):
      throw wrong(number, "a group has no '\(key)'", hint: "a group section has only the key stores")
    case (.preset, _): throw wrong(number, "[default] has no '\(key)'", hint: "this section has only the key store")
    case (.store, _):
      throw wrong(number, "a store has no '\(key)'", hint: "a store section has the keys path, index and definition")
    }
  }

  private mutating func begin(_ line: Substring, _ number: Int) throws(CommandError) {
    section = .unknown
    guard line.last == "]" else { throw wrong(number, "the section's ] is missing") }
    let parts = Self.trimmed(line.dropFirst().dropLast()).split(separator: " ", maxSplits: 1)
    seen = []
    switch (parts.first?.lowercased(), parts.count) {
    case ("default", 1): section = .preset
    case ("store", 2):
      let name = try name(parts[1], number)
      if let other = profiles[name] {
        section = .store(other)
        throw wrong(number, "there are two stores \"\(name)\"")
      }
      section = .store(configuration.profiles.count)
      profiles[name] = configuration.profiles.count
      configuration.profiles.append(Configuration.Profile(name: name, path: ""))
      lines.append(number)
      if groups[name] != nil { throw collision(name, number) }
    case ("group", 2):
      let name = try name(parts[1], number)
      if let other = groups[name] {
        section = .group(other)
        throw wrong(number, "there are two groups \"\(name)\"")
      }
      section = .group(configuration.groups.count)
      groups[name] = configuration.groups.count
      configuration.groups.append(Configuration.Group(name: name, stores: []))
      groupLines.append(number)
      if profiles[name] != nil { throw collision(name, number) }
    default:
      throw wrong(
        number, "there is no section '\(line)'",
        hint: "the sections are [default], [store \"NAME\"] and [group \"NAME\"]")
    }
  }

  private func name(_ text: Substring, _ number: Int) throws(CommandError) -> String {
    let name = try unquoted(Self.trimmed(text), number)
    guard !name.isEmpty, !name.contains("/") else {
      throw wrong(
        number, "'\(name)' is not a valid name", hint: "a name must not be empty, and must not contain /")
    }
    return name
  }

  /// Names with commas between them.
  private func names(_ value: String, _ number: Int) throws(CommandError) -> [String] {
    var names: [String] = []
    for part in value.split(separator: ",") { names.append(try unquoted(Self.trimmed(part), number)) }
    return names.filter { !$0.isEmpty }
  }

  private func collision(_ name: String, _ number: Int) -> CommandError {
    wrong(number, "\"\(name)\" is the name of a store and of a group", hint: "give one of them another name")
  }

  /// Expands `~`, and refuses relative paths, which would depend on the working directory.
  private func path(_ value: String, _ number: Int) throws(CommandError) -> String {
    if value == "~" || value.hasPrefix("~/"), let home { return home + value.dropFirst() }
    guard value.hasPrefix("/") else {
      throw wrong(number, "the path '\(value)' depends on where it is used", hint: "start the path with / or ~/")
    }
    return value
  }

  private func unquoted(_ value: Substring, _ number: Int) throws(CommandError) -> String {
    guard value.first == "\"" else { return String(value) }
    guard value.count > 1, value.last == "\"" else { throw wrong(number, "a quotation mark is missing") }
    return String(value.dropFirst().dropLast())
  }

  private static func trimmed(_ text: Substring) -> Substring {
    // Most texts have no blanks at their ends.
    if let first = text.utf8.first, let last = text.utf8.last, (0x21..<0x7f).contains(first),
      (0x21..<0x7f).contains(last)
    {
      return text
    }
    let start = text.drop(while: \.isWhitespace)
    return start.prefix(upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)
  }

  private func wrong(_ line: Int, _ what: String, hint: String? = nil) -> CommandError {
    CommandError("\(file), line \(line): \(what)", hint: hint)
  }
}
