import type { CallFacts } from "./call-facts.ts";
import { allowsCommand, mayRun } from "./command-match.ts";
import { matchesName } from "./commands/places.ts";
import { UNKNOWN } from "./commands/words.ts";
import type { PolicyRule } from "./policy-rule.ts";

/** Whether a rule that asks or denies concerns the call: where that is in doubt, it does. */
export function mayConcern(rule: PolicyRule, facts: CallFacts): boolean {
	const { classes, commands, paths, hosts } = rule;
	if (!isOfTool(rule, facts)) return false;
	if (classes && !classes.some((name) => facts.plan.classes.includes(name))) return false;
	if (commands && !(facts.runs && commands.some((prefix) => mayRun(prefix, facts.found)))) return false;
	if (paths && !paths.some((pattern) => mayTouch(pattern, facts))) return false;
	return !hosts || hosts.some((pattern) => mayReach(pattern, facts));
}

/**
 * The rules that together let all of the call happen; none where anything about it is in doubt. `needed` are its
 * classes that are asked about.
 */
export function findAllowing(
	rules: readonly PolicyRule[],
	facts: CallFacts,
	needed: readonly string[],
): readonly PolicyRule[] {
	const fitting = rules.filter((rule) => isOfTool(rule, facts) && covers(rule, facts, needed));
	const whole = fitting.find(({ commands }) => commands === undefined);
	if (whole) return [whole];
	const parts = facts.runs && fitting.length > 0 ? facts.plain : undefined;
	if (!parts || parts.length === 0) return [];
	const found = parts.map((words) =>
		fitting.find(({ commands = [] }) => commands.some((prefix) => allowsCommand(prefix, words))),
	);
	return found.every((rule) => rule !== undefined) ? [...new Set(found)] : [];
}

function isOfTool({ tools }: PolicyRule, { name }: CallFacts): boolean {
	return !tools || tools.some((pattern) => matchesName(name, pattern));
}

function covers({ classes, paths, hosts }: PolicyRule, facts: CallFacts, needed: readonly string[]): boolean {
	// Nothing holds such a command back, so that its class has to be named.
	const lifted: readonly string[] = classes ?? needed.filter((name) => name !== "exec-unsandboxed");
	if (needed.some((name) => !lifted.includes(name))) return false;
	const { path, host, roots } = facts;
	if (paths && !(path !== undefined && !facts.runs && paths.some((one) => one.fits(path, roots))))
		return false;
	return !hosts || (host !== undefined && !facts.runs && hosts.some((one) => matchesName(host, one)));
}

type PathPattern = NonNullable<PolicyRule["paths"]>[number];

function mayTouch(pattern: PathPattern, facts: CallFacts): boolean {
	const { paths, plan, roots } = facts;
	if (paths.some((path) => pattern.mayFit(path, roots))) return true;
	if (plan.below && paths.some((path) => pattern.mayLieBelow(path, roots))) return true;
	if (!facts.runs) return false;
	return !facts.found.whole || [...facts.found.paths].some((path) => pattern.mayFit(path, roots));
}

function mayReach(pattern: string, facts: CallFacts): boolean {
	if (facts.host !== undefined && matchesName(facts.host, pattern)) return true;
	if (!facts.runs) return false;
	const { seen, whole } = facts.found;
	return !whole || seen.some(({ words }) => words.some((word) => namesHost(word, pattern)));
}

/** `https://HOST/`, `USER@HOST`, `HOST:PORT` and the like; a name alone only where the rule has it whole. */
function namesHost(word: string, pattern: string): boolean {
	const lower = word.toLowerCase();
	const told = [...lower.matchAll(/(?::\/\/|@)(?:[^\s/@]*@)?([^\s/:@?#]+)/g)].map(([, host = ""]) => host);
	if (told.some((host) => host.includes(UNKNOWN) || matchesName(host, pattern))) return true;
	return lower.split(/[\s/:@=,?#]/).includes(pattern);
}
