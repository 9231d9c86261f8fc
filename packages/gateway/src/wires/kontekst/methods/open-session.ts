import { defined, ParleyError } from "@parley/base";
import type { Keyed, Principal, Runtime, SessionEvent } from "@parley/core";
import { kontekstErrorTexts } from "../../../texts/wires/grpc.ts";
import { type Following, SessionView } from "../../view/session-view.ts";
import type { RunStart } from "../schema.ts";

interface OpenedSession {
	readonly view: SessionView;
	readonly isNew: boolean;
}

/**
 * Joins the session that the start command names, or creates the session if it does not exist. Without an id in the
 * command, creates a session with a new id. Rejects with `not_found` for an unknown agent, and with
 * `invalid_argument` for an empty prompt without a skill.
 */
export async function openSession(
	runtime: Runtime,
	principal: Principal,
	start: RunStart,
	deliver: (event: SessionEvent) => void,
): Promise<OpenedSession> {
	const { sessionId } = start;
	await findAgent(runtime, principal, start.agentName);
	if (start.prompt.trim() === "" && !start.skill) {
		throw new ParleyError(kontekstErrorTexts.emptyPrompt, { code: "invalid_argument" });
	}
	const following = { principal, deliver, drained: () => Promise.resolve() };
	const known = sessionId === "" ? undefined : await joinKnown(runtime, sessionId, following);
	return { view: known ?? (await createFor(runtime, start, following)), isNew: !known };
}

async function joinKnown(
	runtime: Runtime,
	sessionId: string,
	following: Following,
): Promise<SessionView | undefined> {
	try {
		return await SessionView.join(runtime, sessionId, following);
	} catch (reason) {
		if (ParleyError.from(reason).code === "not_found") return undefined;
		throw reason;
	}
}

async function createFor(
	runtime: Runtime,
	{ sessionId, agentName, workingDir }: RunStart,
	following: Following,
): Promise<SessionView> {
	const creating = SessionView.create(
		runtime,
		keyed(following.principal),
		defined({
			id: sessionId === "" ? undefined : sessionId,
			profile: agentName,
			rootDir: workingDir === "" ? undefined : workingDir,
		}),
	);
	const { id } = await creating.catch((reason: unknown) => {
		const { message, code } = ParleyError.from(reason);
		// This wire has another name for `root_dir`.
		throw new ParleyError(message.replace(/^root_dir: /, "working_dir: "), { code, cause: reason });
	});
	return SessionView.join(runtime, id, following);
}

function keyed(principal: Principal): Keyed {
	return { principal, key: undefined, method: "run", params: undefined };
}

async function findAgent(runtime: Runtime, principal: Principal, name: string | undefined): Promise<void> {
	if (name === undefined) return;
	const { profiles, problems } = await runtime.agents(principal);
	if (profiles.some((profile) => profile.name === name)) return;
	const problem = problems.find((one) => one.name === name);
	const names = profiles.map((profile) => profile.name).join(", ");
	const message = problem
		? kontekstErrorTexts.invalidAgent({ name, reason: problem.message })
		: kontekstErrorTexts.noAgent({ name, names });
	throw new ParleyError(message, { code: "not_found" });
}
