import { fork } from "node:child_process";
import { once } from "node:events";

/** A server in a process of its own, started for a bench. */
export interface ServerProcess {
	readonly port: number;
	/** Microseconds of CPU (user and system, all threads) that the process has used so far. */
	cpu(): Promise<number>;
	/** Resident bytes of the process, without garbage. */
	memory(): Promise<number>;
	/** Sends an order and resolves with the number that answers it. */
	ask(order: object): Promise<number>;
	stop(): Promise<void>;
}

/** Starts `servers/NAME.ts`, which answers over the channel: its port first, then its CPU time whenever asked. */
export async function startServer(name: string, ...args: readonly string[]): Promise<ServerProcess> {
	const child = fork(new URL(`../servers/${name}.ts`, import.meta.url), args, {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const answer = async (): Promise<number> => {
		const [message] = await once(child, "message");
		return Number(message);
	};
	const ask = (order: string | object): Promise<number> => {
		const answered = answer();
		child.send(order);
		return answered;
	};
	const port = await answer();
	return {
		port,
		ask,
		cpu: () => ask("cpu"),
		memory: () => ask("memory"),
		async stop() {
			const exited = once(child, "exit");
			child.send("stop");
			await exited;
		},
	};
}
