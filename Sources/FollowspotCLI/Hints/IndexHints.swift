// SPDX-License-Identifier: MIT

internal import SearchIndex

extension IndexError.Recovery {
  var hint: String {
    switch self {
    case .retry: Hint.retry
    case .retryCommit: "try again; the serving index has not changed"
    case .waitForIndex: "try again later, or run followspot wait"
    case .freeSpace: Hint.freeSpace
    case .raiseLimits(let limits):
      Hint.raiseLimits(
        [(IndexError.Limit.memory, "memory", "-v"), (.openFiles, "open files", "-n"), (.threads, "threads", "-u")]
          .filter { limits.contains($0.0) }.map { ($0.1, $0.2) })
    case .checkPermissions: "check the permissions of the index"
    case .checkDisk: "check the disk, then try again; what was committed before stays"
    case .buildIndex: "followspot index"
    case .rebuildIndex: Hint.rebuild
    case .chooseOtherDirectory: "name another directory with --index DIR"
    case .copyAgain: "followspot replicate from HOST:PORT DIR copies it again"
    }
  }
}
