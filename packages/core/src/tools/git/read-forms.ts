import { type GitWords, oneOf } from "./git-words.ts";

/**
 * A use of git that only looks. Every option has to be on the list, because many write files (`--output`), read others
 * (`--no-index`, `--contents`) or run programs (`--ext-diff`): https://git-scm.com/docs
 */
interface ReadForm {
	readonly options: RegExp;
	/** Put behind the command, or behind the verb where it has one. */
	readonly careful?: readonly string[];
	/** Further conditions. */
	readonly when?: (words: GitWords) => boolean;
	/** Words that say further what is meant, right behind the command. */
	readonly verbs?: readonly string[];
	/** Whether it may print differences of files. */
	readonly patches?: true;
	/** Where it prints what its words name: those that may be named by number, because they show no file. */
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

/** No programs for differences, names of files as the filter for secrets expects them, and no look into submodules. */
const carefulDiff = [
	...["--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"],
	...["--submodule=short", "--ignore-submodules=dirty"],
];
const log: ReadForm = { options: logOptions, careful: carefulDiff, when: isNoPatchInGraph, patches: true };

const selection = `--contains(?:=.*)? --no-contains(?:=.*)? --merged(?:=.*)? --no-merged(?:=.*)?
	--points-at(?:=.*)? --sort=.* --format=(?!.*raw).* -i --ignore-case`;
const listing = oneOf(
	`-l --list --contains(?:=.*)? --no-contains(?:=.*)? --merged(?:=.*)? --no-merged(?:=.*)? --points-at(?:=.*)?`,
);

const forms: Readonly<Record<string, ReadForm>> = {
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
		// Of a tree that is named by number, nobody knows what directory it is.
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

/** A call that only looks, in the words to run. */
export interface Reading {
	readonly words: readonly string[];
	readonly patches: boolean;
	readonly objects: ReadForm["objects"];
}

/** Undefined where the call may do more than look. */
export function readingOf(given: GitWords): Reading | undefined {
	const { command, all, options } = given;
	const form = Object.hasOwn(forms, command) ? forms[command] : undefined;
	if (form === undefined || !options.every((option) => form.options.test(option))) return undefined;
	if (form.when && !form.when(given)) return undefined;
	const verb = form.verbs?.includes(all[0] ?? "") ? 1 : 0;
	const words = [command, ...all.slice(0, verb), ...(form.careful ?? []), ...all.slice(verb)];
	return { words, patches: form.patches ?? false, objects: form.objects };
}

/** Without something that says that names are only listed, a name makes or moves a branch or tag. */
function isListing({ options, plain }: GitWords): boolean {
	return plain.length === 0 || options.some((option) => listing.test(option));
}

function isShown({ all, plain }: GitWords): boolean {
	return plain.length === 0 || all[0] === "show";
}

const printing = oneOf(
	String.raw`-p -u --patch -U\d+ --unified=\d+ --patch-with-stat -W --function-context -L.* --cc -c -m --dd`,
);

/** Lines of a graph stand before those of a patch, which then cannot be told from one another. */
function isNoPatchInGraph({ options }: GitWords): boolean {
	return !options.includes("--graph") || !options.some((option) => printing.test(option));
}
