// SPDX-License-Identifier: MIT

/// The shells for which there are scripts.
enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

/// The shell scripts that ask this program for completion candidates.
enum CompletionScript {
  static func text(for shell: Shell) -> String {
    let script =
      switch shell {
      case .bash: bash
      case .zsh: zsh
      case .fish: fish
      }
    return script.replacing("PROGRAM", with: Console.program)
  }

  private static let bash = #"""
    # Completion of PROGRAM for bash.
    _PROGRAM() {
      local program=${1/#\~\//$HOME/} line=${COMP_LINE:0:COMP_POINT} answer entry
      COMPREPLY=()
      mapfile -t answer < <("$program" __complete bash "$line" "$COMP_WORDBREAKS" 2>/dev/null)
      case ${answer[0]} in
        files) compopt -o default 2>/dev/null ;;
        directories) compopt -o dirnames 2>/dev/null ;;
        open) compopt -o nospace 2>/dev/null ;;
      esac
      for entry in "${answer[@]:1}"; do COMPREPLY+=("${entry%%$'\t'*}"); done
    }
    complete -F _PROGRAM PROGRAM

    """#

  private static let zsh = #"""
    #compdef PROGRAM
    # Completion of PROGRAM for zsh.
    _PROGRAM() {
      local program=${~${(Q)words[1]}} line="${(j: :)words[1,CURRENT-1]} ${QIPREFIX}${PREFIX}" entry
      local -a answer texts shown more
      answer=("${(@f)$("$program" __complete zsh "$line" 2>/dev/null)}")
      case ${answer[1]} in
        files) _files ;;
        directories) _files -/ ;;
        open) more=(-S '') ;;
      esac
      for entry in "${(@)answer[2,-1]}"; do
        texts+=("${entry%%$'\t'*}")
        shown+=("${entry/$'\t'/  -- }")
      done
      (( $#texts )) && compadd -U "${(@)more}" -d shown -a texts
    }
    if [[ $funcstack[1] == _PROGRAM ]]; then _PROGRAM "$@"; else compdef _PROGRAM PROGRAM; fi

    """#

  private static let fish = #"""
    # Completion of PROGRAM for fish.
    function __PROGRAM_complete
      set -l answer (PROGRAM __complete fish (commandline --cut-at-cursor --current-process) 2>/dev/null)
      switch "$answer[1]"
        case files
          __fish_complete_path (commandline --cut-at-cursor --current-token)
        case directories
          __fish_complete_directories (commandline --cut-at-cursor --current-token)
      end
      set --erase answer[1]
      string join -- \n $answer
    end
    complete --command PROGRAM --no-files --arguments '(__PROGRAM_complete)'

    """#
}
