import * as z from "zod";
import type { ActionClass } from "../vocabulary/action-class.ts";

/** Everything that a call can do, for rules: see `ActionClass`. */
const actionClasses = [
	"read",
	"write",
	"exec-sandboxed",
	"exec-unsandboxed",
	"egress",
	"outside-read",
	"outside-write",
	"secret",
	"control",
	"irreversible",
	"person",
	"client",
	"memory-read",
	"memory-write",
	"memory-everyone",
	"schedule",
] as const satisfies readonly ActionClass[];

const mostRules = 500;
const mostNames = 200;

/** Constructed when a file is read: most starts find none. */
function makeSchemas() {
	const word = z
		.string({ error: "a word" })
		.regex(/^[^\p{C}]{1,300}$/u, { error: "a word of at most 300 characters, without controls" });
	const program = word.regex(/^\S+$/, {
		error: 'a program; its arguments are words of their own: ["git", "push"]',
	});

	const when = z
		.strictObject(
			{
				class: oneOrMore(z.enum(actionClasses, { error: actionClasses.join(", ") })),
				command: z.preprocess(
					(value) => (Array.isArray(value) && !Array.isArray(value[0]) ? [value] : value),
					list(
						z.tuple([program], word, { error: 'a list of words such as ["git", "push"]' }),
						'a list of words such as ["git", "push"], or a list of such lists',
					),
				),
				path: oneOrMore(word),
				host: oneOrMore(
					word
						.regex(/^[\w*.:[\]-]+$/, { error: "the name of a host; * stands for any part of one" })
						.toLowerCase(),
				),
			},
			{ error: "an object with class, command, path or host" },
		)
		.partial();

	const rule = z.strictObject(
		{
			effect: z.enum(["deny", "ask", "allow"], { error: "deny, ask, allow" }),
			tool: z.optional(oneOrMore(word)),
			when: z.optional(when),
			reason: z.optional(
				z
					.string({ error: "a text" })
					.trim()
					.regex(/^[^\p{C}]{1,500}$/u, { error: "one line of at most 500 characters" }),
			),
		},
		{ error: "an object with an effect" },
	);

	const file = z.strictObject({
		$schema: z.optional(z.string({ error: "the address of a schema" })),
		rules: z
			.array(rule, { error: "a list of rules: [ { … }, … ]" })
			.max(mostRules, { error: `at most ${mostRules} rules` }),
	});
	return { file, rule, when };
}

let made: ReturnType<typeof makeSchemas> | undefined;

function schemas(): ReturnType<typeof makeSchemas> {
	made ??= makeSchemas();
	return made;
}

/** Schema of a policy file; its errors list what is allowed. */
export function policySchema(): ReturnType<typeof makeSchemas>["file"] {
	return schemas().file;
}

export type WrittenRule = z.infer<ReturnType<typeof makeSchemas>["rule"]>;

/** The names that may stand at a place in the file. */
export function namesAt(path: readonly PropertyKey[]): readonly string[] {
	if (path.length === 0) return ["rules"];
	const { rule, when } = schemas();
	return Object.keys(path.at(-1) === "when" ? when.shape : rule.shape);
}

function list<T extends z.ZodType>(item: T, error: string): z.ZodArray<T> {
	return z
		.array(item, { error })
		.min(1, { error: "at least one; leave it out where it does not matter" })
		.max(mostNames, { error: `at most ${mostNames}` });
}

/** One value counts as a list of one. */
function oneOrMore<T extends z.ZodType>(item: T): z.ZodPreprocess<z.ZodArray<T>> {
	return z.preprocess((value) => (Array.isArray(value) ? value : [value]), list(item, "a value or a list"));
}
