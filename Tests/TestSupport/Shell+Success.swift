// SPDX-License-Identifier: MIT

// The static standard library, with which the benchmarks are built, has no Testing.
#if canImport(Testing)
  package import Testing

  extension Shell {
    /// Runs a command that must exit with code 0.
    @discardableResult
    package func succeed(
      _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
      try succeed(arguments, sourceLocation: sourceLocation)
    }

    @discardableResult
    package func succeed(
      _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
      let outcome = try run(arguments)
      #expect(outcome.code == 0, "\(outcome)", sourceLocation: sourceLocation)
      return outcome
    }
  }
#endif
