// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

extension OperationError.Action {
  var hint: String? {
    switch self {
    case .retry: Hint.retry
    case .retryAndCheckDisk: "the old index stays in use; try again, and check the disk if the error repeats"
    case .freeSpace: Hint.freeSpace
    case .raiseLimits: "end other processes, or allow more threads (ulimit -u), then try again"
    case .raiseFileLimit: Hint.raiseLimits([("memory", "-v"), ("open files", "-n")])
    case .checkPermissions: "check its permissions"
    case .checkDiskAndPermissions: "check the disk and the permissions of the index, then try again"
    case .createDirectory: "create it, or name another one"
    case .moveOrLink: "move it, or use a symbolic link to it"
    case .endProcess(let pid): "kill \(pid)"
    case .report: "please report this"

    case .updateIndex: "followspot index"
    case .buildIndexAgain: "start followspot index again: it builds a new index"
    case .followAgain: "start followspot index --follow again: it builds a new index"
    case .rebuildIndex: Hint.rebuild
    case .reconcileIndex: "followspot index (without --no-reconcile) reconciles the index with the store"
    case .updateAndVerify: "followspot index, then verify again"
    case .updateOrWait: "followspot index updates it; followspot wait waits for a follower"
    case .showStatus: "followspot status shows the newest one"

    case .installPrograms: "sudo apt-get install xapian-tools"
    case .chooseAddress: "name another address or port with --listen ADDRESS:PORT"
    case .chooseReplicaDirectory: "name another directory for the replica"
    case .sameVersion: "install the same version of followspot on both machines"
    case .storedFields([]): "it stores no fields: give them the role \"stored\" in the index definition"
    case .storedFields(let names): Hint.known(names)
    case .retryLater: "check that followspot replicate serve runs there, then try again"

    case .serveShards: "start serve on that machine, then try again"

    case .attachDatabase: "followspot attach records changes from now on"
    case .feedSnapshot: "start again with all records: --from null"
    case .laterToken(let number): "the range \(number).. can be compared"

    case .tokensOfStores(let names):
      "name a transaction for each store: \(names.prefix(2).map { $0 + "=12" }.joined(separator: ","))"

    case .nearestNames(let names): Hint.nearest(names)
    case .knownNames([]): "its definition has none"
    case .knownNames(let names): Hint.known(names)
    case .listFields: Hint.listFields
    case .chooseConsumerName:
      "use a short name without slashes; the prefix 'index:' is reserved for indexes, which register themselves"
    case .moveConsumer(let name): "followspot history consumers move '\(name)' --token N"
    case .nearestConsumer(let nearest?, _): "did you mean '\(nearest)'?"
    case .nearestConsumer(nil, let name?): "followspot history consumers add '\(name)'"
    case .nearestConsumer(nil, nil): "followspot history consumers"
    case .listTransactions(let number): "followspot history --after \(number) lists what is missing"

    case .chooseSearchName:
      "use up to 64 letters, digits, '-', '_' and '.', and begin with a letter or a digit"
    case .nearestSearch(let name?): "did you mean '\(name)'?"
    case .nearestSearch(nil): "followspot saved list"
    case .replaceSearch: "--replace replaces it"
    case .saveAgain: "followspot saved remove, then followspot saved add with the same query"

    case .giveMoreTime: "--timeout 60s gives it more time; a join by key is fast: followspot help sql"

    case .scale(let scale): scale.advice
    case .recentTimes(let field): "--recent \(field):30d, :6mo or :1y"
    case .recentNumber(let field): "--recent \(field):10"

    case .addRecord: "give at least one record"
    case .nameEntity(let file): "followspot import \(file.quotedForShell) --kind Movie"
    case .chooseEntity: "name one of them with --kind"
    case .updateByKeyOrRepeat: "--key FIELD updates existing records; --again imports the records again"
    case .nameArray: "give the path from the outermost object to the array, such as data.items"
    case .chooseArray: "--at PATH names the array, such as data.items"
    case .readArray(let path): "--at \(path.quotedForShell) reads the array inside it"
    case .writeLines: "jq -c . writes an object on one line"
    case .nameFormat: "name it with --input-format jsonl, csv or tsv"
    case .copyFileAgain: "copy or download the file again; nothing was imported"
    case .relaxTypes(let column):
      "--lenient leaves such values empty, --skip-bad skips their lines, "
        + "--type \("\(column)=string".quotedForShell) makes the column text"
    case .resume(let line?): "repeat the command with --from-line \(line) to continue"
    case .resume(nil): "repeat the command to continue: --key finds the records that are saved"
    }
  }
}

extension BadLine {
  var hint: String {
    let skip = isHeader ? "" : "; --skip-bad skips the line"
    return switch recovery {
    case nil: isHeader ? "correct the header line" : "correct the line, or skip bad lines with --skip-bad"
    case .readAsUTF16: "use --encoding utf-16 for what spreadsheets save as Unicode" + skip
    case .chooseEncoding: "use --encoding latin-1 or utf-16 if the file has that encoding" + skip
    case .updateByKey(let name): "--key \(name) updates records that are there; --skip-bad leaves them out"
    case .giveValue:
      "give it, leave bad lines out with --skip-bad, or make the attribute optional: followspot help migrate"
    case .resume(let saved, let line):
      "\(saved) records are saved; correct the line and continue with --from-line \(line), "
        + "or leave bad lines out with --skip-bad"
    }
  }
}
