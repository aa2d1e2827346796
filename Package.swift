// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "followspot",
  products: [
    .executable(name: "followspot", targets: ["FollowspotCLI"]),
    // Only for tests: loaded before the libraries of a process in which calls are to fail.
    .library(name: "faultpoint", type: .dynamic, targets: ["FaultPoint"]),
  ],
  targets: [
    // Doors to C and C++, no logic.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CSupport"),
    .target(name: "CXapian", linkerSettings: [.linkedLibrary("xapian")]),

    // The store side.
    .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: strict),
    .target(name: "PersistentStore", dependencies: ["SQLite", "CSupport"], swiftSettings: strict),

    .target(name: "SwiftData", dependencies: ["PersistentStore", "SQLite"], swiftSettings: strict),
    // The index side.
    .target(
      name: "IndexDefinitions",
      dependencies: ["CSupport"],
      path: "Index/Definitions",
      resources: [.embedInCode("default.json"), .embedInCode("words/stopwords-en.txt")],
      swiftSettings: strict
    ),
    .target(name: "SearchIndex", dependencies: ["CXapian", "CSupport"], swiftSettings: strict),

    // Both joined, and the shell.
    .target(
      name: "Followspot",
      dependencies: ["PersistentStore", "SQLite", "IndexDefinitions", "SearchIndex", "CSupport"],
      resources: [.embedInCode("Tour/pixar-films.jsonl")],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FollowspotCLI",
      dependencies: ["Followspot", "PersistentStore", "SQLite", "IndexDefinitions", "SearchIndex"],
      swiftSettings: strict
    ),

    // Tests and measurements.
    .target(
      name: "TestSupport",
      dependencies: ["PersistentStore", "SQLite", "Followspot", "SearchIndex", "IndexDefinitions"],
      swiftSettings: strict),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PersistentStoreTests", dependencies: ["PersistentStore", "SQLite", "CSupport", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "IndexDefinitionsTests", dependencies: ["IndexDefinitions"], swiftSettings: strict),
    .testTarget(name: "SearchIndexTests", dependencies: ["SearchIndex", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "FollowspotTests",
      dependencies: ["Followspot", "PersistentStore", "SQLite", "IndexDefinitions", "SearchIndex", "TestSupport"],
      swiftSettings: strict
    ),
    .testTarget(name: "CommandTests", dependencies: ["FollowspotCLI", "SQLite", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ReliabilityTests",
      dependencies: [
        "FollowspotCLI", "LoadWriter", "Followspot", "PersistentStore", "SQLite", "SearchIndex", "TestSupport",
      ],
      exclude: ["Preload", "LoadWriter"],
      swiftSettings: strict),
    .target(name: "FaultPoint", path: "Tests/ReliabilityTests/Preload", publicHeadersPath: "."),
    .executableTarget(
      name: "LoadWriter", dependencies: ["PersistentStore", "SQLite", "TestSupport"],
      path: "Tests/ReliabilityTests/LoadWriter", swiftSettings: strict),
    .target(
      name: "CRebuildLoop", path: "Tests/Benchmarks/CRebuildLoop",
      linkerSettings: [.linkedLibrary("xapian"), .linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["Followspot", "PersistentStore", "SearchIndex", "SQLite", "CRebuildLoop", "TestSupport"],
      path: "Tests/Benchmarks/Runner",
      swiftSettings: strict
    ),
  ],
  cxxLanguageStandard: .cxx17
)
