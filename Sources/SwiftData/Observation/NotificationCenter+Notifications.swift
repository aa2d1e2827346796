// SPDX-License-Identifier: MIT

extension NotificationCenter {
  /// The notifications of a name as they are posted, as a sequence that never ends.
  ///
  /// The first iterator gives every notification since the call, the others those since they were made; none is left
  /// out. Cancelling the task ends the iteration.
  ///
  /// On Apple's systems, Foundation has it.
  ///
  /// - Parameter object: Only notifications of this object.
  public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
    Notifications(self, name, object)
  }

  /// The notifications of one name, as they are posted.
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    // Unchecked: the object is not used, only compared.

    /// The type of an element.
    public typealias Element = Notification
    /// The sequence throws no errors.
    public typealias Failure = Never

    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: AnyObject?
    private let first: Locked<Queue?>

    fileprivate init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
      self.center = center
      self.name = name
      self.object = object
      first = Locked(Queue(center, name, object))
    }

    /// Iterates over the notifications. The first iterator begins where the sequence was made, others begin now.
    public func makeAsyncIterator() -> AsyncIterator {
      let waiting = first.withLock { first in
        defer { first = nil }
        return first
      }
      return AsyncIterator(waiting ?? Queue(center, name, object))
    }

    /// Waits for one notification after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let queue: Queue
      private var inner: AsyncStream<Posted>.Iterator

      fileprivate init(_ queue: Queue) {
        self.queue = queue
        inner = queue.stream.makeAsyncIterator()
      }

      /// The next notification; nil when the task is cancelled.
      public mutating func next() async -> Notification? { await inner.next()?.notification }

      /// The next notification, on the caller's actor; nil when the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
        await inner.next(isolation: actor)?.notification
      }
    }
  }

  /// A notification on its way from the poster's thread.
  fileprivate struct Posted: @unchecked Sendable {
    // Unchecked: the poster does not use the notification any more.
    let notification: Notification
  }

  /// Keeps notifications until they are read.
  fileprivate final class Queue: @unchecked Sendable {
    // Unchecked: everything is set by `init`.
    let stream: AsyncStream<Posted>
    private let center: NotificationCenter
    private let registration: any NSObjectProtocol

    init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
      let (stream, continuation) = AsyncStream.makeStream(of: Posted.self, bufferingPolicy: .unbounded)
      self.stream = stream
      self.center = center
      registration = center.addObserver(forName: name, object: object, queue: nil) { notification in
        continuation.yield(Posted(notification: notification))
      }
    }

    deinit { center.removeObserver(registration) }
  }
}
