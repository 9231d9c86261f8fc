import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { ToolSockets } from "./process-sockets.ts";

test.runIf(process.platform === "linux")(
	"other work of the gateway continues while many processes are read",
	async () => {
		// Together with these children, there are more processes than one batch contains.
		const children = Array.from({ length: 64 }, () => spawn("/bin/sleep", ["60"], { stdio: "ignore" }));
		await Promise.all(children.map((child) => once(child, "spawn")));
		try {
			const order: string[] = [];
			const found = new ToolSockets().find({ related: [], marker: undefined }, new Set());
			const other = new Promise<void>((resolve) => {
				setImmediate(() => resolve(void order.push("other work")));
			});
			await Promise.all([found.then(() => order.push("found")), other]);
			expect(order).toEqual(["other work", "found"]);
		} finally {
			const ended = children.map((child) => once(child, "exit"));
			for (const child of children) child.kill("SIGKILL");
			await Promise.all(ended);
		}
	},
);
