/// Keeps what undoes each change, in groups, and what redoes it.
///
/// Foundation on Linux has no such class; this one has its common members. Without `beginUndoGrouping()` every change
/// is a group of its own.
public final class UndoManager {
  private struct Action {
    let target: AnyObject
    let run: () -> Void
  }

  private enum Direction { case none, undoing, redoing }

  private var undoStack: [[Action]] = []
  private var redoStack: [[Action]] = []
  private var open: [[Action]] = []
  private var direction = Direction.none
  private var disabled = 0

  /// How many groups can be undone; 0 for any number.
  public var levelsOfUndo = 0
  public private(set) var undoActionName = ""

  public init() {}

  public var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.isEmpty } }
  public var canRedo: Bool { !redoStack.isEmpty }
  public var isUndoing: Bool { direction == .undoing }
  public var isRedoing: Bool { direction == .redoing }
  public var isUndoRegistrationEnabled: Bool { disabled == 0 }
  public var groupingLevel: Int { open.count }

  public func disableUndoRegistration() { disabled += 1 }
  public func enableUndoRegistration() {
    precondition(disabled > 0, "undo registration is enabled already")
    disabled -= 1
  }

  public func setActionName(_ name: String) { undoActionName = name }

  public func beginUndoGrouping() { open.append([]) }

  public func endUndoGrouping() {
    guard let group = open.popLast() else { preconditionFailure("no undo group is open") }
    guard !group.isEmpty else { return }
    if open.isEmpty { push(group) } else { open[open.count - 1] += group }
  }

  /// Registers what takes a change back. While an undo runs it is what redoes, and the other way round.
  public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
    guard disabled == 0 else { return }
    let action = Action(target: target) { handler(target) }
    if open.isEmpty { push([action]) } else { open[open.count - 1].append(action) }
    if direction == .none { redoStack = [] }
  }

  private func push(_ group: [Action]) {
    if direction == .undoing {
      redoStack.append(group)
    } else {
      undoStack.append(group)
      if levelsOfUndo > 0, undoStack.count > levelsOfUndo { undoStack.removeFirst() }
    }
  }

  public func undo() {
    while !open.isEmpty { endUndoGrouping() }
    guard let group = undoStack.popLast() else { return }
    run(group, .undoing)
  }

  public func redo() {
    guard let group = redoStack.popLast() else { return }
    run(group, .redoing)
  }

  private func run(_ group: [Action], _ direction: Direction) {
    self.direction = direction
    beginUndoGrouping()
    for action in group.reversed() { action.run() }
    endUndoGrouping()
    self.direction = .none
  }

  public func removeAllActions() { (undoStack, redoStack, open) = ([], [], []) }

  public func removeAllActions(withTarget target: Any) {
    let target = target as AnyObject
    func others(_ groups: [[Action]]) -> [[Action]] {
      groups.map { $0.filter { $0.target !== target } }.filter { !$0.isEmpty }
    }
    (undoStack, redoStack, open) = (others(undoStack), others(redoStack), others(open))
  }
}
