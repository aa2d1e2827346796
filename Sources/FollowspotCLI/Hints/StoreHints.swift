// SPDX-License-Identifier: MIT

internal import Store

extension StoreError.Recovery {
  var hint: String {
    switch self {
    case .retry: Hint.retry
    case .waitForWriter(nil): "try again when the other writer has finished"
    case .waitForWriter(let holder?): "try again later, or end \(holder)"
    case .freeSpace: Hint.freeSpace
    case .raiseLimits: Hint.raiseLimits([("memory", "-v"), ("open files", "-n")])
    case .checkPermissions: "check the permissions of the file and its directory"
    case .checkPermissionsAndSpace: "check the permissions of the file and its directory, and whether the disk has room"
    case .checkParentDirectories: "check the permissions of the directories that lead to it"
    case .checkDirectory: "check that its directory exists and can be written"
    case .checkDisk: "check the disk, then try again; what was saved before stays"

    case .restoreBackup: Hint.restoreBackup
    case .restoreDirectory(let path):
      "if another process is not just replacing it, restore the directory \(path) from a backup"
    case .restoreBackupOrLoadExtension:
      "if the schema is damaged, restore the database from a backup; otherwise it needs an extension of its own program"
    case .restoreBackupOrDecrypt: "restore it from a backup, or name a decrypted copy with --store FILE"
    case .openWithOwner: "open it once with the program that it belongs to, which rolls the transaction back"
    case .changeWithOwner: "change it with the program that it belongs to"
    case .writeToOwnStore: "write to your own store; followspot import creates one"
    case .chooseStore: "name the store's file with --store FILE"
    case .chooseOwnStore: "name a store that SwiftData or followspot made"
    case .chooseStoreOrDecrypt: "name a store, or a decrypted copy of it, with --store FILE"
    case .chooseDatabase: "name the file of an SQLite database"
    case .chooseOtherPath: "name another path, or remove the file"
    case .importText: "name a new file with --store, and import the text into it"
    case .unzip: "unzip it, and name the database that it holds with --store FILE"
    case .decompress(let program): "decompress it with \(program) first"
    case .createStore: "make one with: followspot import FILE.jsonl --kind ENTITY"
    case .nameNewPath:
      "it was moved or deleted after it was indexed: name its new path with --store, or in the configuration"
    case .replaceFile: "remove it, then create a store: followspot import FILE.jsonl --kind ENTITY"
    case .removeLeftover: "put it back beside that store, or remove it"
    case .updateSQLite(let version):
      "update SQLite, or use the one of the program that wrote the file; this is version \(version)"
    case .leaveMVCC: "run PRAGMA journal_mode='wal' on it in Turso, which makes it readable"
    case .trackHistory: "enable history tracking in the program that writes the store"

    case .attach: "followspot attach adds a history to it"
    case .indexAsItIs: "followspot index reads it"
    case .chooseTable(let names): "its tables are \(names.joined(separator: ", "))"
    case .chooseColumn: "name a column of the database"
    case .chooseKey: "name the column that identifies rows now with --key"
    case .chooseOtherKey: "name another column, or none"
    case .createUniqueIndex: "CREATE UNIQUE INDEX on it first"
    case .listRows(let path, let statement): "sqlite3 \(path.quotedForShell) \(statement.quotedForShell)"
    case .createTable: "create a table in it first"
    case .changeTable(let name, let reason): "\(name) is left out: \(reason)"
    case .renameTable: "rename that table first"

    case .renameProperty: "give it another name"
    case .chooseElements(let names): "name its elements: \(names.joined(separator: ", "))"
    case .migrateInTwoSteps: "rename first, then add the other one in a separate migration"
    case .dropTrigger: "drop it, migrate, and create it again"
    case .removeDuplicates: "change or delete one of them first"
    case .changeValue: "give it another value, or change the record that has this one"
    case .giveValue: "give it a value, or make the attribute optional: followspot help migrate"
    case .deleteRelatedFirst: "delete the objects that it refers to first, or in the same save"
    }
  }
}
