// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Messages for people before records are imported.
extension Importer {
  /// Reports what the survey found in the file.
  func say(_ file: RecordFile, _ plan: ImportPlan, _ fields: FieldMapping) {
    let isUnusual = file.encoding != .utf8 || (file.isDelimiterSniffed && file.delimiter != .comma)
    if plan.model != nil || isUnusual || options.isDryRun {
      let cells = file.delimiter.map { ", with \($0.name) between cells" } ?? ""
      let records = "\(plan.records) record\(plan.records == 1 ? "" : "s")"
      tell(.sentence("\(file.file.name) has \(records) in \(file.encoding.name)\(cells)"))
    }
    for (name, usable) in fields.renamed {
      tell(.sentence("'\(name)' becomes the attribute '\(usable)', because no query can say its name"))
    }
    for format in fields.formats { tell(.format(format)) }
    for sentence in plan.sentences { tell(.sentence(sentence)) }
  }

  /// Reports the changes to the model.
  func say(_ plan: ImportPlan) {
    guard plan.model != nil else {
      if options.isDryRun { tell(.sentence("the model of the store would stay as it is")) }
      return
    }
    switch (plan.isNew, options.isDryRun) {
    case (true, let isDryRun): tell(.newEntity(plan.entityName, isDryRun: isDryRun))
    case (false, false): tell(.sentence("the store was migrated for these attributes of \(plan.entityName):"))
    case (false, true): tell(.sentence("the store would be migrated for these attributes of \(plan.entityName):"))
    }
    tell(.attributes(plan.attributes))
  }

  /// Refuses a file that was probably imported before, because at least nine tenths of its records equal existing rows.
  ///
  /// A file with a single record is accepted, because a person may want the same record twice.
  func refuseRepetition(
    _ file: RecordFile, of entity: EntityLayout, in store: PersistentStore, _ plan: ImportPlan, _ fields: FieldMapping
  ) throws {
    guard options.key == nil, !options.isAgain, plan.records > 1, try store.count(of: entity) > 0 else { return }
    let known = try RecordDigests(of: entity, in: store, shapes)
    var fields = fields
    let total = plan.records + plan.badLines
    var (equal, others) = (0, 0)
    let reader = try file.reader(from: options.firstLine)
    while others * 10 <= total {
      try checkStopped()
      do {
        guard let record = try reader.next() else { break }
        if try known.contains(fields.map(record)) { equal += 1 } else { others += 1 }
      } catch is BadLine {
        others += 1
        guard options.skipsBad else { break }
      }
    }
    guard others * 10 <= total, equal > 0 else { return }
    throw OperationError(
      .usage, "\(equal) of the \(total) records in \(file.file.name) are in the store already",
      recovery: .updateByKeyOrRepeat)
  }
}
