// SPDX-License-Identifier: MIT

/// Where an index is served: a host, or the address of an interface, and a port.
package struct NetworkAddress: Equatable, Sendable, CustomStringConvertible {
  package let host: String
  package let port: Int

  package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  /// `HOST:PORT`; nil for anything else. An IPv6 address is in brackets.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1...65_535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    // A host that begins with a hyphen would be an option of the program.
    guard !host.isEmpty, !host.hasPrefix("-"), !host.contains(where: { $0.isWhitespace || $0 == "/" }) else {
      return nil
    }
    self.init(host: String(host), port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
