import { gitEffectTexts } from "./texts.ts";

/**
 * Options of commands that change the repository or its files, by command. If a call has only these options, the words of
 * the call cannot make git run a program.
 */
const changeForms: Readonly<Record<string, RegExp>> = {
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

/** Whether the words are a change that runs no programs except hooks and programs in the settings. */
export function isPlainChange({ command, options }: GitWords): boolean {
	const form = Object.hasOwn(changeForms, command) ? changeForms[command] : undefined;
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

/** Whether the git command reaches other machines, or local paths used as remotes. */
export function reachesNetwork({ command, all }: GitWords): boolean {
	return network.has(command) || all.some((word) => networkVerbs[command]?.test(word));
}

const settings: Readonly<Record<string, RegExp>> = {
	config: /^(?!(?:--get(?:-all|-regexp|-urlmatch)?|--list|-l|get|list)$)/,
	remote: /^(?:add|set-url|set-branches|set-head|rename|remove|rm)$/,
	submodule: /^(?:add|init|set-url|set-branch|sync|foreach|update)$/,
};

/** Whether the git command changes the effect or the programs of later commands in the repository. */
export function changesSettings({ command, all: [first = ""] }: GitWords): boolean {
	if (/^(?:maintenance|hook|credential.*|daemon|update-server-info|replace)$/.test(command)) return true;
	return settings[command]?.test(first) ?? false;
}

interface Loss {
	readonly command: string;
	/**
	 * Whether `words` cause the loss. `existing` contains the words that name existing paths. If `when` is
	 * absent, each call of the command causes the loss.
	 */
	readonly when?: (words: GitWords, existing: ReadonlySet<string>) => boolean;
	readonly reason: string;
}

const UNCOMMITTED = gitEffectTexts.discardsChanges;

/**
 * Calls that can lose uncommitted work or commits. Some of these commits stay in the reflog until the reflog entries
 * expire.
 */
const losses: readonly Loss[] = [
	{ command: "reset", when: some(/^--h/), reason: UNCOMMITTED },
	{
		command: "clean",
		when: (words) => !some(/^(?:-[a-zA-Z]*n|--dry?)/)(words),
		reason: gitEffectTexts.deletesUntracked,
	},
	{ command: "restore", when: (words) => !isStagedOnly(words), reason: UNCOMMITTED },
	{ command: "switch", when: some(/^(?:-[a-zA-Z]*[fC]|--f|--di|--force-c)/), reason: UNCOMMITTED },
	{ command: "checkout", when: some(/^(?:-[a-zA-Z]*[fB]|--f|--ou|--thei)/), reason: UNCOMMITTED },
	{ command: "checkout", when: namesPaths, reason: UNCOMMITTED },
	{ command: "rm", when: some(/^(?:-[a-zA-Z]*f|--f)/), reason: UNCOMMITTED },
	{ command: "branch", when: some(/^(?:-[a-zA-Z]*[DMCf]|--f)/), reason: gitEffectTexts.losesCommitsOfBranch },
	{
		command: "stash",
		when: ({ all: [verb = ""] }) => /^(?:drop|clear)$/.test(verb),
		reason: gitEffectTexts.deletesStash,
	},
	{
		command: "reflog",
		when: ({ all: [verb = ""] }) => /^(?:expire|delete|drop)$/.test(verb),
		reason: gitEffectTexts.forgetsCommits,
	},
	{ command: "worktree", when: some(/^(?:-f|--f)/), reason: UNCOMMITTED },
	{ command: "submodule", when: ({ all: [verb = ""] }) => verb === "deinit", reason: UNCOMMITTED },
	...["filter-branch", "filter-repo"].map((command) => ({ command, reason: gitEffectTexts.rewritesHistory })),
	...["gc", "prune", "prune-packed"].map((command) => ({
		command,
		reason: gitEffectTexts.deletesCommits,
	})),
	...["update-ref", "read-tree", "checkout-index"].map((command) => ({
		command,
		reason: gitEffectTexts.losesCommitsOrChanges,
	})),
];

/** Returns the reason why the call may lose content of the repository, or undefined. */
export function lossReason(words: GitWords, existing: ReadonlySet<string>): string | undefined {
	const loss = losses.find(
		({ command, when }) => command === words.command && (when === undefined || when(words, existing)),
	);
	return loss?.reason;
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

/** Whether a `checkout` names paths: `checkout -- PATH`, `checkout REVISION PATH` or `checkout PATH`. */
function namesPaths({ all, options, plain }: GitWords, existing: ReadonlySet<string>): boolean {
	if (options.some((option) => /^(?:-b|-t|--track|--orphan)/.test(option))) return false;
	if (all.includes("--") || plain.length > 1) return true;
	return plain.some((word) => existing.has(word) || /[*?[]|^:/.test(word));
}

/** Words of a git command, by position and prefix. */
export interface GitWords {
	readonly command: string;
	/** All words after the command. */
	readonly all: readonly string[];
	/** Words before `--` that begin with a dash, except `-` itself. */
	readonly options: readonly string[];
	/** Words that are not in `options`: the other words before the first `--`, and all words after the first `--`. */
	readonly plain: readonly string[];
}

export function readGitWords([command = "", ...all]: readonly string[]): GitWords {
	const end = all.indexOf("--");
	const before = end === -1 ? all : all.slice(0, end);
	const isOption = (word: string): boolean => word.startsWith("-") && word !== "-";
	return {
		command,
		all,
		options: before.filter(isOption),
		plain: [...before.filter((word) => !isOption(word)), ...(end === -1 ? [] : all.slice(end + 1))],
	};
}

/**
 * Returns a regular expression that matches one complete option. The lists contain regular expressions,
 * separated by white space. An abbreviated option does not match, although git accepts it.
 */
export function oneOf(...lists: readonly string[]): RegExp {
	const words = lists.flatMap((list) => list.split(/\s+/)).filter((word) => word !== "");
	return new RegExp(`^(?:${words.join("|")})$`, "s");
}

/**
 * Form of a call that only reads. Every allowed option is listed, because many options write files
 * (`--output`), read other files (`--no-index`, `--contents`) or run programs (`--ext-diff`):
 * https://git-scm.com/docs
 */
interface ReadForm {
	readonly options: RegExp;
	/** Words to insert after the command or its verb. */
	readonly careful?: readonly string[];
	readonly when?: (words: GitWords) => boolean;
	/** Verbs of the command after which `careful` is inserted. */
	readonly verbs?: readonly string[];
	/** Whether the command may print file diffs. */
	readonly patches?: true;
	/**
	 * Kinds of objects that a call may name by hash, for commands that print objects. The output for these kinds contains
	 * no file content.
	 */
	readonly objects?: readonly ("commit" | "tree")[];
}

const diffOptions = String.raw`
	-p -u --patch -s --no-patch -U\d+ --unified=\d+ --raw --stat(?:=[\d,]+)? --numstat --shortstat --summary
	--compact-summary --dirstat(?:=[\w,.]+)? --name-only --name-status --patch-with-stat --minimal --patience --histogram
	--diff-algorithm=\w+ --no-color --color=never --no-renames --find-renames(?:=\d+%?)? -M\d*%? -C\d*%?
	--find-copies(?:=\d+%?)? -R -a --text -w -b --ignore-all-space --ignore-space-change --ignore-space-at-eol
	--ignore-blank-lines --ignore-cr-at-eol -W --function-context --inter-hunk-context=\d+ --diff-filter=[A-Za-z]+
	-S.* -G.* --pickaxe-all --pickaxe-regex --full-index --abbrev(?:=\d+)? --exit-code --quiet -q
	--ignore-submodules(?:=(?:all|dirty))? --no-ext-diff --no-textconv --submodule=short`;
const revisionOptions = String.raw`
	-\d+ -n\d* --max-count=\d+ --skip=\d+ --since=.* --after=.* --until=.* --before=.* --author=.* --committer=.* --grep=.*
	-i --regexp-ignore-case -E -F --all-match --invert-grep --all --branches(?:=.*)? --tags(?:=.*)? --remotes(?:=.*)?
	--merges --no-merges --min-parents=\d+ --max-parents=\d+ --first-parent --reverse --date-order --topo-order
	--author-date-order --left-right --left-only --right-only --cherry-pick --cherry-mark --ancestry-path
	--simplify-by-decoration --simplify-merges --full-history --dense --sparse --show-pulls --boundary --parents
	--children --not --no-walk`;
const formatOptions = `
	--oneline --pretty(?:=.*)? --format=.* --abbrev-commit --no-abbrev-commit --decorate(?:=(?:short|full|auto|no))?
	--no-decorate --source --date=.* --relative-date --walk-reflogs -g --no-notes --mailmap --no-mailmap --follow
	--graph --cc -c -m --dd --no-show-signature -L.*`;
const logOptions = oneOf(diffOptions, revisionOptions, formatOptions);

/** Options that prevent diff programs and the inspection of submodules, and name files as the secret filter expects. */
const carefulDiff = [
	"--no-ext-diff",
	"--no-textconv",
	"--src-prefix=a/",
	"--dst-prefix=b/",
	"--submodule=short",
	"--ignore-submodules=dirty",
];
const log: ReadForm = {
	options: logOptions,
	careful: carefulDiff,
	when: isNoPatchInGraph,
	patches: true,
};

const selection = `--contains(?:=.*)? --no-contains(?:=.*)? --merged(?:=.*)? --no-merged(?:=.*)?
	--points-at(?:=.*)? --sort=.* --format=(?!.*raw).* -i --ignore-case`;
const listing = oneOf(
	`-l --list --contains(?:=.*)? --no-contains(?:=.*)? --merged(?:=.*)? --no-merged(?:=.*)? --points-at(?:=.*)?`,
);

const readForms: Readonly<Record<string, ReadForm>> = {
	status: {
		options: oneOf(
			String.raw`-s --short -b --branch -sb --show-stash --porcelain(?:=v?[12])? --long -u(?:no|normal|all)?
			--untracked-files(?:=\w+)? --ignored(?:=\w+)? --ignore-submodules(?:=(?:all|dirty))? --ahead-behind
			--no-ahead-behind --renames --no-renames`,
		),
		careful: ["--ignore-submodules=dirty"],
	},
	diff: {
		options: oneOf(diffOptions, "--cached --staged --merge-base"),
		careful: carefulDiff,
		patches: true,
		// For a tree that is named by hash, the directory is unknown, so file names cannot be checked.
		objects: ["commit"],
	},
	log,
	show: { ...log, objects: ["commit", "tree"] },
	reflog: { ...log, verbs: ["show"], when: (words) => isNoPatchInGraph(words) && isShown(words) },
	stash: {
		...log,
		verbs: ["list", "show"],
		when: (words) => isNoPatchInGraph(words) && /^(?:list|show)$/.test(words.all[0] ?? ""),
	},
	blame: {
		options: oneOf(
			String.raw`-L.* -l -t -e -f -n -s -w -M\d* -C\d* -p --porcelain --line-porcelain --show-name --show-number
			--show-email --root --date=.* --abbrev=\d+ --since=.* --first-parent`,
		),
		careful: ["--no-textconv"],
	},
	shortlog: { options: oneOf(revisionOptions, "-s -n -e -sn -ns -sne --numbered --summary --email") },
	"rev-list": { options: oneOf(revisionOptions, "--count --oneline --abbrev-commit --format=.*") },
	"rev-parse": {
		options: oneOf(
			String.raw`--verify -q --quiet --short(?:=\d+)? --abbrev-ref(?:=\w+)? --symbolic --symbolic-full-name --git-dir
			--git-common-dir --absolute-git-dir --show-toplevel --show-prefix --show-cdup --show-object-format
			--is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches --tags
			--remotes --revs-only --no-revs --flags --no-flags`,
		),
	},
	"ls-files": {
		options: oneOf(
			String.raw`-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed
			-t -v --exclude-standard --directory --no-empty-directory --full-name --error-unmatch --deduplicate --eol
			--abbrev(?:=\d+)?`,
		),
	},
	"ls-tree": {
		options: oneOf(
			String.raw`-d -r -t -l --long --name-only --name-status --object-only --full-name --full-tree --abbrev(?:=\d+)?`,
		),
	},
	"cat-file": { options: oneOf("-p -t -s -e"), objects: ["commit", "tree"] },
	describe: {
		options: oneOf(
			String.raw`--all --tags --contains --abbrev=\d+ --candidates=\d+ --exact-match --long --match=.* --exclude=.*
			--always --first-parent`,
		),
	},
	"merge-base": { options: oneOf("-a --all --octopus --independent --is-ancestor --fork-point") },
	"name-rev": { options: oneOf("--tags --name-only --always --no-undefined --refs=.* --exclude=.*") },
	"show-ref": {
		options: oneOf(
			String.raw`--head --heads --branches --tags -d --dereference -s --hash(?:=\d+)? --verify -q --quiet --abbrev(?:=\d+)?`,
		),
	},
	"for-each-ref": { options: oneOf(selection, String.raw`--count=\d+`) },
	"count-objects": { options: oneOf("-v -H -vH --verbose --human-readable") },
	branch: {
		options: oneOf(
			selection,
			String.raw`-a --all -r --remotes -v -vv -av -avv --verbose --list --show-current --abbrev=\d+ --no-abbrev`,
		),
		when: isListing,
	},
	tag: { options: oneOf(selection, String.raw`-l --list -n\d*`), when: isListing },
	remote: {
		options: oneOf("-v --verbose"),
		when: ({ plain }) => plain.length === 0 || (plain[0] === "get-url" && plain.length === 2),
	},
	worktree: { options: oneOf("-v --verbose --porcelain"), when: ({ all }) => all[0] === "list" },
	version: { options: oneOf("--build-options") },
};

/** A call that only reads, with the words to run. */
export interface Reading {
	readonly words: readonly string[];
	readonly patches: boolean;
	readonly objects: ReadForm["objects"];
}

/** Returns the words to run for a call that only reads, or undefined for any other call. */
export function readingOf(given: GitWords): Reading | undefined {
	const { command, all, options } = given;
	const form = Object.hasOwn(readForms, command) ? readForms[command] : undefined;
	if (form === undefined || !options.every((option) => form.options.test(option))) return undefined;
	if (form.when && !form.when(given)) return undefined;
	const verb = form.verbs?.includes(all[0] ?? "") ? 1 : 0;
	const words = [command, ...all.slice(0, verb), ...(form.careful ?? []), ...all.slice(verb)];
	return { words, patches: form.patches ?? false, objects: form.objects };
}

function isListing({ options, plain }: GitWords): boolean {
	// Without a list option, a name creates or moves a branch or tag.
	return plain.length === 0 || options.some((option) => listing.test(option));
}

function isShown({ all, plain }: GitWords): boolean {
	return plain.length === 0 || all[0] === "show";
}

const printing = oneOf(
	String.raw`-p -u --patch -U\d+ --unified=\d+ --patch-with-stat -W --function-context -L.* --cc -c -m --dd`,
);

function isNoPatchInGraph({ options }: GitWords): boolean {
	// A graph adds characters before each patch line, so patch lines cannot be recognised.
	return !options.includes("--graph") || !options.some((option) => printing.test(option));
}
