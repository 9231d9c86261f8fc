import type { OfferedRule } from "../vocabulary/prompt.ts";
import { ruleNameOf } from "../vocabulary/tool.ts";
import { CallFacts, type JudgedCall, needsCompleteWords } from "./match-rule.ts";
import { builtInPolicy, decide, type Permissions } from "./policy.ts";
import { builtInRules, type PolicyRule } from "./policy-rule.ts";

/**
 * Pattern of a word that an offered rule may contain. A person cannot misread the word: it has no blanks, quotes or
 * shell metacharacters.
 */
const plainWord = /^[\w@%+=:,./-]{1,300}$/;

/** Maximum words of an offered rule, because a person reads all words of the rule. */
const maxWords = 100;

/**
 * Returns a rule to offer with an approval. The rule allows the call, and every other command that begins with the
 * words of one of the call's commands. If a command's program runs other programs, the rule allows only that exact
 * command. Returns undefined if the call runs no command, runs without a sandbox, has unusual or too many words, or
 * always requires approval. Also returns undefined if the session's taint or a rule in a file requires the approval.
 */
export function offerRule(call: JudgedCall, permissions: Permissions): OfferedRule | undefined {
	const { plan } = call;
	if (plan.classes.includes("exec-unsandboxed")) return undefined;
	const facts = new CallFacts(call);
	const commands = facts.runs ? (facts.plain ?? []) : [];
	const words = commands.flat();
	if (words.length === 0 || words.length > maxWords || !words.every((word) => plainWord.test(word))) {
		return undefined;
	}
	const requiring = builtInRules.filter(({ effect }) => effect === "ask").flatMap(({ when }) => when);
	const offered: OfferedRule = {
		tool: ruleNameOf(call.tool),
		classes: plan.classes.filter((name) => requiring.includes(name)),
		commands: unique(commands).map((prefix) => ({ words: prefix, exact: needsCompleteWords(prefix) })),
	};
	return allows(offered, call, permissions) ? offered : undefined;
}

/** Whether the offered rule allows the call even without `accept_all_tools`, session approvals and trust grants. */
function allows(offered: OfferedRule, call: JudgedCall, permissions: Permissions): boolean {
	const { policy = builtInPolicy } = permissions;
	const rule: PolicyRule = {
		layer: "operator",
		source: "",
		effect: "allow",
		reason: "",
		tools: [offered.tool],
		classes: offered.classes,
		commands: offered.commands.map(({ words }) => words),
	};
	const withRule = { ...policy, rules: [...policy.rules, rule] };
	const alone = { ...permissions, acceptAll: false, grants: [], trusted: false, policy: withRule };
	return decide(call, alone).effect === "allow";
}

function unique(commands: readonly (readonly string[])[]): readonly (readonly string[])[] {
	return [...new Map(commands.map((words) => [words.join(" "), words])).values()];
}
