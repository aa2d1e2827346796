// SPDX-License-Identifier: MIT

internal import Documents
internal import SearchIndex

/// Checks everything that a search, a follower or a rebuild needs.
struct Doctor {
  enum Outcome: String, Sendable {
    case ok
    /// It works, but it is slow, or it can fail soon.
    case warn
    /// It does not work.
    case fail
  }

  /// The result of one check.
  struct Finding: Equatable, Sendable {
    /// The subject of the check: `store`, `index`, `locale`.
    let check: String
    let outcome: Outcome
    let message: String
    /// What the user can do; nil if nothing is needed.
    var hint: String?

    static func ok(_ check: String, _ message: String) -> Finding {
      Finding(check: check, outcome: .ok, message: message)
    }

    static func warn(_ check: String, _ message: String, hint: String? = nil) -> Finding {
      Finding(check: check, outcome: .warn, message: message, hint: hint)
    }

    static func fail(_ check: String, _ message: String, hint: String? = nil) -> Finding {
      Finding(check: check, outcome: .fail, message: message, hint: hint)
    }

    static func fail(_ check: String, _ error: any Error) -> Finding {
      .fail(check, String(describing: error), hint: Hint.of(error))
    }
  }

  private let store: Result<String, any Error>
  private let directory: Result<IndexDirectory, any Error>
  private let environment: [String: String]

  /// - Parameters:
  ///   - store: The store's path, or the error if it cannot be determined.
  ///   - directory: The index's directory, or the error if it cannot be determined.
  init(
    store: Result<String, any Error>, directory: Result<IndexDirectory, any Error>, environment: [String: String]
  ) {
    self.store = store
    self.directory = directory
    self.environment = environment
  }

  /// Runs all checks in order. No check changes anything.
  func examine() -> [Finding] {
    var findings = ProgramChecks.findings(environment) + [ProgramChecks.configuration(environment)]
    do {
      let path = try store.get()
      let (found, isReadable) = StoreChecks.findings(path, of: try? directory.get())
      findings += found
      findings += MachineChecks.fileSystem(of: path, "store file system")
      if isReadable { findings += MachineChecks.notices(beside: path) }
      guard let directory = try? directory.get() else { return findings }
      if isReadable {
        findings += StoreChecks.relations(path, directory.readings) + IndexChecks.findings(path, directory)
      }
      findings += MachineChecks.fileSystem(of: directory.path, "index file system")
      findings += MachineChecks.space(for: directory)
    } catch {
      findings.append(.fail("store", error))
    }
    return findings
  }
}
