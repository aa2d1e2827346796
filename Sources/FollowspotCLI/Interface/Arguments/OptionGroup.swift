// SPDX-License-Identifier: MIT

/// A type whose properties are options, or groups of options.
protocol OptionGroup {
  init()
}

extension OptionGroup {
  /// The options in the order of help.
  static var declaredOptions: [any DeclaredOption] { DeclaredOptions.collect { Self() }.options }

  /// Reads the values of the command line.
  init(reading given: [String: [String]]) throws {
    let (group, options) = DeclaredOptions.collect { Self() }
    for option in options {
      if let texts = given[option.description.name] { try option.read(texts) }
    }
    self = group
  }
}

/// Collects the options that are initialised with a group. Finding them by reflection would take a millisecond of each
/// process, because a cast to a protocol searches all conformances of the program.
enum DeclaredOptions {
  /// nil while none are collected.
  nonisolated(unsafe) private static var collected: [any DeclaredOption]?

  static func add(_ option: any DeclaredOption) { collected?.append(option) }

  static func collect<Group>(_ make: () -> Group) -> (group: Group, options: [any DeclaredOption]) {
    let outer = collected
    defer { collected = outer }
    collected = []
    let group = make()
    return (group, collected ?? [])
  }
}

/// Some options of a group, which another verb takes too.
struct OptionSelection<Group: OptionGroup> {
  let group: Group
  /// The names of the options.
  let names: [String]

  /// - Parameter lead: The text before the help of each option.
  init(_ group: @autoclosure () -> Group, only names: [String], lead: String = "") {
    let (made, options) = DeclaredOptions.collect(group)
    (self.group, self.names) = (made, names)
    for option in options where names.contains(option.description.name) {
      var description = option.description
      description.help = lead + description.help
      DeclaredOptions.add(Described(description: description, option: option))
    }
  }

  private struct Described: DeclaredOption {
    let description: OptionDescription
    let option: any DeclaredOption

    func read(_ texts: [String]) throws { try option.read(texts) }
  }
}
