// SPDX-License-Identifier: MIT

/// The shell scripts that bind Alt-S to `pick`: the identifiers of the chosen records are inserted at the cursor.
enum PickWidget {
  static func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private static let bash = #"""
    # Alt-S inserts identifiers of followspot in bash.
    _followspot_pick() {
      local chosen
      chosen=$(followspot pick) || return 0
      chosen=${chosen//$'\n'/ }
      READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$chosen${READLINE_LINE:READLINE_POINT}
      READLINE_POINT=$((READLINE_POINT + ${#chosen}))
    }
    bind -x '"\es": _followspot_pick'

    """#

  private static let zsh = #"""
    # Alt-S inserts identifiers of followspot in zsh.
    _followspot_pick() {
      local chosen
      chosen=$(followspot pick < /dev/tty) && LBUFFER+=${chosen//$'\n'/ }
      zle reset-prompt
    }
    zle -N _followspot_pick
    bindkey '\es' _followspot_pick

    """#

  private static let fish = #"""
    # Alt-S inserts identifiers of followspot in fish.
    function __followspot_pick
      set --local chosen (followspot pick)
      and commandline --insert -- (string join ' ' -- $chosen)
      commandline --function repaint
    end
    bind \es __followspot_pick

    """#
}
