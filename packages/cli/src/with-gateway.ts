import type { Client } from "@parley/protocol";
import { type AddressFlags, findGateway } from "./gateway-address.ts";
import type { Io } from "./io.ts";
import { createStyles, type Look, wantsColours } from "./text/styles.ts";

/** Does something with a connection to the gateway, and closes it. */
export async function withGateway<T>(
	flags: AddressFlags,
	io: Io,
	work: (client: Client) => Promise<T>,
): Promise<T> {
	const { connect } = await import("./connect.ts");
	const client = connect(await findGateway(flags, io));
	try {
		return await work(client);
	} finally {
		await client.close();
	}
}

const usualColumns = 80;

/** How rows on stdout look: a file gets all of them. */
export function outputLook({ stdout, environment }: Io): Look {
	// A terminal that does not know its size reports 0 columns.
	const columns = stdout.isTTY ? stdout.columns || usualColumns : Number.POSITIVE_INFINITY;
	return { columns, styles: createStyles(wantsColours(stdout, environment)) };
}

export function printRows(rows: readonly string[], { stdout }: Io): void {
	stdout.write(rows.map((row) => `${row}\n`).join(""));
}

export function printJson(value: unknown, { stdout }: Io): void {
	stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}
