"""What makes each shell ask ``tradewind completion`` for words while one is typed."""

from __future__ import annotations

BASH = r"""
_tradewind() {
    local kind value told
    COMPREPLY=()
    while IFS=$'\t' read -r kind value told; do
        case $kind in
            file) compopt -o default 2>/dev/null || COMPREPLY+=($(compgen -f -- "$2")) ;;
            dir) compopt -o dirnames 2>/dev/null || COMPREPLY+=($(compgen -d -- "$2")) ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done < <("$1" completion bash --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    case ${COMPREPLY[0]-} in *[:=]) compopt -o nospace 2>/dev/null ;; esac
}
complete -o nosort -F _tradewind tradewind 2>/dev/null || complete -F _tradewind tradewind
"""

ZSH = r"""
_tradewind() {
    local kind value told
    local -a named
    while IFS=$'\t' read -r kind value told; do
        case $kind in
            file) _files ;;
            dir) _files -/ ;;
            plain) named+=("${value//:/\\:}:$told") ;;
        esac
    done < <("${words[1]}" completion zsh --line "${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)
    (( $#named )) && _describe -V tradewind named
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _tradewind "$@"
else
    compdef _tradewind tradewind
fi
"""

FISH = r"""
function __tradewind_complete
    set -l line (commandline --cut-at-cursor --current-process | string collect)
    for told in (tradewind completion fish --line "$line" 2>/dev/null)
        set -l parts (string split \t -- $told)
        switch $parts[1]
            case file dir
                __fish_complete_path (commandline --cut-at-cursor --current-token)
            case plain
                printf '%s\t%s\n' $parts[2] $parts[3]
        end
    end
end
complete --command tradewind --no-files --keep-order --arguments '(__tradewind_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
FIRST_LINES = {"zsh": "#compdef tradewind\n"}  # by which zsh finds the function of a file


def script(shell: str, notes: str) -> str:
    """The script with ``notes`` above it as remarks."""
    remarks = "".join(f"# {line}\n" for line in notes.split("\n"))
    return FIRST_LINES.get(shell, "") + remarks + SCRIPTS[shell]
