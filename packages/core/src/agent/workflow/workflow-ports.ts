import type { Ids } from "@parley/base";
import type { Observers } from "../../conversation/observers.ts";
import type { Session } from "../../conversation/session.ts";
import type { Profile } from "../../policy/profiles/profile.ts";
import type { TextPorts } from "../replies/request.ts";

export interface StepModels {
	/**
	 * Returns the real name of the requested model. Throws `invalid_argument` if the model does not exist or is not
	 * allowed.
	 */
	readonly modelOf: (session: { readonly profile: string }, requested: string) => Promise<string>;
}

/** Lookups for the agents that can be sub-agents of a session. */
export interface SubAgents {
	/**
	 * Finds the profile of an agent. Throws `invalid_argument` if the profile is invalid, or with the names of the
	 * existing agents if the agent does not exist.
	 */
	readonly find: (agent: string) => Promise<Profile>;
	/** Returns the names of the tools that `agent` has in the session, except client tools. */
	readonly toolsOf: (session: Session, agent: string) => Promise<readonly string[]>;
	/** Returns the agent that the operator has set for a channel, or undefined if the operator has set no agent. */
	readonly pinnedAgent: (place: string | undefined) => string | undefined;
	/** Returns the real name of an agent's default model. */
	readonly usualModelOf: (agent: string) => Promise<string>;
}

/** Ports to the models and tasks for the steps of workflows. */
export interface WorkflowTasks extends StepModels {
	readonly agents: SubAgents;
	/** Starts the tasks that are ready. Must be called when a task may have become ready. */
	readonly startTasks: () => void;
	/** Stops the work on ended tasks. */
	readonly stopTasks: (ids: readonly string[]) => void;
}

export interface WorkflowPorts extends TextPorts {
	readonly workflows: WorkflowTasks;
	readonly ids: Ids;
	readonly observers: Observers;
}
