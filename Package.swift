// swift-tools-version: 6.1
// SPDX-License-Identifier: MIT
import CompilerPluginSupport
import Foundation
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The swift-syntax modules that come with the toolchain, so that the macros need no other package.
///
/// This manifest runs linked to …/lib/swift/pm/ManifestAPI/libPackageDescription.so; the memory map of the process thus
/// names the toolchain that builds. A file handle reads the map to its end; `String(contentsOfFile:)` stops at a page.
let hostModules: String = {
  let tail = "/lib/swift/pm/ManifestAPI/libPackageDescription.so"
  let data = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
  let lines = String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n")
  guard let line = lines.first(where: { $0.hasSuffix(tail) }), let slash = line.firstIndex(of: "/") else {
    fatalError("/proc/self/maps does not name the toolchain")
  }
  let host = line[slash...].dropLast(tail.count) + "/lib/swift/host"
  guard FileManager.default.fileExists(atPath: host + "/SwiftSyntaxMacros.swiftmodule") else {
    fatalError("the toolchain has no swift-syntax modules at \(host); use Swift 6.3 from swift.org")
  }
  return String(host)
}()
let macroSettings = strict + [.unsafeFlags(["-I", hostModules])]
let macroLinking: [LinkerSetting] = [
  .unsafeFlags(["-L", hostModules, "-Xlinker", "-rpath", "-Xlinker", hostModules])
]

let package = Package(
  name: "followspot",
  products: [
    .executable(name: "followspot", targets: ["FollowspotCLI"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "Followspot", targets: ["Followspot"]),
    .executable(name: "pixar-catalogue", targets: ["PixarCatalogue"]),
  ],
  targets: [
    // C and C++ libraries behind C interfaces. CXapian also holds what must run inside Xapian: ranking and crash handling.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CSupport"),
    .target(name: "CXapian", linkerSettings: [.linkedLibrary("xapian")]),

    // Dates, names and numbers as people write them.
    .target(name: "Values", swiftSettings: strict),

    // The store side.
    .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: strict),
    .target(name: "PersistentStore", dependencies: ["Values", "SQLite", "CZlib", "CSupport"], swiftSettings: strict),

    // Models of an app over the store.
    .macro(name: "SwiftDataMacros", swiftSettings: macroSettings, linkerSettings: macroLinking),
    .target(
      name: "SwiftData", dependencies: ["PersistentStore", "SQLite", "CSupport", "SwiftDataMacros"],
      swiftSettings: strict),
    // For every target of this package with a `@Model` class in it.
    .plugin(name: "MacroRevision", capability: .buildTool(), path: "Sources/MacroRevision"),

    // The index side.
    .target(
      name: "IndexDefinitions",
      dependencies: ["Values", "CSupport"],
      path: "Index/Definitions",
      resources: [
        .embedInCode("default.json"), .embedInCode("words/languages.txt"), .embedInCode("words/stopwords-en.txt"),
        .embedInCode("words/synonyms-en.txt"),
      ],
      swiftSettings: strict
    ),
    .target(name: "SearchIndex", dependencies: ["CXapian", "CSupport"], swiftSettings: strict),

    // What any command line has: arguments, help, completion, configuration, terminal.
    .target(name: "ShellInterface", dependencies: ["Values"], swiftSettings: strict),

    // Both joined, and the shell.
    .target(
      name: "Followspot",
      dependencies: ["Values", "PersistentStore", "SQLite", "CZlib", "IndexDefinitions", "SearchIndex", "CSupport"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FollowspotCLI",
      dependencies: [
        "ShellInterface", "Followspot", "Values", "PersistentStore", "SQLite", "IndexDefinitions", "SearchIndex",
      ],
      resources: [
        .embedInCode("Documents/schema.json"), .embedInCode("Tour/pixar-films.jsonl"),
        .embedInCode("Tour/pixar-definition.json"),
      ],
      swiftSettings: strict
    ),

    // A program of its own with SwiftData, for the tour.
    .executableTarget(
      name: "PixarCatalogue", dependencies: ["SwiftData"], swiftSettings: strict, plugins: ["MacroRevision"]),

    // Tests and measurements.
    .target(
      name: "TestSupport",
      dependencies: ["PersistentStore", "SQLite", "Followspot", "SearchIndex", "IndexDefinitions"],
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(name: "SourceRulesTests", swiftSettings: strict),
    .testTarget(name: "ValuesTests", dependencies: ["Values", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PersistentStoreTests", dependencies: ["Values", "PersistentStore", "SQLite", "CSupport", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SwiftDataMacrosTests", dependencies: ["SwiftDataMacros"], swiftSettings: macroSettings,
      linkerSettings: macroLinking),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "SwiftData", "ModelWriter", "PersistentStore", "SQLite", "CSQLite", "Followspot", "SearchIndex",
        "IndexDefinitions", "TestSupport",
      ],
      exclude: ["ModelWriter"], swiftSettings: strict, plugins: ["MacroRevision"]),
    .executableTarget(
      name: "ModelWriter", dependencies: ["SwiftData"], path: "Tests/SwiftDataTests/ModelWriter",
      swiftSettings: strict, plugins: ["MacroRevision"]),
    .testTarget(name: "IndexDefinitionsTests", dependencies: ["IndexDefinitions"], swiftSettings: strict),
    .testTarget(name: "SearchIndexTests", dependencies: ["SearchIndex", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "FollowspotTests",
      dependencies: [
        "Values", "ShellInterface", "Followspot", "PersistentStore", "SQLite", "CSQLite", "IndexDefinitions",
        "SearchIndex",
        "TestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "CommandTests", dependencies: ["FollowspotCLI", "PixarCatalogue", "SQLite", "TestSupport"],
      exclude: ["Screens"], swiftSettings: strict),
    .testTarget(
      name: "EmbeddingTests",
      dependencies: ["Followspot", "SwiftData", "EmbeddedSearch", "FollowspotCLI", "SearchIndex", "TestSupport"],
      exclude: ["Program"], swiftSettings: strict, plugins: ["MacroRevision"]),
    // The program that the guide Embedding shows.
    .executableTarget(
      name: "EmbeddedSearch", dependencies: ["Followspot", "SwiftData"], path: "Tests/EmbeddingTests/Program",
      swiftSettings: strict, plugins: ["MacroRevision"]),
    .testTarget(
      name: "ReliabilityTests",
      dependencies: [
        "FollowspotCLI", "LoadWriter", "DamageReader", "Followspot", "IndexDefinitions", "PersistentStore", "SQLite",
        "SearchIndex", "TestSupport",
      ],
      exclude: ["Preload", "LoadWriter", "DamageReader"],
      swiftSettings: strict),
    .executableTarget(
      name: "LoadWriter", dependencies: ["PersistentStore", "SQLite", "TestSupport"],
      path: "Tests/ReliabilityTests/LoadWriter", swiftSettings: strict),
    .executableTarget(
      name: "DamageReader",
      dependencies: ["Followspot", "IndexDefinitions", "PersistentStore", "SQLite", "SearchIndex", "TestSupport"],
      path: "Tests/ReliabilityTests/DamageReader", swiftSettings: strict),
    .target(
      name: "CRebuildLoop", path: "Tests/Benchmarks/CRebuildLoop",
      linkerSettings: [.linkedLibrary("xapian"), .linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["Followspot", "PersistentStore", "SearchIndex", "SQLite", "CRebuildLoop", "TestSupport"],
      path: "Tests/Benchmarks/Runner",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "RetrievalBenchmark",
      dependencies: ["Followspot", "PersistentStore", "SearchIndex", "SQLite", "TestSupport"],
      path: "Tests/Benchmarks/Retrieval", exclude: ["tantivy_partner.py"],
      swiftSettings: strict
    ),
    .target(name: "CRowLoop", path: "Tests/Benchmarks/CRowLoop", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "ModelBenchmarks", dependencies: ["SwiftData", "CRowLoop", "TestSupport"],
      path: "Tests/Benchmarks/Models",
      swiftSettings: strict, plugins: ["MacroRevision"]),
  ],
  cxxLanguageStandard: .cxx17
)
