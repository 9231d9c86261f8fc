import { KontekstStream } from "../conformance/drivers/kontekst-client.ts";
import { RozStream } from "../conformance/drivers/roz-client.ts";
import { TestGateway } from "../conformance/gateway.ts";
import type { Scene } from "./examples.ts";
import { type Bound, fillIn, mismatch } from "./matches.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A stream of messages, each of which has exactly one field. */
interface Stream extends AsyncDisposable {
	send(message: Fields): void;
	until(kind: string): Promise<Fields>;
}

/** A gRPC protocol: `open` connects a client, and `sent` lists the fields of its requests. */
export interface GrpcWire {
	readonly open: (url: string) => Stream;
	readonly sent: readonly string[];
}

export const rozWire: GrpcWire = {
	open: (url) => new RozStream(url),
	sent: ["start", "userMessage", "toolResult", "permissionDecision", "cancelTurn", "cancelSession"],
};

export const kontekstWire: GrpcWire = {
	open: (url) => new KontekstStream(url),
	sent: ["start", "approveTool", "denyTool", "cancel"],
};

/** Plays a scene on a new gateway. Throws an error with the first difference, and the line number of the step. */
export async function playGrpc({ heading, steps }: Scene, { open, sent }: GrpcWire): Promise<void> {
	await using gateway = await TestGateway.start();
	await using stream = open(gateway.url);
	const bound: Bound = new Map();
	for (const step of steps) {
		if (step.kind !== "frame") throw new Error(`"${heading}", line ${step.line}: not a message`);
		const [[kind = "", shown] = []] = Object.entries(step.value);
		if (sent.includes(kind)) stream.send(Object(fillIn(step.value, bound)));
		else {
			const difference = await differenceOf(stream, kind, { shown: Object(shown), bound });
			if (difference !== undefined) throw new Error(`"${heading}", line ${step.line}: ${difference}`);
		}
	}
}

/**
 * Waits for a message of this `kind` that matches `shown`. Returns undefined, or the differences from the received
 * messages if none matches.
 */
async function differenceOf(
	stream: Stream,
	kind: string,
	{ shown, bound }: { readonly shown: Fields; readonly bound: Bound },
): Promise<string | undefined> {
	const others: string[] = [];
	for (;;) {
		let message: Fields;
		try {
			message = await stream.until(kind);
		} catch (reason) {
			return `${String(reason)}; instead:\n${others.join("\n")}`;
		}
		const part = Object.fromEntries(Object.keys(shown).map((key) => [key, message[key]]));
		const tried = new Map(bound);
		const difference = mismatch(shown, part, tried);
		if (difference === undefined) {
			for (const [name, value] of tried) bound.set(name, value);
			return undefined;
		}
		others.push(difference);
	}
}
