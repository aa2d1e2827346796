// SPDX-License-Identifier: MIT

internal import SQLite

/// The model of a store's file: this package's own description, or the one that Apple's frameworks stored.
struct StoreModel {
  let layout: StoreLayout
  let model: ModelDescription
  let versionIdentifiers: [String]
  /// Whether this package created the store. Only then it may be written.
  let isOwn: Bool
  /// Sentences about what is missing in the file or cannot be read.
  let remarks: [String]
  /// The digest of the model; nil if it was not computed.
  var digest: String?
  /// Why the file's own model cannot be used; nil if it is used.
  var modelFault: String?
  /// Temporary views that hide tables of the file that need another form for reading.
  var views: [TemporaryView] = []
  /// Views of tables with encoded values, which `Purpose.texts` reads as JSON.
  var decodingViews: [TemporaryView] = []

  /// The models of this package's stores that were read last, by their property lists. The stores of a group often have
  /// the same one.
  private static let known = RecentValues<[UInt8], StoreModel>()

  static func read(_ connection: Connection, propertyList: [UInt8]) throws -> StoreModel {
    if let model = known[propertyList] { return model }
    switch StoreMetadata.Essentials.read(propertyList) {
    case .own(let essentials):
      let model = StoreModel(
        layout: StoreLayout(model: essentials.model), model: essentials.model,
        versionIdentifiers: essentials.versionIdentifiers, isOwn: true, remarks: [],
        digest: try essentials.model.digest())
      known.keep(model, for: propertyList)
      return model
    case .foreign(let versionIdentifiers): return try foreign(connection, versionIdentifiers)
    case .unreadable:
      throw StoreError(
        .notAStore, "\(connection.path) has a model description that cannot be read",
        recovery: .restoreBackup)
    }
  }

  private static func foreign(_ connection: Connection, _ versionIdentifiers: [String]) throws -> StoreModel {
    let tables = try FileTables(connection)
    var remarks: [String] = []
    var fit: ModelFit?
    var modelFault: String?
    var encoded: [String: DecodedValue.Form] = [:]
    do {
      let archived = try ArchivedModel(content: try content(connection, tables))
      let found = try ModelFit(archived.model, to: tables)
      (fit, encoded) = (found, archived.encoded)
      remarks += found.remarks
    } catch let error as SQLiteError {
      throw error
    } catch {
      let fault = "the model in Z_MODELCACHE cannot be used, so names and types come from the columns: \(error)"
      remarks.append(fault)
      modelFault = fault
    }
    let isKnown = fit != nil
    if fit == nil {
      let made = ColumnModel(tables)
      guard let found = try? ModelFit(made.model, to: tables) else {
        throw StoreError(
          .notAStore, "\(connection.path) has no model that can be read", recovery: .restoreBackup)
      }
      if !made.references.isEmpty {
        remarks.append("left out columns with keys of related rows: \(ModelFit.list(made.references))")
      }
      fit = found
    }
    guard let fit else { preconditionFailure("a model was made from the columns") }
    let layout = StoreLayout(model: fit.model, numbers: tables.numbers) { entity in
      isKnown && !fit.inexact.contains(entity.name) ? .hashedToMany : .unknown
    }
    return StoreModel(
      layout: layout, model: fit.model, versionIdentifiers: versionIdentifiers, isOwn: false, remarks: remarks,
      modelFault: modelFault, views: TemporaryView.history(layout, tables),
      decodingViews: TemporaryView.decoding(encoded, layout, tables))
  }

  private static func content(_ connection: Connection, _ tables: FileTables) throws -> [UInt8] {
    guard tables.has(column: "Z_CONTENT", of: "Z_MODELCACHE") else {
      throw ArchivedModel.Failure(description: "there is none")
    }
    let statement = try connection.cursor(
      "SELECT Z_CONTENT FROM Z_MODELCACHE WHERE length(Z_CONTENT) <= \(ArchivedModel.largest) LIMIT 1")
    guard try statement.step() else { throw ArchivedModel.Failure(description: "there is none") }
    return Array(statement.bytes(at: 0))
  }

  /// Creates the temporary views on a connection, in place of those of an earlier model.
  func install(on connection: Connection, for purpose: PersistentStore.Purpose) throws {
    guard !isOwn else { return }
    let views = purpose == .texts ? views + decodingViews : views
    try connection.execute("PRAGMA temp_store = MEMORY")
    var old: [String] = []
    let found = try connection.cursor("SELECT name FROM temp.sqlite_master WHERE type = 'view'")
    while try found.step() { old.append(found.text(at: 0)) }
    for name in old { try connection.execute("DROP VIEW temp.\(quoted(name))") }
    if purpose == .objects { try connection.define(bytes: CodedValue.function, CodedValue.json) }
    for form in DecodedValue.Form.allCases where !views.isEmpty {
      try connection.define(bytes: form.function, form.json)
    }
    for view in views { try connection.execute(view.sql) }
  }
}
