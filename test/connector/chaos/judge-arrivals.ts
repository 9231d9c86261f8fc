import type { ScriptedGateway } from "@parley/connector/testing";

/** A message that the gateway has accepted. */
export interface Arrival {
	readonly content: string;
	readonly run: string;
	readonly isCancelled: boolean;
	/** Whether the message was added to an active run. */
	readonly hasJoined: boolean;
}

interface Posted {
	readonly id: string;
	readonly versions: readonly string[];
	readonly file?: string;
}

/** Returns the arrivals of a message at the gateway. Excludes retries, and runs that joined another run. */
export function arrivalsOf({ sessions }: ScriptedGateway, message: string): Arrival[] {
	return sessions.flatMap(({ frames }) => {
		const payloads = frames.map(({ event, payload }) => ({ event, ...Object(payload) }));
		const ended = payloads.filter(
			({ event, error }) => event === "assistant.message" && error === "cancelled",
		);
		const cancelled = new Set(ended.map(({ run_id }) => run_id));
		// If a queued message joins an active run, the run of the queued message is cancelled with `joined`.
		const moved = new Set(ended.filter(({ joined }) => joined !== undefined).map(({ run_id }) => run_id));
		return payloads
			.filter((one) => one.event === "user.message" && one.correlation_id === message)
			.filter(({ retry_of, run_id }) => retry_of === undefined && !moved.has(run_id))
			.map(({ content, run_id: run, steered }) => {
				const hasJoined = steered === true;
				return { content, run, isCancelled: !hasJoined && cancelled.has(run), hasJoined };
			});
	});
}

/**
 * Returns a fault for each deleted message that is still queued. Skips messages that have joined another run, because
 * they cannot be withdrawn.
 */
export function judgeWaiting(gateway: ScriptedGateway, deleted: readonly Posted[]): string[] {
	const waiting = new Set(gateway.sessions.flatMap(({ runs }) => runs.map(({ id }) => id)));
	return deleted.flatMap(({ id }) => {
		const queued = arrivalsOf(gateway, id).filter(({ run, hasJoined }) => !hasJoined && waiting.has(run));
		return queued.map(({ content }) => `${content} was deleted and still waits`);
	});
}

/** Returns a fault for each version of the message, if the version arrived more than once. */
export function judgeTwice({ versions }: Posted, arrivals: readonly Arrival[]): string[] {
	return versions.flatMap((text) => {
		const count = arrivals.filter(({ content }) => content.includes(text)).length;
		return count > 1 ? [`the gateway received ${text} ${count} times`] : [];
	});
}

/**
 * Returns a fault if the file of the message was lost or sent too often. The requests with the file, plus the
 * refusals of the file, must equal the arrivals of the message in number. Empty for a message without a file.
 */
export function judgeFile(
	gateway: ScriptedGateway,
	{ id, file, versions }: Posted,
	refused: (file: string) => number,
): string[] {
	if (file === undefined) return [];
	const arrived = gateway.requests.filter(({ method, params }) => {
		const { attachments = [], correlation_id: message } = Object(params);
		// Later messages of the thread also send the file, as part of the context.
		return method === "send_message" && message === id && attachments.includes(`file_${file}`);
	});
	const arrivals = arrivalsOf(gateway, id);
	return arrived.length + refused(file) === arrivals.length
		? []
		: [`${file} came ${arrived.length} times with ${arrivals.length} of ${versions.join(" → ")}`];
}

/**
 * Returns a fault if the gateway made too many retries. The gateway may make fewer than requested, because it can
 * refuse a request.
 */
export function judgeRetries({ sessions }: ScriptedGateway, expected: number): string[] {
	const retries = sessions
		.flatMap(({ frames }) => frames)
		.filter(
			({ event, payload }) => event === "user.message" && Object(payload).retry_of !== undefined,
		).length;
	return retries > expected ? [`people asked for ${expected} retries, and the gateway made ${retries}`] : [];
}
