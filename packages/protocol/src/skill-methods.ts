import * as z from "zod";
import { key, maybe, optionalSession } from "./params.ts";

const directory = z.string().min(1).max(4096);
const name = z.string().min(1).max(100);

/**
 * A skill: instructions for a kind of work. A person starts the skill with `/name`, and the agent starts it with the
 * tool `skill`.
 */
export const SkillPayload = z.object({
	name: z.string(),
	description: z.string(),
	/** Form of the arguments, such as `[branch]`. */
	argument_hint: z.exactOptional(z.string()),
	/**
	 * Source of the skill. `data`: the data directory. `directory`, `claude`: `.parley/skills` and `.claude/skills`
	 * of a working directory.
	 */
	source: z.enum(["data", "directory", "claude"]),
	/** Path of the skill's file, relative to the data directory or the working directory. */
	path: z.string(),
	/** `multi-step` means a workflow. */
	type: z.enum(["simple", "multi-step"]),
	user_invocable: z.boolean(),
	model_invocable: z.boolean(),
	/**
	 * Trust in the skill. `operator`: the skill needs no trust. `changed`: the files differ from the trusted files.
	 */
	trust: z.enum(["operator", "trusted", "changed", "untrusted"]),
	/** Names of the tools that are available to a run with the skill. Absent: all tools. */
	tools: z.exactOptional(z.array(z.string())),
	model: z.exactOptional(z.string()),
	/** SHA-256 of all files of the skill. */
	hash: z.string(),
	/**
	 * Time at which the gateway first read the present content of the skill. Present only for skills in the data
	 * directory.
	 */
	changed_at: z.exactOptional(z.string()),
});
export type SkillPayload = z.output<typeof SkillPayload>;

const SkillProblemPayload = z.object({
	path: z.string(),
	/** Text of the problem. It begins with `line N: ` if the line is known. */
	message: z.string(),
});

const place = {
	/**
	 * Session. The skills in its working directory are included. Without `session_id` and `directory`, only skills in
	 * the data directory are included.
	 */
	session_id: optionalSession,
	/** Path of a working directory. Only the operator may set it. */
	directory: maybe(directory),
};

/** Methods for skills in the data directory and in working directories. */
export const skillMethods = {
	/** Returns the skills in order of precedence, and the unusable files. */
	list_skills: {
		params: z.object(place),
		result: z.object({
			skills: z.array(SkillPayload),
			problems: z.array(SkillProblemPayload),
			/** Hash of all skill files in the working directory, for `trust_skills`. "" if there are no files. */
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
			/**
			 * Human-readable unified diff from the trusted files to the present files. Present only if `trust` is
			 * `changed`.
			 */
			changes: z.exactOptional(z.string()),
			steps: z.exactOptional(
				z.array(z.object({ id: z.string(), title: z.string(), needs: z.array(z.string()) })),
			),
		}),
	},
	/** Trusts the present skills of a working directory. Only for the operator. */
	trust_skills: {
		params: z.object({
			directory,
			/** Value of `digest` from `list_skills`. The request is refused if a file has changed since that call. */
			digest: maybe(z.string().max(64)),
			key,
		}),
		result: z.object({ status: z.literal("trusted"), skills: z.array(SkillPayload) }),
	},
	/** Ends the trust in the skills of a working directory. Only for the operator. */
	untrust_skills: {
		params: z.object({ directory, key }),
		result: z.object({ status: z.literal("untrusted"), skills: z.int().min(0) }),
	},
};
