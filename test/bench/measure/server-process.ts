import { fork } from "node:child_process";
import { once } from "node:events";

export interface ServerProcess {
	readonly port: number;
	/** Returns the microseconds of CPU time (user and system, all threads) since the start. */
	cpu(): Promise<number>;
	/** Returns the resident bytes of the process after garbage collection. */
	memory(): Promise<number>;
	/** Sends an order to the server and returns the number in its answer. */
	ask(order: object): Promise<number>;
	stop(): Promise<void>;
}

/** Forks `servers/NAME.ts`. The server first sends its port, then handles requests and orders. */
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
