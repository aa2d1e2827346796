// SPDX-License-Identifier: MIT

internal import MacroExpansion
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// The program the compiler runs to expand the macros of module SwiftData.
@main
struct Plugin {
  static func main() throws {
    let listener = CompilerPluginMessageListener(connection: try StandardIOMessageConnection(), provider: Provider())
    try listener.main()
  }
}

private struct Provider: PluginProvider {
  struct UnknownMacro: Error, CustomStringConvertible {
    let description: String
  }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = macro(named: typeName) else {
      throw UnknownMacro(description: "there is no macro \(moduleName).\(typeName)")
    }
    return macro
  }
}
