import { isLoopback } from "../../gateway-address.ts";
import { showListener } from "../distribution.ts";
import { type Check, type Found, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

const tlsOrProxy =
	"give it a certificate (--tls-cert, --tls-key), or a proxy that has one (--trusted-proxy, --public-url)";

/** Who can reach the gateway, and how they have to prove who they are. */
export const bind: Check = {
	id: "bind",
	async look(system) {
		const { health, config, gateway } = system;
		if (gateway && health) return judge(reachOf(health));
		if (config instanceof Error) return ok("not known as long as the configuration is not valid");
		const { listen, auth, insecureLan = false, tls } = config;
		const taken = gateway ? undefined : await findTaken(system, listen);
		if (taken) return taken;
		const urls = listen.map(({ host, port }) => `${tls ? "https" : "http"}://${bracketed(host)}:${port}`);
		return judge({ urls, auth, insecureLan });
	},
};

interface Reach {
	readonly urls: readonly string[];
	readonly auth: string;
	readonly insecureLan: boolean;
}

function reachOf({
	listeners = [],
	auth = "local",
	insecure_lan = false,
}: NonNullable<System["health"]>): Reach {
	return { urls: listeners.map(({ url }) => url), auth, insecureLan: insecure_lan };
}

function judge({ urls, auth, insecureLan }: Reach): Found {
	const places = urls.join(", ");
	const beyond = urls.filter((url) => !isLoopback(url));
	if (auth === "none") {
		return warn(
			`${places}: every user of this machine is let in without a token`,
			"leave --auth none away, or set auth to local",
		);
	}
	if (insecureLan && beyond.length > 0) {
		return warn(
			`${beyond.join(", ")}: what is said there, and the token, can be read on its way`,
			tlsOrProxy,
		);
	}
	return ok(beyond.length === 0 ? `${places}: this machine alone` : `${places}: with a token`);
}

/** A port that another program has keeps the gateway from starting. */
async function findTaken(
	{ answers, distribution }: System,
	listen: readonly { readonly host: string; readonly port: number }[],
): Promise<Found | undefined> {
	for (const { host, port } of listen) {
		if (port === 0 || !(await answers(host, port))) continue;
		const what = `another program listens at ${bracketed(host)}:${port}`;
		return fail(what, `${showListener(distribution, port)} shows which; --listen chooses another port`);
	}
	return undefined;
}

function bracketed(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
}
