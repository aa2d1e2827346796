// SPDX-License-Identifier: MIT

internal import Followspot
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

  /// What is checked.
  enum Place {
    /// The path of the store and the directory of its index, or the errors if they cannot be determined.
    case store(Result<String, any Error>, Result<IndexDirectory, any Error>)
    case replica(IndexDirectory)
    case remote(RemoteIndex)
  }

  /// Checks a place. No check changes anything.
  static func findings(of place: Place) -> [Finding] {
    switch place {
    case .store(let store, let directory): findings(store, directory)
    case .replica(let directory): CopyChecks.findings(ofReplica: directory) + MachineChecks.space(for: directory)
    case .remote(let remote): CopyChecks.findings(of: remote)
    }
  }

  /// Checks what all places need.
  static func findings(_ environment: [String: String]) -> [Finding] {
    ProgramChecks.findings(environment) + [ProgramChecks.configuration(environment)]
  }

  private static func findings(
    _ store: Result<String, any Error>, _ directory: Result<IndexDirectory, any Error>
  ) -> [Finding] {
    do {
      let path = try store.get()
      var (findings, isReadable) = StoreChecks.findings(path, of: try? directory.get())
      findings += MachineChecks.fileSystem(of: path, "store file system")
      if isReadable { findings += MachineChecks.notices(beside: path) }
      guard let directory = try? directory.get() else { return findings }
      if isReadable {
        findings += StoreChecks.relations(path, directory.readings) + IndexChecks.findings(path, directory)
      }
      findings += MachineChecks.fileSystem(of: directory.path, "index file system")
      return findings + MachineChecks.space(for: directory)
    } catch {
      return [.fail("store", error)]
    }
  }
}
