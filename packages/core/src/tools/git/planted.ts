import { type GitWords, oneOf } from "./git-words.ts";
import type { Repository } from "./repository.ts";

/** Uses of git that reach the network and name no program in their words. */
const forms: Readonly<Record<string, RegExp>> = {
	fetch: oneOf(
		"--all -p --prune -t --tags -n --no-tags -f --force --depth=.* --unshallow --deepen=.* -q --quiet -v --verbose --dry-run",
	),
	pull: oneOf(
		"--ff-only --ff --no-ff --rebase --no-rebase -r --autostash --no-autostash -p --prune -t --tags -q --quiet -v --verbose --no-edit",
	),
	push: oneOf(
		"-u --set-upstream --tags --follow-tags -f --force --force-with-lease(?:=.*)? -d --delete --all --mirror -n --dry-run -q --quiet -v --verbose --porcelain --atomic",
	),
	clone: oneOf(
		"-q --quiet -v --verbose --depth=.* -b --branch(?:=.*)? --single-branch --no-tags --bare --mirror -n --no-checkout",
	),
	"ls-remote": oneOf("-h --heads --branches -t --tags --refs -q --quiet --symref --get-url --sort=.*"),
	remote: oneOf("-v --verbose -n -p --prune"),
};

/**
 * Why a command that leaves the sandbox might run what commands in it have planted: settings of the repository, words
 * that name a program. Whoever has accepted all tools is asked about such a one all the same.
 */
export function plantedReasons(
	{ command, options }: GitWords,
	repository: Pick<Repository, "programs" | "reaching"> | undefined,
): string[] {
	const form = Object.hasOwn(forms, command) ? forms[command] : undefined;
	const named = [
		// Hooks are switched off.
		...(repository?.programs ?? []).filter((name) => !name.startsWith("hook ")),
		...(repository?.reaching ?? []),
	];
	return [
		...(named.length > 0
			? [`would go by settings of the repository outside of the sandbox: ${named.join(", ")}`]
			: []),
		...(form && options.every((option) => form.test(option))
			? []
			: ["may name programs that would run outside of the sandbox"]),
	];
}
