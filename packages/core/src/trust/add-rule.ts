import { ParleyError } from "@parley/base";
import { appendCommentedJson, inlineJson, parseCommentedJson } from "@parley/base/commented-json";
import { fileFault } from "../filesystem/file-error.ts";
import { readPolicy } from "../policy/read-policy.ts";
import { maxPolicyBytes } from "../policy/watched-policy.ts";
import type { Principal } from "../vocabulary/principal.ts";
import type { OfferedRule } from "../vocabulary/prompt.ts";
import { requestedBy } from "./audit/audit.ts";
import type { PolicyFiles, TrustOptions } from "./shared/trust-options.ts";
import { policyStateTexts } from "./texts.ts";

/** Requested rule, which is now in the operator's file. The file may have contained the rule before the request. */
export interface AddedRule {
	/** The rule as one line of JSON. */
	readonly rule: string;
	/** Position of the rule: `FILE:LINE`. */
	readonly source: string;
}

export interface NewRule {
	readonly offered: OfferedRule;
	/** Throws to leave the file unchanged. Runs while no other process can write the file. */
	readonly check?: () => void;
}

/**
 * Adds a rule to the operator's file, unless the file already contains the rule. Changes no other lines. The audit log
 * records the rule before the rule takes effect. Throws `failed_precondition`, and leaves the file unchanged, if the file
 * is invalid, would become too large or cannot be written. Throws `unimplemented` if this process cannot change the file.
 */
export async function addRule(
	principal: Principal,
	{ offered, check }: NewRule,
	{ policy, tools, audit }: TrustOptions,
): Promise<AddedRule> {
	const { change, file = "" } = policy ?? {};
	if (!policy || !change) throw new ParleyError(policyStateTexts.readOnly, { code: "unimplemented" });
	const rule = writtenRule(offered);
	const known = [...tools, ...(policy.others ?? [])];
	const entry = { ...requestedBy(principal), action: "policy.extend", object: file, args: rule };
	await audit.note({ ...entry, decision: "allowed" });
	let source = "";
	try {
		await change((text) => {
			check?.();
			const edited = withRule(text, rule, { file, known });
			source = edited.source;
			return edited.text;
		});
	} catch (reason) {
		await audit.note({ ...entry, decision: "failed" });
		throw refusalOf(reason, file);
	}
	return { rule: inlineJson(rule), source };
}

interface RuleFile {
	readonly file: string;
	readonly known: readonly NonNullable<PolicyFiles["others"]>[number][];
}

function withRule(text: string, rule: object, { file, known }: RuleFile): { text: string; source: string } {
	const before = text.trim() === "" ? '{\n\t"rules": []\n}\n' : text.replace(/^\uFEFF/, "");
	const check = (checked: string, refusal: (reason: string) => string): void => {
		try {
			readPolicy({ layer: "operator", path: file, text: checked }, known);
		} catch (reason) {
			const message = refusal(ParleyError.from(reason).message);
			throw new ParleyError(message, { code: "failed_precondition", cause: reason });
		}
	};
	check(before, policyStateTexts.notEdited);
	const { rules } = parseCommentedJson(file, before).values;
	const all: readonly unknown[] = Array.isArray(rules) ? rules : [];
	const same = all.findIndex((one) => inlineJson(one) === inlineJson(rule));
	const after = same === -1 ? appendCommentedJson(before, ["rules"], rule) : before;
	check(after, policyStateTexts.wouldBeInvalid);
	const bytes = Buffer.byteLength(after);
	if (bytes > maxPolicyBytes) {
		const message = policyStateTexts.wouldBeTooLarge({ path: file, bytes, max: maxPolicyBytes });
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const at = same === -1 ? all.length : same;
	const source = parseCommentedJson(file, after).locate(["rules", at]).replace(/:\d+$/, "");
	return { text: after, source };
}

function writtenRule({ tool, classes, commands }: OfferedRule): object {
	return {
		effect: "allow",
		tool,
		when: { class: classes, command: commands.map(({ words }) => words) },
		reason: policyStateTexts.ruleReason,
	};
}

function refusalOf(reason: unknown, file: string): ParleyError {
	if (reason instanceof ParleyError) return reason;
	const message = policyStateTexts.notWritten(file, fileFault(reason));
	return new ParleyError(message, { code: "failed_precondition", cause: reason });
}
