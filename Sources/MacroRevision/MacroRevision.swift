import Foundation
import PackagePlugin

/// Lets an edit of the macros reach the targets that use them.
///
/// The build runs a target's compiler again when one of the target's files is new, and the compiler then sees that the
/// macros are new as well; a new macro program alone does not start it. So each such target gets a file of its own that
/// is written anew with every edit.
@main
struct MacroRevision: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let macros = try context.package.targets(named: ["SwiftDataMacros"]).first as? any SourceModuleTarget else {
      return []
    }
    let sources = macros.sourceFiles(withSuffix: "swift").map(\.url)
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
