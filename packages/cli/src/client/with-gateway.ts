import type { Client } from "@parley/protocol";
import type { Io } from "../command-line/io.ts";
import { type AddressFlags, findGateway } from "./gateway-address.ts";

/** Connects to the gateway, calls `work`, and closes the connection. */
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
