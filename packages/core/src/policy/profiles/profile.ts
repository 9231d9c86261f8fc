import { ParleyError } from "@parley/base";
import type { Reasoning, Sampling } from "../../vocabulary/model.ts";
import { agentTexts } from "./texts.ts";

/**
 * Agent profile: instructions and settings of an agent. If a field is absent and its comment states no default, the
 * gateway's setting applies.
 */
export interface Profile {
	/** Name of the profile's directory. */
	readonly name: string;
	readonly title: string;
	/** Description of the work that other agents may delegate to the agent. */
	readonly description?: string;
	/** Text of `agent.md`. It replaces the built-in instructions. */
	readonly instructions?: string;
	/** Name or tier of a model. */
	readonly model?: string;
	readonly reasoning?: Reasoning;
	readonly sampling: Sampling;
	/** Names of the agent's tools. Absent: all tools. */
	readonly tools?: readonly string[];
	/** Context window in tokens. If the window of the model is known, `contextWindow` can only reduce the window. */
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
	 * If the profile does not exist, the message lists the existing profiles.
	 */
	find(name: string): Promise<Profile>;
	list(): Promise<{ readonly profiles: readonly Profile[]; readonly problems: readonly ProfileProblem[] }>;
}

/** Port with only the built-in profile `default`. */
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
 * Pattern of a name without path separators and without a leading dot. A path with the name is always a direct child of
 * its directory.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,63}$/u;

/** Whether `name` is valid as the name of an agent and of the agent's directory. */
export function isProfileName(name: string): boolean {
	return name.length <= 64 && NAME.test(name) && !name.endsWith(" ");
}

/** Name of the profile for sessions that do not choose a profile. */
export const defaultProfile = "default";
