// SPDX-License-Identifier: MIT

// The static standard library, with which the benchmarks are built, has no Testing.
#if canImport(Testing)
  package import Testing

  /// Removes each `TemporaryDirectory` that a test has made at the end of the test.
  package struct TemporaryDirectoryTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
      for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
      guard testCase != nil else { return try await body() }
      let scope = TemporaryDirectory.Scope()
      do {
        try await TemporaryDirectory.Scope.$current.withValue(scope, operation: body)
        scope.removeAll()
      } catch {
        scope.printPaths()
        throw error
      }
    }
  }

  extension Trait where Self == TemporaryDirectoryTrait {
    package static var temporaryDirectory: TemporaryDirectoryTrait { TemporaryDirectoryTrait() }
  }
#endif
