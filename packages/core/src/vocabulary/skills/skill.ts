/** The place of a skill's file: the data directory, `.parley/skills` or `.claude/skills` of a working directory. */
export type SkillSource = "data" | "directory" | "claude";

/** A step of a workflow. */
export interface SkillStep {
	/** Unique in its skill. */
	readonly id: string;
	/** The id if the file gives none. */
	readonly title: string;
	readonly prompt: string;
	/** A model's name or a tier; the model of the run if absent. */
	readonly model?: string;
	/** Ids of the steps that must end before this one starts. They exist and have no cycle. */
	readonly needs: readonly string[];
	/** The conditions that the result must meet; absent if there are none. */
	readonly criteria?: readonly string[];
}

/** The content of a skill file. */
export interface SkillText {
	/** At most 64 letters, digits, dots, hyphens and underscores. */
	readonly name: string;
	/** At most 1,024 characters in one line; "" if the file has no text. */
	readonly description: string;
	/** The text behind the frontmatter, trimmed, with its placeholders. */
	readonly body: string;
	/** A form for the arguments, such as `[branch]`. */
	readonly argumentHint?: string;
	/** Whether only a person can start it, and no model. */
	readonly disableModelInvocation: boolean;
	/** Whether a person can start it with `/name`. */
	readonly userInvocable: boolean;
	/** Names of the only tools of its run, as the file writes them. */
	readonly tools?: readonly string[];
	/** A model's name or a tier for its run. */
	readonly model?: string;
	/** The steps of a workflow, in the order of the file; absent for a skill that is a text alone. */
	readonly steps?: readonly SkillStep[];
}

/** A skill that was read. */
export interface Skill extends SkillText {
	readonly source: SkillSource;
	/** Real path of its directory: of `SKILL.md`, or the one that holds `NAME.md`. */
	readonly directory: string;
	/** SHA-256 of all files of the skill, in hexadecimal. */
	readonly hash: string;
}
