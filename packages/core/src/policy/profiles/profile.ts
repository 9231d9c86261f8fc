import { ParleyError } from "@parley/base";
import type { Reasoning, Sampling } from "../../vocabulary/model.ts";
import { agentTexts } from "./texts.ts";

/** Agent profile: instructions and settings of an agent. Absent fields have the gateway's value. */
export interface Profile {
	/** The name of its directory. */
	readonly name: string;
	/** Display name. */
	readonly title: string;
	/** Kind of work that other agents may give to it. */
	readonly description?: string;
	/** Text of `agent.md`, which replaces the built-in instructions. */
	readonly instructions?: string;
	/** A model's name or a tier. */
	readonly model?: string;
	readonly reasoning?: Reasoning;
	readonly sampling: Sampling;
	/** Names of its tools; all tools if absent. */
	readonly tools?: readonly string[];
	/** Tokens. For models that the table does not know, or to use a smaller part of the window. */
	readonly contextWindow?: number;
	/** A server that answers instead of the gateway's. */
	readonly endpoint?: ProfileEndpoint;
}

/** APIs of a server of a profile. */
export const endpointApis = ["messages", "chat-completions"] as const;

export interface ProfileEndpoint {
	/** Without the version of the API. */
	readonly url: string;
	/** Default: messages. */
	readonly api?: (typeof endpointApis)[number];
	/** Milliseconds until the first part of a reply must arrive. */
	readonly timeoutMs?: number;
}

export interface ProfileProblem {
	readonly name: string;
	readonly message: string;
}

/** Port to the operator's agent profiles. The profile `default` always exists. */
export interface Profiles {
	/** Reads the present profile. Throws `invalid_argument` with the existing profiles, or with the error in the profile. */
	find(name: string): Promise<Profile>;
	list(): Promise<{ readonly profiles: readonly Profile[]; readonly problems: readonly ProfileProblem[] }>;
}

/** The built-in profile only. */
export const noProfiles: Profiles = {
	async find(name) {
		if (name === "default") return { name, title: "Parley", sampling: {} };
		throw new ParleyError(agentTexts.onlyDefault(name), { code: "invalid_argument" });
	},
	async list() {
		return { profiles: [await this.find("default")], problems: [] };
	},
};

/**
 * Letters, digits and a few signs that cannot lead to another directory. Such a name is always one step below a directory.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,63}$/u;

/** Whether this can be the name of an agent, and so of its directory: at most 64 characters. */
export function isProfileName(name: string): boolean {
	return name.length <= 64 && NAME.test(name) && !name.endsWith(" ");
}

/** Profile of a session without a profile name. */
export const defaultProfile = "default";
