import * as z from "zod";
import { key, maybe, optionalSession } from "./params.ts";

const directory = z.string().min(1).max(4096);
const name = z.string().min(1).max(100);

/** A skill: instructions for a kind of work that a person starts with `/name`, or the agent with its tool. */
export const SkillPayload = z.object({
	name: z.string(),
	description: z.string(),
	/** A form for the arguments, such as `[branch]`. */
	argument_hint: z.exactOptional(z.string()),
	/** `data`: the data directory. `directory`, `claude`: `.parley/skills` and `.claude/skills` of a working directory. */
	source: z.enum(["data", "directory", "claude"]),
	/** Path of its file, relative to the data directory or the working directory. */
	path: z.string(),
	/** `multi-step`: a workflow. */
	type: z.enum(["simple", "multi-step"]),
	user_invocable: z.boolean(),
	model_invocable: z.boolean(),
	/** `operator`: needs no trust. `changed`: the files are not those that were trusted. */
	trust: z.enum(["operator", "trusted", "changed", "untrusted"]),
	/** The only tools of its run; absent for all. */
	tools: z.exactOptional(z.array(z.string())),
	model: z.exactOptional(z.string()),
	/** SHA-256 of all its files. */
	hash: z.string(),
	/** Time at which the gateway first saw this content. Only of skills of the data directory. */
	changed_at: z.exactOptional(z.string()),
});
export type SkillPayload = z.output<typeof SkillPayload>;

const SkillProblemPayload = z.object({
	path: z.string(),
	/** Begins with `line N: ` if the line is known. */
	message: z.string(),
});

const place = {
	/** The session whose working directory is meant; only skills of the data directory without one. */
	session_id: optionalSession,
	/** A working directory, for the operator alone. */
	directory: maybe(directory),
};

/** Skills of the data directory and of working directories. */
export const skillMethods = {
	/** Returns the skills in the order of precedence, and the files that cannot be used. */
	list_skills: {
		params: z.object(place),
		result: z.object({
			skills: z.array(SkillPayload),
			problems: z.array(SkillProblemPayload),
			/** Changes with each file of the skills of the working directory: see `trust_skills`. "" if there are none. */
			digest: z.string(),
		}),
	},
	/** Returns a skill with its text and the paths of its other files. */
	show_skill: {
		params: z.object({ name, ...place }),
		result: SkillPayload.extend({
			directory: z.string(),
			body: z.string(),
			files: z.array(z.string()),
			/** A unified diff since the skill was trusted, for people. Only if `trust` is `changed`. */
			changes: z.exactOptional(z.string()),
			steps: z.exactOptional(
				z.array(z.object({ id: z.string(), title: z.string(), needs: z.array(z.string()) })),
			),
		}),
	},
	/** Lets the skills of a working directory run as they are now. For the operator. */
	trust_skills: {
		params: z.object({
			directory,
			/** Value from `list_skills`: refused if a file has changed since. */
			digest: maybe(z.string().max(64)),
			key,
		}),
		result: z.object({ status: z.literal("trusted"), skills: z.array(SkillPayload) }),
	},
	/** Ends the trust in the skills of a working directory. For the operator. */
	untrust_skills: {
		params: z.object({ directory, key }),
		result: z.object({ status: z.literal("untrusted"), skills: z.int().min(0) }),
	},
};
