import type { Mount } from "../system-layout.ts";

/** What makes a command, inside its sandbox, reach the proxy. */
export interface EgressWrapping {
	/** Come after the mounts for /dev. */
	readonly mounts: readonly Mount[];
	/** Stands before the command and its arguments, and becomes it. */
	readonly argv: readonly string[];
	readonly environment: Readonly<Record<string, string>>;
}

/** Neither a part of the system nor a root of a session lies here. */
const PLACE = "/dev/parley";
const SOCKET = `${PLACE}/egress.sock`;
const NODE = `${PLACE}/node`;
/** Free in a network namespace that has just been made. */
const PORT = 3128;

/**
 * What programs can connect to, and the socket behind it. That it listens is told by a word and by the end of the
 * output, which whoever waits for the word reads to; descriptors 1 and 2 go to nobody then.
 */
const FORWARDER = `
const { closeSync, openSync, writeSync } = require("node:fs");
const { connect, createServer } = require("node:net");
const { pipeline } = require("node:stream");
const settled = () => {};
const server = createServer({ allowHalfOpen: true }, (client) => {
	const proxy = connect({ path: "${SOCKET}", allowHalfOpen: true });
	pipeline(client, proxy, settled);
	pipeline(proxy, client, settled);
});
server.listen({ host: "127.0.0.1", port: ${PORT}, backlog: 511 }, () => {
	writeSync(1, "ready");
	for (const descriptor of [1, 2]) {
		closeSync(descriptor);
		openSync("/dev/null", "w");
	}
});
`;

/** Its environment is empty: what the command is given is not meant for it. It ends with the namespace of processes. */
const PRELUDE = `
said=$(/usr/bin/env -i "$1" -e "$2" 2>&1 &)
if [ "$said" != ready ]; then
	echo "the way to the egress proxy could not be opened, nothing was run: $said" >&2
	exit 125
fi
shift 2
exec "$@"
`;

const PROXY = `http://127.0.0.1:${PORT}`;
const OWN = "localhost,127.0.0.1,::1";

/** As curl, git, npm, pip, cargo, go and Node itself read them. Plain http goes there, too: it is told why not. */
const environment = {
	...{ HTTPS_PROXY: PROXY, https_proxy: PROXY, HTTP_PROXY: PROXY, http_proxy: PROXY },
	...{ ALL_PROXY: PROXY, all_proxy: PROXY, NO_PROXY: OWN, no_proxy: OWN },
	...{ npm_config_proxy: PROXY, npm_config_https_proxy: PROXY, NODE_USE_ENV_PROXY: "1" },
	// A repository may name another proxy, which nobody reaches from inside.
	...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.proxy", GIT_CONFIG_VALUE_0: PROXY },
};

/** How a command is started so that it reaches the proxy that listens at `socketPath`, and nothing else. */
export function egressWrapping(socketPath: string): EgressWrapping {
	return {
		mounts: [
			["--ro-bind", process.execPath, NODE],
			["--ro-bind", socketPath, SOCKET],
		],
		argv: ["/bin/sh", "-c", PRELUDE, "parley", NODE, FORWARDER],
		environment,
	};
}
