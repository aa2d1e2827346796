// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// A queue between threads with a maximum length. A producer waits while it is full.
final class BoundedQueue<Element: Sendable>: @unchecked Sendable {  // every use of the variables holds the mutex
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int
  private var elements: [Element] = []
  private var isClosed = false

  init(capacity: Int) {
    self.capacity = capacity
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Adds an element. Returns false if the queue stays full for `milliseconds`, and after `close()`.
  func push(_ element: Element, milliseconds: Int) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let nanoseconds = end.tv_nsec + milliseconds * 1_000_000
    end.tv_sec += nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    return locked {
      while elements.count >= capacity, !isClosed {
        guard pthread_cond_timedwait(condition, mutex, &end) == 0 else { return false }
      }
      guard !isClosed else { return false }
      elements.append(element)
      pthread_cond_broadcast(condition)
      return true
    }
  }

  /// The next element; nil if the queue is closed and empty.
  func pop() -> Element? {
    locked {
      while elements.isEmpty, !isClosed { pthread_cond_wait(condition, mutex) }
      guard !elements.isEmpty else { return nil }
      pthread_cond_broadcast(condition)
      return elements.removeFirst()
    }
  }

  /// Nothing more comes; what is there is still handed over, unless it is to be dropped.
  func close(dropping: Bool = false) {
    locked {
      isClosed = true
      if dropping { elements = [] }
      pthread_cond_broadcast(condition)
    }
  }
}
