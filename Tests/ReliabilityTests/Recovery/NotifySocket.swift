// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// The socket of a service manager such as systemd. A thread reads and keeps all datagrams, because the system buffers only
/// a few.
final class NotifySocket {
  private let descriptor: Int32
  private let received = Received()
  private var address = sockaddr_un()
  private let size: socklen_t
  private var marks = 0
  /// The value for NOTIFY_SOCKET.
  let name: String

  /// - Parameter isAbstract: Whether the socket has an abstract name, which is not a file.
  init(in directory: TemporaryDirectory, isAbstract: Bool = false) throws {
    let path = isAbstract ? "@followspot-\(UUID().uuidString)" : directory.file("notify")
    name = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      buffer.copyBytes(from: bytes)
      if isAbstract { buffer[0] = 0 }
    }
    size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard bound == 0 else { throw CocoaError(.fileWriteUnknown) }
    Thread.detachNewThread { [descriptor, received] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
        received.append(String(decoding: buffer.prefix(count), as: UTF8.self))
      }
      close(descriptor)
    }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// What came in, between the thread that reads and the test.
  private final class Received: @unchecked Sendable {  // the lock guards the lines
    private let lock = NSLock()
    private var lines: [String] = []

    func append(_ text: String) {
      lock.withLock { lines += text.split(separator: "\n").map(String.init) }
    }

    var all: [String] { lock.withLock { lines } }
  }

  private static let mark = "MARK="

  /// All lines that have been sent so far, in their order: a mark that is sent behind them has come in too.
  func lines() -> [String] {
    marks += 1
    let mark = Self.mark + String(marks)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, mark, mark.utf8.count, Int32(MSG_NOSIGNAL), $0, size)
      }
    }
    _ = eventually { received.all.contains(mark) }
    return received.all.filter { !$0.hasPrefix(Self.mark) }
  }

  func count(_ line: String) -> Int { lines().count { $0 == line } }

  /// Waits until so many lines have the prefix. Returns false after a minute.
  func wait(for prefix: String, times: Int = 1) -> Bool {
    eventually(within: 60) { received.all.count { $0.hasPrefix(prefix) } >= times }
  }
}
