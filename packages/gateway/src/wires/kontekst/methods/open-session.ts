import { ParleyError } from "@parley/base";
import type { Principal, Runtime, SessionEvent } from "@parley/core";
import { SessionView } from "../../view/session-view.ts";
import type { Start } from "../schema.ts";

/** The session of a run, and the name of its agent. */
interface OpenedSession {
	readonly view: SessionView;
	readonly agent: string;
}

/**
 * Joins the session that a start names. A session that does not exist is created, with the id that the client gave. Throws
 * for an agent, skill or directory that is not there, in this order, because clients show the first problem.
 */
export async function openSession(
	runtime: Runtime,
	principal: Principal,
	start: Start,
	deliver: (event: SessionEvent) => void,
): Promise<OpenedSession> {
	const { sessionId, agentName, workingDir } = start;
	await findAgent(runtime, principal, agentName);
	if (start.skill) throw new ParleyError(`skill not found: ${start.skill.name}`, { code: "not_found" });
	if (start.prompt.trim() === "") {
		throw new ParleyError("prompt: it is empty, and no skill is invoked", { code: "invalid_argument" });
	}
	const following = { principal, deliver, drained: () => Promise.resolve() };
	if (sessionId !== "") {
		try {
			const view = await SessionView.join(runtime, sessionId, following);
			return { view, agent: await sameAgent(view, agentName) };
		} catch (reason) {
			if (ParleyError.from(reason).code !== "not_found") throw reason;
		}
	}
	const wanted = {
		...(sessionId !== "" && { id: sessionId }),
		...(agentName !== "" && { profile: agentName }),
		...(workingDir !== "" && { rootDir: workingDir }),
	};
	const request = { principal, key: undefined, method: "run", params: undefined };
	const { id } = await SessionView.create(runtime, request, wanted);
	const view = await SessionView.join(runtime, id, following);
	return { view, agent: view.profile };
}

async function findAgent(runtime: Runtime, principal: Principal, name: string): Promise<void> {
	if (name === "") return;
	const { profiles, problems } = await runtime.agents(principal);
	if (profiles.some((profile) => profile.name === name)) return;
	const problem = problems.find((one) => one.name === name);
	const names = profiles.map((profile) => profile.name).join(", ");
	const message = problem
		? `invalid config for agent ${name}: ${problem.message}`
		: `agent not found: ${name}; available: ${names}`;
	throw new ParleyError(message, { code: "not_found" });
}

/** A session keeps the agent that it was created with. The default agent stands for any, because clients always name one. */
async function sameAgent(view: SessionView, wanted: string): Promise<string> {
	if (wanted === "" || wanted === "default" || wanted === view.profile) return view.profile;
	await view.leave();
	const message = `the session ${view.id} has the agent ${view.profile}, not ${wanted}: use ${view.profile}, or start a new session`;
	throw new ParleyError(message, { code: "failed_precondition" });
}
