import { parseJson } from "@parley/base";
import * as z from "zod";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { type Judged, judgeSystem, type Verdict } from "../../vocabulary/verdict.ts";

const schema: z.ZodType<Judged> = z.object({
	criteria: z.array(z.string()),
	task: z.string(),
	result: z.string(),
});

/** Whether a request asks for a verdict about a step of a workflow. */
export function asksForVerdict({ system }: Pick<ModelRequest, "system">): boolean {
	return system === judgeSystem;
}

/** The verdict of the offline model: a criterion `contains: TEXT` needs this text in the result; every other one is met. */
export function offlineVerdict(question: string): Verdict {
	const { criteria, result } = schema.parse(parseJson(question));
	const wanted = criteria.flatMap((criterion) =>
		[...criterion.matchAll(/^\s*contains:\s*(\S.*)$/gm)].map(([, text = ""]) => text.trim()),
	);
	const missing = wanted.find((text) => !result.includes(text));
	if (missing !== undefined)
		return { passed: false, reason: `the result does not contain ${JSON.stringify(missing)}` };
	return { passed: true, reason: "the offline model only checks criteria that begin with contains:" };
}
