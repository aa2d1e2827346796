// SPDX-License-Identifier: MIT

internal import SQLite

/// The model of a store that Apple's frameworks made.
enum AppleModel {
  /// The model that is archived in the store, adapted to its tables; one that is made from the columns if it cannot be
  /// used.
  static func read(
    _ connection: Connection, versionIdentifiers: [String], for purpose: PersistentStore.Purpose
  ) throws -> StoredModel {
    let tables = try FileTables(connection)
    var remarks: [String] = []
    var modelFault: String?
    var archived: (fit: ModelFit, encoded: [String: DecodedValue.Form])?
    do {
      let found = try ArchivedModel(content: try content(connection, tables))
      archived = (try ModelFit(found.model, to: tables), found.encoded)
    } catch let error as SQLiteError {
      throw error
    } catch {
      let fault = "the model in Z_MODELCACHE cannot be used, so names and types come from the columns: \(error)"
      remarks.append(fault)
      modelFault = fault
    }
    let fit = try archived?.fit ?? fitOfColumns(connection, tables, &remarks)
    remarks += archived?.fit.remarks ?? []
    let layout = StoreLayout(model: fit.model, numbers: tables.numbers) { entity in
      archived != nil && !fit.inexact.contains(entity.name) ? .hashedToMany : .unknown
    }
    var model = StoredModel(
      model: fit.model, layout: layout, views: views(archived?.encoded ?? [:], layout, tables, for: purpose))
    (model.versionIdentifiers, model.remarks, model.modelFault) = (versionIdentifiers, remarks, modelFault)
    return model
  }

  private static func fitOfColumns(
    _ connection: Connection, _ tables: FileTables, _ remarks: inout [String]
  ) throws -> ModelFit {
    let made = ColumnModel(tables)
    guard let fit = try? ModelFit(made.model, to: tables) else {
      throw StoreError(.notAStore, "\(connection.path) has no model that can be read", recovery: .restoreBackup)
    }
    if !made.references.isEmpty {
      remarks.append("left out columns with keys of related rows: \(ModelFit.list(made.references))")
    }
    return fit
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

  // MARK: Views

  /// Views of history tables that differ from the current layout, and for `Purpose.texts` those that decode values.
  private static func views(
    _ encoded: [String: DecodedValue.Form], _ layout: StoreLayout, _ tables: FileTables,
    for purpose: PersistentStore.Purpose
  ) -> TemporaryViews {
    let decoding = purpose == .texts ? decodingViews(encoded, layout, tables) : []
    return TemporaryViews(historyViews(layout, tables) + decoding) { connection in
      if purpose == .objects { try connection.define(bytes: CodedValue.function, CodedValue.json) }
      for form in DecodedValue.Form.allCases where !decoding.isEmpty {
        try connection.define(bytes: form.function, form.json)
      }
    }
  }

  private static func view(of table: String, _ columns: [String]) -> String {
    "CREATE TEMP VIEW \(quoted(table)) AS SELECT \(columns.joined(separator: ", ")) FROM main.\(quoted(table))"
  }

  /// Views that return archived or JSON-encoded values as JSON.
  ///
  /// - Parameter encoded: The encoding by attribute, as `Entity.attribute`.
  private static func decodingViews(
    _ encoded: [String: DecodedValue.Form], _ layout: StoreLayout, _ tables: FileTables
  ) -> [String] {
    var columns: [String: [String: DecodedValue.Form]] = [:]
    for entity in layout.entities {
      let lineage = entity.lineage.compactMap { layout.entity(number: $0)?.entity.name }
      for (index, attribute) in entity.entity.attributes.enumerated() where attribute.type == .json {
        guard let form = lineage.lazy.compactMap({ encoded["\($0).\(attribute.name)"] }).first else { continue }
        columns[entity.tableName, default: [:]][entity.columnNames[index].uppercased()] = form
      }
    }
    return columns.sorted { $0.key < $1.key }.map { table, decoded in
      let columns = (tables.columns[table.uppercased()] ?? []).map { column in
        let name = quoted(column.name)
        return decoded[column.name.uppercased()].map { "\($0.function)(\(name)) AS \(name)" } ?? name
      }
      return view(of: table, columns)
    }
  }

  /// Stores of macOS 10.13 keep names in the transactions themselves, and others have fewer tombstone columns than the
  /// model needs.
  private static func historyViews(_ layout: StoreLayout, _ tables: FileTables) -> [String] {
    var views: [String] = []
    if tables.has(table: "ATRANSACTION"), !tables.has(column: "ZAUTHORTS", of: "ATRANSACTION") {
      func column(_ name: String) -> String { tables.has(column: name, of: "ATRANSACTION") ? name : "NULL" }
      let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
      views.append(view(of: "ATRANSACTION", ["Z_PK", "ZTIMESTAMP"] + names.map { "\(column($0)) AS \($0)TS" }))
      let all = names.map { "SELECT \(column($0)) AS ZNAME FROM main.ATRANSACTION" }.joined(separator: " UNION ")
      views.append(
        "CREATE TEMP VIEW ATRANSACTIONSTRING AS SELECT ZNAME AS Z_PK, ZNAME FROM (\(all)) WHERE ZNAME IS NOT NULL")
    }
    let missing = layout.tombstoneNames.filter { !tables.has(column: $0, of: "ACHANGE") }
    if tables.has(table: "ACHANGE"), !missing.isEmpty {
      views.append(view(of: "ACHANGE", ["*"] + missing.map { "NULL AS \($0)" }))
    }
    return views
  }
}
