import { Command } from "commander";
import { chosenDataDirectory } from "../data-directory.ts";
import type { Io } from "../io.ts";

/** `parley token`: prints what clients on other accounts or machines need. */
export function tokenCommand(io: Io): Command {
	return new Command("token")
		.description("print the operator's token, which is made when there is none")
		.option("--data <dir>", "the data directory (PARLEY_DATA)")
		.action(async (flags: { readonly data?: string }) => {
			const data = await chosenDataDirectory(flags.data, io);
			io.stdout.write(`${await loadToken(data)}\n`);
			if (!io.stdout.isTTY || !io.stderr.isTTY) return;
			io.stderr.write(
				"Whoever has it can do what you can. Clients send it as `Authorization: Bearer TOKEN`;\n" +
					"parley takes it from PARLEY_TOKEN.\n",
			);
		});
}

async function loadToken(data: string): Promise<string> {
	const [{ createIds }, { loadOrCreateOperatorToken, prepareDataDirectory }] = await Promise.all([
		import("@parley/base"),
		import("@parley/gateway"),
	]);
	await prepareDataDirectory(data);
	return loadOrCreateOperatorToken(data, createIds());
}
