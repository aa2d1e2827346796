// SPDX-License-Identifier: MIT

package import Base
internal import Store

// What a program, or the person before it, can do about an error. The command line has its own phrases, which name its
// verbs.

extension FollowspotError.Recovery {
  /// A sentence without a full stop.
  var advice: String {
    switch self {
    case .retry: "try again"
    case .freeSpace: "free space on the disk, then try again; nothing was lost"
    case .raiseLimits: "allow the process more memory, open files or threads, then try again"
    case .checkPermissions: "let the process read and write the file and its directory"
    case .checkDisk: "check the disk, then try again; what was committed before stays"
    case .createStore: "save objects to a store at that URL, or name the URL of another store"
    case .chooseStore: "name the file of a store"
    case .chooseDirectory: "name another directory for the index"
    case .restoreBackup: "restore the store from a backup"
    case .openWithOwner: "open the store once with the program that it belongs to"
    case .updateIndex: "call StoreIndex.update() or StoreIndex.follow(reached:)"
    case .rebuildIndex: "call StoreIndex.rebuild()"
    default: "did you mean \(names.joined(separator: ", "))?"
    }
  }
}

extension QueryError.Recovery {
  /// A sentence without a full stop; nil if the message is enough.
  package var advice: String? {
    switch self {
    case .nearestNames(let names): "did you mean \(names.joined(separator: ", "))?"
    case .knownNames(let names): "there is \(names.joined(separator: ", "))"
    case .listFields: "StoreIndex.schema() lists the fields; a literal query is searched as words"
    case .indexAttribute: "add the attribute to the definition of the index, or mark it .spotlight"
    case .askWriter: "search on the machine that has the store"
    case .attachDatabase: "attach the database with followspot, which records changes from then on"
    case .examples(let examples, let scale):
      examples.isEmpty
        ? scale?.advice : "write \(examples.joined(separator: " or "))" + (scale.map { "; \($0.advice)" } ?? "")
    case .scale(let scale): scale.advice
    case .transactions(let examples): "write \(examples.joined(separator: " or "))"
    case .narrow(let examples): "narrow it, as in \(examples.joined(separator: " or "))"
    case .searchWords(let field): "search its words with \(field):word"
    case .lengthenPrefix(let count): "give at least \(count) letters before *"
    case .searchFewer(.words): "search for fewer words"
    case .searchFewer(.terms): "search for fewer"
    case .searchFewer(.phrases): "search for fewer phrases"
    case .searchFewer(.ranges): "use fewer ranges, or ranges of whole months"
    case .simplify: "write a simpler query"
    case .searchEverything: "* finds everything"
    case .add(let text): "add a \(text)"
    case .remove("()"): "remove them"
    case .remove(let text): "remove the \(text), or write \"...\" to search for it"
    case .quoteOperator(let word): "write \"\(word)\" to search for the word"
    case .quote(let word): "\"\(word)\" in quotation marks is a word"
    case .writeCondition(let text): "write the condition as \(text)"
    case .joinValue(let field): "write the condition as \(field):VALUE without blanks"
    case .separateAssignment: "write a condition as FIELD:VALUE"
    }
  }
}

extension QueryError.Scale {
  package var advice: String {
    switch self {
    case .counts(let unit, let field): "\(field) counts \(unit.rawValue)"
    case .undeclared(let unit, let field):
      "a definition can name the unit of \(field), such as \"unit\": \"\(unit.rawValue)\""
    }
  }
}

extension OperationError.Action {
  /// A sentence without a full stop; nil if the public recovery or the message is enough.
  var advice: String? {
    switch self {
    case .endProcess(let pid): "end process \(pid), or wait for it"
    case .updateAndVerify: "call StoreIndex.update(), then StoreIndex.verify(isQuick:repairs:) again"
    case .updateOrWait: "call StoreIndex.update(), or StoreIndex.wait(for:timeout:) beside a follower"
    case .feedSnapshot: "read the changes again from the beginning, which gives all objects"
    case .laterToken(let number): "the changes after transaction \(number) are known"
    case .knownNames(let names) where !names.isEmpty: "there is \(names.joined(separator: ", "))"
    case .listFields: "StoreIndex.schema() lists the fields"
    case .chooseConsumerName: "use a short name without slashes; names that begin with 'index:' are reserved"
    case .nearestConsumer(let name?, _): "did you mean '\(name)'?"
    case .chooseSearchName: "use up to 64 letters, digits, '-', '_' and '.', and begin with a letter or a digit"
    case .nearestSearch(let name?): "did you mean '\(name)'?"
    case .replaceSearch: "replaces: true replaces it"
    case .saveAgain: "remove the saved search, then save it again"
    case .giveMoreTime: "give it more time; a join by key is fast"
    case .scale(let scale): scale.advice
    case .recentTimes: "write a time such as 30d, 6mo or 1y"
    case .recentNumber: "write a number such as 10"
    default: nil
    }
  }
}

extension StoreError.Recovery {
  /// A sentence without a full stop; nil if the public recovery or the message is enough.
  var advice: String? {
    switch self {
    case .waitForWriter(let holder?): "try again later, or end \(holder)"
    case .checkParentDirectories: "check the permissions of the directories that lead to it"
    case .checkDirectory: "check that its directory exists and can be written"
    case .restoreDirectory(let path): "restore the directory \(path) from a backup"
    case .restoreBackupOrDecrypt, .chooseStoreOrDecrypt: "name a store, or a decrypted copy of it"
    case .importText: "import the text into a new store"
    case .unzip: "unzip it, and name the database that it holds"
    case .decompress(let program): "decompress it with \(program) first"
    case .trackHistory: "enable history tracking in the program that writes the store"
    case .updateSQLite(let version): "update SQLite; this is version \(version)"
    case .removeLeftover: "put it back beside its store, or remove it"
    default: nil
    }
  }
}
