import type { Sandbox } from "../sandbox.ts";

/** A directory of a session's own. */
export interface Workspace {
	readonly path: string;
	/** Bytes that it may hold. */
	readonly quota: number;
	/** How many still fit. */
	room(): Promise<number>;
}

/**
 * Where no file that a command writes is larger than what fits into the workspace; many files can still be, and a result
 * says it when they were.
 */
export function withinQuota(sandbox: Sandbox, workspace: Workspace): Sandbox {
	const { network, egress } = sandbox;
	const bounded: Sandbox = {
		...sandbox,
		network: network && network !== sandbox ? withinQuota(network, workspace) : undefined,
		...(egress && { egress: withinQuota(egress, workspace) }),
		async run(command) {
			if (command.power === "read") return sandbox.run(command);
			const outcome = await sandbox.run({ ...command, maxFileBytes: await workspace.room() });
			if ((await workspace.room()) > 0) return outcome;
			const { quota } = workspace;
			const note = `\n[the workspace is full: it may hold ${quota} bytes; nothing more is written or run in it; the operator can give it more]\n`;
			return { ...outcome, output: `${outcome.output}${note}` };
		},
	};
	return network === sandbox ? { ...bounded, network: bounded } : bounded;
}
