import type { Clock } from "@parley/base";
import type { Session } from "../session/session.ts";

/** Parks runs that wait for people at once, the others when the grace is over; resolves when all stand still. */
export async function drain(sessions: AsyncIterable<Session>, graceMs: number, clock: Clock): Promise<void> {
	const runs = (await Array.fromAsync(sessions)).flatMap((session) => [...session.live.values()]);
	for (const run of runs) if (run.waiting) run.park();
	const timer = clock.after(graceMs, () => {
		for (const run of runs) run.park();
	});
	await Promise.all(runs.map((run) => run.ended));
	timer.cancel();
}
