import { fork } from "node:child_process";
import { once } from "node:events";

/** A server in a process of its own, started for a bench. */
export interface ServerProcess {
	readonly port: number;
	/** Microseconds of CPU (user and system, all threads) that the process has used so far. */
	cpu(): Promise<number>;
	stop(): Promise<void>;
}

/** Starts `servers/NAME.ts`, which answers over the channel: its port first, then its CPU time whenever asked. */
export async function startServer(name: string): Promise<ServerProcess> {
	const child = fork(new URL(`../servers/${name}.ts`, import.meta.url), {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const answer = async (): Promise<number> => {
		const [message] = await once(child, "message");
		return Number(message);
	};
	const port = await answer();
	return {
		port,
		async cpu() {
			const answered = answer();
			child.send("cpu");
			return answered;
		},
		async stop() {
			const exited = once(child, "exit");
			child.send("stop");
			await exited;
		},
	};
}
