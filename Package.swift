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
    // Both: with FollowspotModels alone, which exports Followspot, a release build of Swift 6.3.1 keeps the old code of a client
    // after a change of Followspot.
    .library(name: "Followspot", targets: ["Followspot", "FollowspotModels"]),
    .executable(name: "pixar-catalogue", targets: ["PixarCatalogue"]),
  ],
  targets: [
    // C and C++ libraries behind C interfaces. CXapian also holds what must run inside Xapian: ranking and crash handling.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CSupport"),
    .target(name: "CXapian", linkerSettings: [.linkedLibrary("xapian")]),

    // Dates, names and numbers as people write them.
    .target(name: "Base", dependencies: ["CSupport"], swiftSettings: strict),

    // The store side.
    .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: strict),
    // Entities and the tables that hold them; the files of a store, its rows, history, saves and migration; what other
    // software wrote, presented as a store: stores of Apple's software, and ordinary databases.
    .target(name: "Store", dependencies: ["CSupport", "CZlib", "Base", "SQLite"], swiftSettings: strict),

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
      dependencies: ["CSupport", "SQLite", "Store", "SwiftDataMacros"],
      swiftSettings: strict),
    // For every target of this package with a `@Model` class in it.
    .plugin(name: "MacroRevision", capability: .buildTool(), path: "Sources/MacroRevision"),

    // The index: Xapian, what a row becomes in it, what has changed since, and what keeps it current.
    .target(
      name: "SearchIndex",
      dependencies: ["CSupport", "CXapian", "Base", "SQLite", "Store"],
      path: "Index",
      resources: [
        .embedInCode("Definitions/default.json"), .embedInCode("Definitions/words/languages.txt"),
        .embedInCode("Definitions/words/stopwords-en.txt"), .embedInCode("Definitions/words/synonyms-en.txt"),
      ],
      swiftSettings: strict
    ),
    // The engine, and the library for programs: files to records, queries, the way from a query to a page of records, groups,
    // live and saved results, the feed of changes, SQL over hits.
    .target(
      name: "Followspot",
      dependencies: ["CZlib", "Base", "SQLite", "Store", "SearchIndex"],
      swiftSettings: strict),

    // Searches that give objects of SwiftData. Apart, so that the shell does not load Foundation, which SwiftData exports.
    .target(name: "FollowspotModels", dependencies: ["SwiftData", "Followspot"], swiftSettings: strict),

    // The shell: verbs, and answers, states, changes and errors as text, tables and JSON.
    .executableTarget(
      name: "FollowspotCLI",
      dependencies: [
        "CSupport", "Base", "SQLite", "Store", "SearchIndex", "Followspot",
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
      dependencies: ["SQLite", "Store", "SearchIndex", "Followspot"],
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(name: "SourceRulesTests", swiftSettings: strict),
    .testTarget(name: "BaseTests", dependencies: ["Base", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PersistentStoreTests",
      dependencies: ["CSupport", "Base", "SQLite", "Store", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ForeignStoresTests",
      dependencies: ["SQLite", "Store", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SwiftDataMacrosTests", dependencies: ["MacroExpansion"], swiftSettings: macroSettings,
      linkerSettings: macroLinking),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "CSQLite", "SQLite", "Store", "SwiftData", "SearchIndex", "Followspot", "ModelWriter",
        "TestSupport",
      ],
      exclude: ["ModelWriter"], swiftSettings: strict, plugins: ["MacroRevision"]),
    .executableTarget(
      name: "ModelWriter", dependencies: ["SwiftData"], path: "Tests/SwiftDataTests/ModelWriter",
      swiftSettings: strict, plugins: ["MacroRevision"]),
    .testTarget(
      name: "SearchIndexTests", dependencies: ["Base", "SearchIndex", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "FollowspotTests",
      dependencies: [
        "CSQLite", "Base", "SQLite", "Store", "SearchIndex", "Followspot",
        "TestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "CommandTests",
      dependencies: ["SQLite", "FollowspotCLI", "PixarCatalogue", "RetrievalBenchmark", "TestSupport"],
      exclude: ["Screens"], swiftSettings: strict),
    .testTarget(
      name: "EmbeddingTests",
      dependencies: [
        "SQLite", "SwiftData", "SearchIndex", "Followspot", "FollowspotModels", "FollowspotCLI", "EmbeddedSearch",
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
        "Base", "SQLite", "Store", "SearchIndex", "Followspot", "FollowspotCLI", "LoadWriter",
        "DamageReader", "TestSupport",
      ],
      exclude: ["Preload", "LoadWriter", "DamageReader"],
      swiftSettings: strict),
    .executableTarget(
      name: "LoadWriter", dependencies: ["SQLite", "Store", "TestSupport"],
      path: "Tests/ReliabilityTests/LoadWriter", swiftSettings: strict),
    .executableTarget(
      name: "DamageReader",
      dependencies: ["Base", "Store", "SearchIndex", "Followspot", "TestSupport"],
      path: "Tests/ReliabilityTests/DamageReader", swiftSettings: strict),
    .target(
      name: "CRebuildLoop", path: "Tests/Benchmarks/CRebuildLoop",
      linkerSettings: [.linkedLibrary("xapian"), .linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["SQLite", "Store", "SearchIndex", "Followspot", "CRebuildLoop", "TestSupport"],
      path: "Tests/Benchmarks/Runner",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "RetrievalBenchmark",
      dependencies: ["SQLite", "Store", "SearchIndex", "Followspot", "TestSupport"],
      path: "Tests/Benchmarks/Retrieval", exclude: ["tantivy_partner.py"],
      swiftSettings: strict
    ),
    .target(name: "CRowLoop", path: "Tests/Benchmarks/CRowLoop", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "ModelBenchmarks",
      dependencies: ["SwiftData", "Followspot", "FollowspotModels", "CRowLoop", "TestSupport"],
      path: "Tests/Benchmarks/Models",
      swiftSettings: strict, plugins: ["MacroRevision"]),
  ],
  cxxLanguageStandard: .cxx17
)
