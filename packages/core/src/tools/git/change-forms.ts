import { type GitWords, oneOf } from "./git-words.ts";

/**
 * Uses of git that change the repository or its files and run no program which their words name. Whatever else is
 * asked for runs as any command does.
 */
const forms: Readonly<Record<string, RegExp>> = {
	add: oneOf("-A --all -u --update -N --intent-to-add -v --verbose -n --dry-run -f --force --renormalize"),
	mv: oneOf("-f --force -k -n --dry-run -v --verbose"),
	rm: oneOf("-r -f --force -rf -fr --cached -q --quiet -n --dry-run --ignore-unmatch"),
	commit: oneOf(
		`-m.* --message(?:=.*)? -a --all -am -q --quiet --amend --no-edit --allow-empty --allow-empty-message
		-s --signoff --fixup=.* --squash=.* --author=.* --date=.* -n --no-verify -o --only -i --include --dry-run
		--reset-author -C.* --reuse-message=.*`,
	),
	checkout: oneOf(
		String.raw`-b -B -q --quiet --detach -d -f --force --ours --theirs -t --track(?:=\w+)? --no-track --orphan -m --merge
		--guess --no-guess`,
	),
	switch: oneOf(
		String.raw`-c -C --create(?:=.*)? -d --detach -q --quiet -t --track(?:=\w+)? --no-track --orphan(?:=.*)? -f --force
		--discard-changes -m --merge --guess --no-guess`,
	),
	restore: oneOf("-s.* --source(?:=.*)? -S --staged -W --worktree -q --quiet --ours --theirs -m --merge"),
	merge: oneOf(
		`--ff --no-ff --ff-only --squash --no-squash --commit --no-commit --abort --continue --quit -m.*
		--message(?:=.*)? -q --quiet --no-edit --stat -n --no-stat --allow-unrelated-histories`,
	),
	rebase: oneOf(
		"--abort --continue --skip --quit --onto(?:=.*)? --autostash --no-autostash -q --quiet --keep-base --root",
	),
	"cherry-pick": oneOf(
		String.raw`-n --no-commit -x --no-edit --abort --continue --skip --quit -m\d* -s --signoff`,
	),
	revert: oneOf(String.raw`-n --no-commit --no-edit --abort --continue --skip --quit -m\d* -s --signoff`),
	reset: oneOf("--soft --mixed --hard --keep --merge -q --quiet -N --intent-to-add"),
	stash: oneOf(
		"-u --include-untracked -a --all -k --keep-index --no-keep-index -m.* --message(?:=.*)? -q --quiet -S --staged --index",
	),
	tag: oneOf("-a --annotate -m.* --message(?:=.*)? -d --delete -f --force"),
	branch: oneOf(
		String.raw`-d -D --delete -m -M --move -c -C --copy -f --force -u.* --set-upstream-to=.* --unset-upstream -t
		--track(?:=\w+)? --no-track -q --quiet`,
	),
	clean: oneOf("-[fdxXnq]+ --dry-run --force --quiet -e.* --exclude=.*"),
};

/** Whether the words are a change whose only programs are those of the repository's own settings. */
export function isPlainChange({ command, options }: GitWords): boolean {
	const form = Object.hasOwn(forms, command) ? forms[command] : undefined;
	return form !== undefined && options.every((option) => form.test(option));
}

const network = new Set(
	"fetch pull push clone ls-remote send-email imap-send http-fetch http-push".split(" "),
);
const networkVerbs: Readonly<Record<string, RegExp>> = {
	remote: /^(?:update|show|prune|set-head)$/,
	submodule: /^(?:add|update|init|sync|set-url)$/,
	archive: /^--remote/,
	lfs: /./,
};

/** Whether it reaches other machines, or what stands for them. */
export function reachesNetwork({ command, all }: GitWords): boolean {
	return network.has(command) || all.some((word) => networkVerbs[command]?.test(word));
}

const settings: Readonly<Record<string, RegExp>> = {
	config: /^(?!(?:--get(?:-all|-regexp|-urlmatch)?|--list|-l|get|list)$)/,
	remote: /^(?:add|set-url|set-branches|set-head|rename|remove|rm)$/,
	submodule: /^(?:add|init|set-url|set-branch|sync|foreach|update)$/,
};

/** Whether it changes what the repository's later commands do or run. */
export function changesSettings({ command, all: [first = ""] }: GitWords): boolean {
	if (/^(?:maintenance|hook|credential.*|daemon|update-server-info|replace)$/.test(command)) return true;
	return settings[command]?.test(first) ?? false;
}

interface Loss {
	readonly command: string;
	/** `existing` holds the words that name something in the directory. */
	readonly when?: (words: GitWords, existing: ReadonlySet<string>) => boolean;
	readonly why: string;
}

const UNCOMMITTED = "throws away changes that are not committed";

/** What a repository does not keep: work that was never committed, and what only an expiring log still names. */
const losses: readonly Loss[] = [
	{ command: "reset", when: some(/^--h/), why: UNCOMMITTED },
	{
		command: "clean",
		when: (words) => !some(/^(?:-[a-zA-Z]*n|--dry?)/)(words),
		why: "deletes files that are not tracked",
	},
	{ command: "restore", when: (words) => !isStagedOnly(words), why: UNCOMMITTED },
	{ command: "switch", when: some(/^(?:-[a-zA-Z]*[fC]|--f|--di|--force-c)/), why: UNCOMMITTED },
	{ command: "checkout", when: some(/^(?:-[a-zA-Z]*[fB]|--f|--ou|--thei)/), why: UNCOMMITTED },
	{ command: "checkout", when: namesPaths, why: UNCOMMITTED },
	{ command: "rm", when: some(/^(?:-[a-zA-Z]*f|--f)/), why: UNCOMMITTED },
	{ command: "branch", when: some(/^(?:-[a-zA-Z]*[DMCf]|--f)/), why: "may lose the commits of a branch" },
	{
		command: "stash",
		when: ({ all: [verb = ""] }) => /^(?:drop|clear)$/.test(verb),
		why: "deletes stashed changes",
	},
	{
		command: "reflog",
		when: ({ all: [verb = ""] }) => /^(?:expire|delete|drop)$/.test(verb),
		why: "forgets commits",
	},
	{ command: "worktree", when: some(/^(?:-f|--f)/), why: UNCOMMITTED },
	{ command: "submodule", when: ({ all: [verb = ""] }) => verb === "deinit", why: UNCOMMITTED },
	...["filter-branch", "filter-repo"].map((command) => ({ command, why: "rewrites the whole history" })),
	...["gc", "prune", "prune-packed"].map((command) => ({ command, why: "deletes what no branch names" })),
	...["update-ref", "read-tree", "checkout-index"].map((command) => ({
		command,
		why: "may lose commits or changes",
	})),
];

/** Why the call cannot be taken back here; what it does elsewhere is judged like any command. */
export function whyLost(words: GitWords, existing: ReadonlySet<string>): string | undefined {
	const loss = losses.find(
		({ command, when }) => command === words.command && (when === undefined || when(words, existing)),
	);
	return loss?.why;
}

function some(pattern: RegExp): (words: GitWords) => boolean {
	return ({ options }) => options.some((option) => pattern.test(option));
}

function isStagedOnly({ options }: GitWords): boolean {
	return (
		options.some((option) => /^(?:-S|--staged)$/.test(option)) &&
		!options.some((option) => /^(?:-W|--w)/.test(option))
	);
}

/** `checkout -- PATH`, `checkout REVISION PATH`, `checkout PATH`. */
function namesPaths({ all, options, plain }: GitWords, existing: ReadonlySet<string>): boolean {
	if (options.some((option) => /^(?:-b|-t|--track|--orphan)/.test(option))) return false;
	if (all.includes("--") || plain.length > 1) return true;
	return plain.some((word) => existing.has(word) || /[*?[]|^:/.test(word));
}
