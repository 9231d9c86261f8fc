import { systemClock } from "@parley/base";
import { errorLook } from "../ask/answer-output.ts";
import { interruptedCode } from "../ask/interrupt.ts";
import type { EventsFlags } from "../commands/events.ts";
import { findAgain, findGateway, type GatewayAddress } from "../gateway-address.ts";
import { getJson } from "../gateway-http.ts";
import type { Io } from "../io.ts";
import { findSession } from "../sessions/find-session.ts";
import type { ShownEvent } from "../sessions/past-events.ts";
import { outputLook } from "../with-gateway.ts";
import { eventRow } from "./event-row.ts";
import { followEvents } from "./follow-events.ts";

/** What is shown first of what was before. */
const usualLimits = { follow: 10, list: 50 };

/** Prints events, and with `--follow` those that come until Ctrl-C; returns the exit code. */
export async function printEvents(flags: EventsFlags, io: Io): Promise<number> {
	const address = await findGateway(flags, io);
	const query = new URLSearchParams();
	query.set("limit", String(flags.limit ?? usualLimits[flags.follow ? "follow" : "list"]));
	if (flags.session !== undefined) query.set("session", (await findSession(address, flags.session)).id);
	for (const type of flags.type ?? []) query.append("type", type);
	const print = (event: ShownEvent): void => {
		const row = flags.json ? JSON.stringify(event) : eventRow(event, outputLook(io));
		io.stdout.write(`${row}\n`);
	};
	if (flags.follow) return follow(query, print, { flags, io, address });
	// True because our own gateway lists them so.
	const events = (await getJson(address, `/api/events?${query}`)) as ShownEvent[];
	for (const event of events) print(event);
	return 0;
}

async function follow(
	query: URLSearchParams,
	onEvent: (event: ShownEvent) => void,
	{ flags, io, address }: { readonly flags: EventsFlags; readonly io: Io; readonly address: GatewayAddress },
): Promise<number> {
	const { dim } = errorLook(io).styles;
	const stop = new AbortController();
	const interrupt = (): void => stop.abort();
	process.once("SIGINT", interrupt);
	try {
		await followEvents({
			...{ query, onEvent, clock: systemClock, signal: stop.signal },
			find: findAgain(address, () => findGateway(flags, io)),
			onState: (state) => {
				const words = state === "lost" ? "the connection is lost, trying again …" : "connected again";
				io.stderr.write(`${dim(words)}\n`);
			},
		});
	} finally {
		process.off("SIGINT", interrupt);
	}
	return stop.signal.aborted ? interruptedCode : 0;
}
