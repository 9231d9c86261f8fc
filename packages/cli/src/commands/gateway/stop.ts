import { Command } from "commander";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { stopHelp, stopMessages } from "../../texts/commands/gateway/stop.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

/** Creates `parley stop`, which stops the gateway of the data directory and waits until it ends. */
export function stopCommand(io: Io): Command {
	return new Command("stop")
		.description(stopHelp.description)
		.option("--data <dir>", sharedHelp.gatewayData)
		.action(async (flags: { readonly data?: string }) => {
			io.exitCode = await stop(await chosenDataDirectory(flags.data, io), io);
		});
}

async function stop(data: string, io: Io): Promise<number> {
	const { findRunningGateway } = await import("../../client/running-gateway.ts");
	const running = await findRunningGateway(data);
	if (!running) {
		io.stderr.write(`${stopMessages.noGateway({ data })}\n`);
		return 0;
	}
	if (io.stderr.isTTY) io.stderr.write(`${stopMessages.stopping({ pid: running.pid })}\n`);
	const { endGateway } = await import("../../client/end-gateway.ts");
	if (await endGateway(running.pid, data)) {
		io.stderr.write(`${stopMessages.stopped({ urls: running.urls.join(", ") })}\n`);
		return 0;
	}
	io.stderr.write(`${stopMessages.stillRunning({ pid: running.pid })}\n`);
	return 1;
}
