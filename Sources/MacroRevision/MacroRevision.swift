// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// Recompiles the targets that use the macros after an edit of the macros.
///
/// The build compiles a target again only if one of the target's files has changed. Then the compiler also uses the new
/// macros. A new macro program alone does not start it. So each such target gets a generated file that changes with
/// every edit of the macros.
@main
struct MacroRevision: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let macros = try context.package.targets(named: ["MacroExpansion"]).compactMap { $0 as? any SourceModuleTarget }
    let sources = macros.flatMap { $0.sourceFiles(withSuffix: "swift").map(\.url) }
    let revision = context.pluginWorkDirectoryURL.appending(path: "MacroRevision.swift")
    let script = #"revision="$1"; shift; echo "// $(cat "$@" | cksum)" > "$revision""#
    return [
      .buildCommand(
        displayName: "Noting the revision of the macros for \(target.name)", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", script, "sh", revision.path()] + sources.map { $0.path() },
        inputFiles: sources, outputFiles: [revision])
    ]
  }
}
