// SPDX-License-Identifier: MIT

package import Base
package import SearchIndex

/// Serves an index to searches on other machines, with Xapian's program, until a stop signal. The index can be read only.
package struct IndexServer {
  private let directory: IndexDirectory
  private let address: NetworkAddress
  private let report: (String) -> Void

  package static let port = 7740

  package init(directory: IndexDirectory, address: NetworkAddress, report: @escaping (String) -> Void) {
    self.directory = directory
    self.address = address
    self.report = report
  }

  /// The index and the address.
  package var description: String { "\(directory.path) at \(address)" }

  /// - Parameter ready: Called once, when searches can connect.
  /// - Throws: `IndexError.missing`, `.corrupt`; `OperationError.file` if the address cannot be used.
  package func run(ready: () -> Void) throws {
    let program = try XapianProgram.searchServer.path()
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    _ = try IndexState.read(path: serving.path)
    // Each connection opens what the stub names then. So a new generation needs no restart.
    let words = ["--interface", address.host, "--port", String(address.port), "--quiet", directory.path]
    try ProgramServer(program: program, words: words, address: address, report: report).run(ready: ready) {}
  }
}
