import { ParleyError } from "./errors.ts";

/** Named points in the code at which a test can kill or pause the process. */
export interface Failpoints {
	/** Reports that the code has reached the point. The caller must await the result. */
	reach(name: string): Promise<void> | void;
}

export interface FailpointEffects {
	kill(): void;
	write(text: string): void;
}

type Action = "kill" | "pause";

interface Armed {
	readonly action: Action;
	hitsLeft: number;
}

/** Failpoints without an armed point. */
export const noFailpoints: Failpoints = { reach: () => undefined };

const processEffects: FailpointEffects = {
	kill: () => process.kill(process.pid, "SIGKILL"),
	write: (text) => process.stderr.write(text),
};

/**
 * Returns failpoints with the armed points in `spec`. For example, `journal.committed=kill@3` kills the process with
 * SIGKILL at the third hit of `journal.committed`. `outbox.sent=pause@1` writes `failpoint outbox.sent` to stderr at
 * the first hit of `outbox.sent`, and the code never continues. A comma separates the points. The empty string arms no
 * point. Throws `invalid_argument` if `spec` has another form or arms a point twice.
 */
export function parseFailpoints(spec: string, effects: FailpointEffects = processEffects): Failpoints {
	const armed = new Map<string, Armed>();
	for (const entry of spec === "" ? [] : spec.split(",")) {
		const [name, failpoint] = parseEntry(entry.trim());
		if (armed.has(name)) {
			throw new ParleyError(`failpoint "${name}" is armed twice: remove one of the two`, {
				code: "invalid_argument",
			});
		}
		armed.set(name, failpoint);
	}
	return {
		reach(name) {
			const failpoint = armed.get(name);
			if (failpoint === undefined || --failpoint.hitsLeft !== 0) return;
			if (failpoint.action === "kill") effects.kill();
			else effects.write(`failpoint ${name}\n`);
			return new Promise(() => undefined);
		},
	};
}

function parseEntry(entry: string): [string, Armed] {
	const match = /^([\w.:-]+)=(kill|pause)@([1-9]\d{0,8})$/.exec(entry);
	const [, name, action, hits] = match ?? [];
	if (name === undefined) {
		throw new ParleyError(`invalid failpoint "${entry}": use NAME=kill@N or NAME=pause@N, with N from 1`, {
			code: "invalid_argument",
		});
	}
	return [name, { action: action === "kill" ? "kill" : "pause", hitsLeft: Number(hits) }];
}
