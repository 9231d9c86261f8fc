/** Shells that have a completion script. */
export type Shell = "bash" | "zsh" | "fish";

// Each script runs `parley complete -- WORDS`. This command prints one `VALUE<tab>DESCRIPTION` per line, and then a
// line that begins with a colon. The scripts do not evaluate the typed words.
const bash = `# Completion of parley for bash.
_parley() {
	local value rest current=\${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	while IFS=$'\\t' read -r value rest; do
		if [[ $value != :* && $value == "$current"* ]]; then COMPREPLY+=("$value"); fi
	done < <(parley complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _parley parley
`;

const zsh = `#compdef parley
# Completion of parley for zsh.
_parley() {
	local value description
	local -a choices
	while IFS=$'\\t' read -r value description; do
		if [[ $value != :* ]]; then choices+=("\${value//:/\\\\:}:$description"); fi
	done < <(parley complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( \${#choices} )); then _describe parley choices; else _files; fi
}
if [[ $funcstack[1] == _parley ]]; then _parley "$@"; else compdef _parley parley; fi
`;

const fish = `# Completion of parley for fish.
function __parley_choices
	set -l words (commandline -opc)
	parley complete -- $words[2..] (commandline -ct) 2>/dev/null | string match -v ':*'
end
complete -c parley -a '(__parley_choices)'
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };

/** Returns the completion script of `parley` for a shell. */
export function completionScript(shell: Shell): string {
	return scripts[shell];
}
