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
    // Entities and their attributes, the tables that hold them, and the files of a store.
    .target(name: "StoreModel", dependencies: ["CSupport", "SQLite"], swiftSettings: strict),
    // Rows, history, saves and migration.
    .target(
      name: "PersistentStore", dependencies: ["CSupport", "Values", "SQLite", "StoreModel"], swiftSettings: strict),
    // What other software wrote, presented as a store: stores of Apple's software, and ordinary databases.
    .target(
      name: "ForeignStores", dependencies: ["CZlib", "Values", "SQLite", "StoreModel", "PersistentStore"],
      swiftSettings: strict),

    // Models of an app over the store.
    // What the macros make is a library of its own: a test that depended on the macros would have all others, and what they
    // test, compiled a second time, as tools of the build.
    .target(
      name: "MacroExpansion", path: "Sources/SwiftDataMacros", exclude: ["Plugin"], swiftSettings: macroSettings,
      linkerSettings: macroLinking),
    .macro(
      name: "SwiftDataMacros", dependencies: ["MacroExpansion"], path: "Sources/SwiftDataMacros/Plugin",
      swiftSettings: macroSettings, linkerSettings: macroLinking),
    .target(
      name: "SwiftData",
      dependencies: ["StoreModel", "PersistentStore", "ForeignStores", "SQLite", "CSupport", "SwiftDataMacros"],
      swiftSettings: strict),
    // For every target of this package with a `@Model` class in it.
    .plugin(name: "MacroRevision", capability: .buildTool(), path: "Sources/MacroRevision"),

    // The index side.
    .target(
      name: "IndexDefinitions",
      dependencies: ["CSupport", "Values"],
      path: "Index/Definitions",
      resources: [
        .embedInCode("default.json"), .embedInCode("words/languages.txt"), .embedInCode("words/stopwords-en.txt"),
        .embedInCode("words/synonyms-en.txt"),
      ],
      swiftSettings: strict
    ),
    .target(name: "SearchIndex", dependencies: ["CSupport", "CXapian"], swiftSettings: strict),

    // From a save to documents.
    .target(
      name: "Indexing",
      dependencies: [
        "CSupport", "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions",
        "SearchIndex",
      ],
      swiftSettings: strict),
    // Files to records of a store.
    .target(
      name: "Importing",
      dependencies: [
        "CZlib", "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "Indexing",
      ],
      swiftSettings: strict),
    // What runs: the follower, rebuild, verify, purge, replicas.
    .target(
      name: "Following",
      dependencies: [
        "CSupport", "Values", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex",
        "Indexing",
      ],
      swiftSettings: strict),
    // The syntax of queries, and the names, numbers and dates in them.
    .target(
      name: "QueryLanguage",
      dependencies: ["Values", "StoreModel", "PersistentStore", "IndexDefinitions", "SearchIndex", "Indexing"],
      swiftSettings: strict),
    // What a query is answered over: an index, its store and their difference at one moment.
    .target(
      name: "SearchViews",
      dependencies: [
        "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex",
        "Indexing", "Importing", "Following", "QueryLanguage",
      ],
      swiftSettings: strict),
    // From a query to a page of records.
    .target(
      name: "Searching",
      dependencies: [
        "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex",
        "Indexing", "Importing", "QueryLanguage", "SearchViews",
      ],
      swiftSettings: strict),
    // Live results, saved searches, the feed of changes.
    .target(
      name: "Watching",
      dependencies: [
        "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex",
        "Indexing", "Following", "QueryLanguage", "SearchViews", "Searching",
      ],
      swiftSettings: strict),
    // Several indexes as one.
    .target(
      name: "Scaling",
      dependencies: [
        "Values", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex", "Indexing",
        "Following", "SearchViews", "Searching",
      ],
      swiftSettings: strict),
    // Virtual tables over a store and its index.
    .target(
      name: "StoreSQL",
      dependencies: [
        "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "SearchIndex", "Indexing", "SearchViews",
        "Searching",
      ],
      swiftSettings: strict),

    // What any command line has: arguments, help, completion, terminal.
    .target(name: "ShellInterface", dependencies: ["CSupport", "Values"], swiftSettings: strict),
    // Answers, states, changes and errors as text, tables and JSON.
    .target(
      name: "Printing",
      dependencies: [
        "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex",
        "Indexing", "Importing", "Following", "QueryLanguage", "SearchViews", "Searching", "Watching", "Scaling",
        "ShellInterface",
      ],
      resources: [.embedInCode("Documents/schema.json")],
      swiftSettings: strict),

    // The library for programs, and the shell.
    .target(
      name: "Followspot",
      dependencies: [
        "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex", "Indexing",
        "Following", "SearchViews", "Searching",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "FollowspotCLI",
      dependencies: [
        "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex",
        "Indexing", "Importing", "Following", "SearchViews", "Searching", "Watching", "Scaling", "StoreSQL",
        "ShellInterface", "Printing",
      ],
      resources: [.embedInCode("Tour/pixar-films.jsonl"), .embedInCode("Tour/pixar-definition.json")],
      swiftSettings: strict
    ),

    // A program of its own with SwiftData, for the tour.
    .executableTarget(
      name: "PixarCatalogue", dependencies: ["SwiftData"], swiftSettings: strict, plugins: ["MacroRevision"]),

    // Tests and measurements.
    .target(
      name: "TestSupport",
      dependencies: [
        "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex", "Indexing",
        "Following", "SearchViews", "Searching", "ShellInterface",
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(name: "SourceRulesTests", swiftSettings: strict),
    .testTarget(name: "ValuesTests", dependencies: ["Values", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PersistentStoreTests",
      dependencies: [
        "CSupport", "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "Indexing", "QueryLanguage",
        "Searching", "ShellInterface", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ForeignStoresTests",
      dependencies: ["SQLite", "StoreModel", "PersistentStore", "ForeignStores", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SwiftDataMacrosTests", dependencies: ["MacroExpansion"], swiftSettings: macroSettings,
      linkerSettings: macroLinking),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "CSQLite", "SQLite", "StoreModel", "PersistentStore", "SwiftData", "IndexDefinitions", "SearchIndex",
        "Importing", "Following", "SearchViews", "Searching", "ShellInterface", "ModelWriter", "TestSupport",
      ],
      exclude: ["ModelWriter"], swiftSettings: strict, plugins: ["MacroRevision"]),
    .executableTarget(
      name: "ModelWriter", dependencies: ["SwiftData"], path: "Tests/SwiftDataTests/ModelWriter",
      swiftSettings: strict, plugins: ["MacroRevision"]),
    .testTarget(name: "IndexDefinitionsTests", dependencies: ["IndexDefinitions"], swiftSettings: strict),
    .testTarget(
      name: "SearchIndexTests", dependencies: ["SearchIndex", "Searching", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "FollowspotTests",
      dependencies: [
        "CSQLite", "Values", "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions",
        "SearchIndex", "Indexing", "Following", "QueryLanguage", "SearchViews", "Searching", "Watching", "Scaling",
        "ShellInterface", "TestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "SQLite", "Following", "Searching", "ShellInterface", "FollowspotCLI", "PixarCatalogue", "TestSupport",
      ],
      exclude: ["Screens"], swiftSettings: strict),
    .testTarget(
      name: "EmbeddingTests",
      dependencies: [
        "SwiftData", "SearchIndex", "Following", "Followspot", "ShellInterface", "FollowspotCLI", "EmbeddedSearch",
        "TestSupport",
      ],
      exclude: ["Program"], swiftSettings: strict, plugins: ["MacroRevision"]),
    // The program that the guide Embedding shows.
    .executableTarget(
      name: "EmbeddedSearch", dependencies: ["SwiftData", "Followspot"], path: "Tests/EmbeddingTests/Program",
      swiftSettings: strict, plugins: ["MacroRevision"]),
    .testTarget(
      name: "ReliabilityTests",
      dependencies: [
        "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex", "Indexing",
        "Following", "SearchViews", "Searching", "FollowspotCLI", "LoadWriter", "DamageReader", "TestSupport",
      ],
      exclude: ["Preload", "LoadWriter", "DamageReader"],
      swiftSettings: strict),
    .executableTarget(
      name: "LoadWriter", dependencies: ["SQLite", "StoreModel", "PersistentStore", "TestSupport"],
      path: "Tests/ReliabilityTests/LoadWriter", swiftSettings: strict),
    .executableTarget(
      name: "DamageReader",
      dependencies: [
        "StoreModel", "PersistentStore", "ForeignStores", "IndexDefinitions", "SearchIndex", "Indexing", "Following",
        "SearchViews", "Searching", "TestSupport",
      ],
      path: "Tests/ReliabilityTests/DamageReader", swiftSettings: strict),
    .target(
      name: "CRebuildLoop", path: "Tests/Benchmarks/CRebuildLoop",
      linkerSettings: [.linkedLibrary("xapian"), .linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "SearchIndex", "Indexing", "Importing", "Following",
        "SearchViews", "Searching", "CRebuildLoop", "TestSupport",
      ],
      path: "Tests/Benchmarks/Runner",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "RetrievalBenchmark",
      dependencies: [
        "SQLite", "StoreModel", "PersistentStore", "ForeignStores", "SearchIndex", "Importing", "Following",
        "SearchViews", "Searching", "TestSupport",
      ],
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
