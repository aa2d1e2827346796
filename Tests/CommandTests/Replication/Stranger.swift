// SPDX-License-Identifier: MIT

import Foundation

/// Accepts connections, and sends each of them a part of something every second; only accepts them if the part is empty.
final class Stranger: Sendable {
  let port: Int
  private let descriptor: Int32

  init(_ part: [UInt8]) {
    let (descriptor, port) = ReplicationFixture.loopbackSocket()
    listen(descriptor, 5)
    (self.descriptor, self.port) = (descriptor, port)
    Thread.detachNewThread {
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread {
          while part.isEmpty || send(client, part, part.count, Int32(MSG_NOSIGNAL)) >= 0 { usleep(1_000_000) }
          close(client)
        }
      }
    }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
