import { ParleyError } from "@parley/base";
import type { Reasoning, Sampling } from "../../vocabulary/model.ts";
import { agentTexts } from "./texts.ts";

/**
 * Agent profile: instructions and settings of an agent. For an absent field without a stated default, the gateway's
 * setting applies.
 */
export interface Profile {
	/** Name of the profile's directory. */
	readonly name: string;
	readonly title: string;
	/** Kind of work that other agents may delegate to the agent. */
	readonly description?: string;
	/** Text of `agent.md`. It replaces the built-in instructions. */
	readonly instructions?: string;
	/** Name or tier of a model. */
	readonly model?: string;
	readonly reasoning?: Reasoning;
	readonly sampling: Sampling;
	/** Names of the agent's tools. Absent: all tools. */
	readonly tools?: readonly string[];
	/** Context window in tokens. If the window of the model is known, this value can only reduce that window. */
	readonly contextWindow?: number;
	/** Server that replaces the gateway's model server. */
	readonly endpoint?: ProfileEndpoint;
}

/** Supported APIs of a profile's server. */
export const endpointApis = ["messages", "chat-completions"] as const;

export interface ProfileEndpoint {
	/** Address without the version of the API. */
	readonly url: string;
	/** API of the server. Default: `messages`. */
	readonly api?: (typeof endpointApis)[number];
	/** Maximum milliseconds until the first part of a reply arrives. */
	readonly timeoutMs?: number;
}

export interface ProfileProblem {
	readonly name: string;
	readonly message: string;
}

/** Port to the operator's agent profiles. The `default` profile always exists. */
export interface Profiles {
	/**
	 * Reads the current settings of a profile. Throws `invalid_argument` if the profile does not exist or has an error.
	 * If it does not exist, the message lists the existing profiles.
	 */
	find(name: string): Promise<Profile>;
	list(): Promise<{ readonly profiles: readonly Profile[]; readonly problems: readonly ProfileProblem[] }>;
}

/** Port that has only the built-in profile. */
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
 * Pattern of names without path separators and without a leading dot. Such a name is always a direct child of a
 * directory.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,63}$/u;

/** Whether a text can be the name of an agent and of its directory. */
export function isProfileName(name: string): boolean {
	return name.length <= 64 && NAME.test(name) && !name.endsWith(" ");
}

/** Name of the profile of a session that names no profile. */
export const defaultProfile = "default";
