import { defined } from "@parley/base/defined";
import type { Command } from "commander";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { addressTexts } from "../texts/gateway/address.ts";

export interface AddressFlags {
	readonly url?: string;
	readonly data?: string;
}

export interface GatewayAddress {
	readonly url: string;
	readonly token: string | undefined;
	/** The only accepted certificate for an https address. If undefined, the default rules of Node.js apply. */
	readonly certificate?: string | undefined;
	/** Whether the gateway runs on this machine, according to its address. */
	readonly isLocal: boolean;
	/** Whether the operator named the address, or the address belongs to the gateway of the data directory. */
	readonly isKnown: boolean;
}

const defaultUrl = "http://127.0.0.1:7777";

/**
 * Finds the gateway like `locateGateway`. If `--data` or `PARLEY_DATA` is set, rejects instead of using the
 * default address, because the gateway there may use other data.
 */
export async function findGateway(flags: AddressFlags, io: Io): Promise<GatewayAddress> {
	const found = await locateGateway(flags, io);
	const named = flags.data ?? (io.environment["PARLEY_DATA"] || undefined);
	if (found.isKnown || named === undefined) return found;
	const [{ ParleyError }, { access }] = await Promise.all([
		import("@parley/base"),
		import("node:fs/promises"),
	]);
	const data = await chosenDataDirectory(flags.data, io);
	const exists = await access(data).then(
		() => true,
		() => false,
	);
	if (exists) {
		throw new ParleyError(addressTexts.noGateway({ data }), {
			code: "unavailable",
		});
	}
	const source = flags.data === undefined ? "PARLEY_DATA" : "--data";
	throw new ParleyError(addressTexts.noDataDirectory({ data, source }), {
		code: "invalid_argument",
	});
}

/**
 * Returns the address and the token of the gateway. Order of precedence of the address: `--url` or
 * `PARLEY_URL`, the gateway of the data directory, the default address. The token is `PARLEY_TOKEN`,
 * otherwise the operator token of the data directory. Only a known address of this machine receives the
 * operator token.
 */
export async function locateGateway(flags: AddressFlags, io: Io): Promise<GatewayAddress> {
	const { environment } = io;
	const data = await chosenDataDirectory(flags.data, io);
	const { readOperatorToken, readRuntimeFile } = await import("@parley/gateway/data");
	const named = flags.url ?? (environment["PARLEY_URL"] || undefined);
	const found = named === undefined ? await readRuntimeFile(data) : undefined;
	const url = named ?? found?.local ?? found?.urls[0];
	const isLocal = isLoopback(url ?? defaultUrl) || (found !== undefined && (await isOwnAddress(url)));
	const ownToken = async (): Promise<string | undefined> =>
		isLocal && url !== undefined ? await readOperatorToken(data) : undefined;
	const token = environment["PARLEY_TOKEN"] || (await ownToken());
	const { certificate } = found ?? {};
	return {
		url: url ?? defaultUrl,
		token,
		isLocal,
		isKnown: url !== undefined,
		...defined({ certificate }),
	};
}

/**
 * Returns a function that calls `find`. If `find` returns the default address, for example during a restart,
 * the function returns the last known address, or `first`. The default address could belong to another
 * gateway.
 */
export function findAgain(
	first: GatewayAddress,
	find: () => Promise<GatewayAddress>,
): () => Promise<GatewayAddress> {
	let last = first;
	return async () => {
		const found = await find();
		if (found.isKnown) last = found;
		return last;
	};
}

/** Whether `url` is an address of this machine. Data for such an address does not leave the machine. */
async function isOwnAddress(url = ""): Promise<boolean> {
	const { networkInterfaces } = await import("node:os");
	const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "");
	return Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === host));
}

/** Whether the host of the address is `localhost` or a loopback address. */
export function isLoopback(url: string): boolean {
	const host = URL.canParse(url) ? new URL(url).hostname : "";
	return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export function addAddressFlags(command: Command): Command {
	return command
		.option("--url <url>", addressTexts.urlOption)
		.option("--data <dir>", addressTexts.dataOption);
}
