// SPDX-License-Identifier: MIT

import Glibc
import SQLite
import TestSupport

func pid() -> Int32 { getpid() }

/// Removes the transactions before `number`, as a purge does.
func purge(_ bench: IndexedStore, before number: Int) throws {
  try Connection(path: bench.storePath, access: .readWrite).execute(
    "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < \(number); DELETE FROM ATRANSACTION WHERE Z_PK < \(number)")
}

/// Changes the store by SQL, behind its history's back.
func edit(_ bench: IndexedStore, _ sql: String) throws {
  try Connection(path: bench.storePath, access: .readWrite).execute(sql)
}
