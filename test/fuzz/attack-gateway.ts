import type { Random } from "../random.ts";
import { mutateBytes } from "./byte-mutation.ts";
import { readFrame } from "./depth.ts";
import { type Form, FuzzConnection } from "./fuzz-connection.ts";
import { growFrame, nameMethod } from "./grammar.ts";
import { moveField } from "./state.ts";
import type { Tally } from "./tally.ts";
import type { Surroundings } from "./valid-frames.ts";

/**
 * Number of generated frames per connection. Even with the frames before and after the generated ones, the number is
 * below the gateway's rate limit for a burst.
 */
const framesPerConnection = 90;

type Family = "bytes" | "grammar" | "state";

/** Percentage of frames from each generator. */
const shares: readonly (readonly [family: Family, share: number])[] = [
	["bytes", 35],
	["grammar", 35],
	["state", 30],
];

/**
 * Sends generated frames on one connection. Each must get exactly one response, in order, and the connection must stay
 * usable.
 */
export async function attackGateway(url: string, random: Random, tally: Tally): Promise<void> {
	const connection = await FuzzConnection.open(url);
	try {
		const surroundings = await settle(connection, random);
		const frames = Array.from({ length: framesPerConnection }, () => makeFrame(random, surroundings));
		const before = connection.answers.length;
		for (const { text } of frames) connection.send(text, pickForm(random, text));
		await connection.until(
			"all frames are answered",
			() => connection.answers.length >= before + frames.length,
		);
		for (const [index, { family, text }] of frames.entries()) {
			const answer = connection.answers[before + index];
			if (answer) tally.add(family, text, answer);
		}
		if (connection.answers.length > before + frames.length) tally.fault("more answers than frames");
		await forget(connection, surroundings);
		await connection.request("list_sessions", { limit: 1 });
	} catch (reason) {
		tally.fault(String(reason));
	}
	await connection.close();
}

/**
 * Opens a session on half of the connections, and a prompt in half of these sessions. Returns the session and the
 * tokens of its prompts.
 */
async function settle(connection: FuzzConnection, random: Random): Promise<Surroundings> {
	if (random.chance(0.5)) return { sessions: [], tokens: [] };
	// The cast is safe because the response to `open_session` has this type.
	const { session_id } = (await connection.request("open_session", {})) as { readonly session_id: string };
	const sessions = [session_id];
	if (random.chance(0.5)) return { sessions, tokens: [] };
	const content = random.pick(["choose: tea | coffee", "pick: red | green", "ask: Who?", "secret: Key"]);
	await connection.request("send_message", { content });
	const tokens = (): string[] => {
		return connection.events.flatMap(({ event, payload }) => {
			// The cast is safe because a `prompt.request` has this type.
			return event === "prompt.request" ? [(payload as { readonly token: string }).token] : [];
		});
	};
	await connection.until("the question is asked", () => tokens().length > 0);
	return { sessions, tokens: tokens() };
}

/** Cancels the turns of the session, so that the session leaves no open prompts and no pending work. */
async function forget(connection: FuzzConnection, { sessions: [session] }: Surroundings): Promise<void> {
	if (session === undefined) return;
	try {
		await connection.request("open_session", { session_id: session, join: true });
	} catch (reason) {
		// A generated frame may have deleted the session.
		if (String(reason).includes("session not found")) return;
		throw reason;
	}
	await connection.request("cancel_turn", { queued: true }, session);
}

function makeFrame(random: Random, surroundings: Surroundings): { family: Family; text: string } {
	const family = pickFamily(random);
	switch (family) {
		case "bytes":
			return { family, text: mutateBytes(random, surroundings) };
		case "grammar":
			return { family, text: random.chance(0.1) ? nameMethod(random) : growFrame(random, surroundings) };
		case "state":
			return { family, text: moveField(random, surroundings) };
	}
}

function pickForm(random: Random, text: string): Form {
	if (random.chance(0.9)) return "single";
	// The gateway would close the connection after binary invalid JSON.
	return random.chance(0.5) || !readFrame(text).isJson ? "fragments" : "binary";
}

function pickFamily(random: Random): Family {
	let remaining = random.below(100);
	for (const [family, share] of shares) {
		remaining -= share;
		if (remaining < 0) return family;
	}
	return "state";
}
