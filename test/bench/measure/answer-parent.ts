/** The server's side of `startServer`: tells the port, then answers `cpu` and `stop`. */
export function answerParent(port: number, stop: () => Promise<void>): void {
	process.on("message", (message) => {
		if (message === "cpu") {
			const { user, system } = process.cpuUsage();
			process.send?.(user + system);
		}
		if (message === "stop") void stop().then(() => process.disconnect());
	});
	process.send?.(port);
}
