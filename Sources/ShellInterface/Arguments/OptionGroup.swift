// SPDX-License-Identifier: MIT

/// A type whose properties are options, or groups of options.
package protocol OptionGroup {
  /// The options in the order of help.
  var declaredOptions: [any DeclaredOption] { get }
}

extension OptionGroup {
  /// The properties that are declared with `@Option`, and those of the groups among the properties.
  package var declaredOptions: [any DeclaredOption] {
    Mirror(reflecting: self).children.flatMap { child -> [any DeclaredOption] in
      if let option = child.value as? any DeclaredOption { return [option] }
      return (child.value as? any OptionGroup)?.declaredOptions ?? []
    }
  }

  /// Reads the values of the command line.
  package func read(_ given: [String: [String]]) throws {
    for option in declaredOptions {
      if let texts = given[option.description.name] { try option.read(texts) }
    }
  }
}

/// Some options of a group, which another verb takes too.
package struct OptionSelection<Group: OptionGroup>: OptionGroup {
  package let group: Group
  private let names: [String]
  private let lead: String

  /// - Parameter lead: The text before the help of each option.
  package init(_ group: Group, only names: [String], lead: String = "") {
    (self.group, self.names, self.lead) = (group, names, lead)
  }

  private struct Described: DeclaredOption {
    let description: OptionDescription
    let option: any DeclaredOption

    func read(_ texts: [String]) throws { try option.read(texts) }
  }

  package var declaredOptions: [any DeclaredOption] {
    group.declaredOptions.filter { names.contains($0.description.name) }.map { option in
      var description = option.description
      description.help = lead + description.help
      return Described(description: description, option: option)
    }
  }
}
