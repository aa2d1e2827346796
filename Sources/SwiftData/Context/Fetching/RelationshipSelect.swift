// SPDX-License-Identifier: MIT

internal import Store

/// The statement that reads the objects of one relationship, under the alias `t1`, with their owners, under `t0`.
struct RelationshipSelect {
  let plan: RowPlan
  let owner: TableAlias
  var statement: RowSelect

  /// nil where the store does not hold the relationship.
  init?(_ type: ModelType, _ index: Int, _ session: StoreSession) {
    guard let target = type.properties[index].target.map(ModelType.of), let binding = session.binding.binding(of: type),
      case .relationship(let found) = binding.storage[index], let plan = session.plan(of: target)
    else { return nil }
    let relationship = binding.entity.relationships[found]
    let rows = TableAlias(plan.root.entity, as: "t1")
    self.plan = plan
    owner = TableAlias(binding.entity, as: "t0")
    statement = RowSelect(owner, plan.columns(of: rows))
    statement.joins = [relationship.join(from: owner.name, as: rows.name)]
    statement.order = relationship.order(of: rows.name)
  }
}
