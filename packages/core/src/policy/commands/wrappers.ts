const shells = new Set("sh bash zsh dash ksh mksh ash fish csh tcsh pwsh".split(" "));

const keywords = "then do else elif if while until time coproc function case ! [[".split(" ");

/** Programs and words of the shell that run what stands behind them, as arguments or as text. */
const wrappers = new Set(
	[
		...keywords,
		"sudo doas su runuser pkexec env command builtin exec nohup nice ionice chrt taskset timeout gtimeout stdbuf",
		"setsid setarch chroot unshare nsenter flock strace ltrace gdb busybox toybox systemd-run caffeinate arch rlwrap",
		"unbuffer script expect watch entr xargs parallel find fd ssh mosh tmux screen at batch trap eval source .",
		"npx bunx pnpx npm pnpm yarn bun corepack uv uvx pipx poetry pdm hatch rye conda mamba mise asdf direnv nix",
		"nix-shell docker podman kubectl dotenv doppler aws-vault nodemon make just task",
		"awk gawk mawk osascript deno tclsh",
	]
		.join(" ")
		.split(" "),
);
const interpreters = /^(?:python|pypy|perl|ruby|node|php|lua|tclsh|Rscript)[\d.]*$/i;

/** Whether the word is no program, but stands before one. */
export function isKeyword(word: string): boolean {
	return keywords.includes(word);
}

export function isShell(program: string): boolean {
	return shells.has(program);
}

/** Whether the program runs what stands in a file of another language than the shell's. */
export function isInterpreter(program: string): boolean {
	return interpreters.test(program) || /^(?:[gm]?awk|osascript|deno|bun|expect|tsx|ts-node)$/.test(program);
}

/** Whether the program runs others that its arguments name. */
export function isWrapper(program: string): boolean {
	return shells.has(program) || wrappers.has(program) || interpreters.test(program);
}
