import type { Mount } from "../system-layout.ts";

/** What makes a command, inside its sandbox, reach the proxy. */
export interface EgressWrapping {
	/** Come after the mounts for /dev. */
	readonly mounts: readonly Mount[];
	/**
	 * Words before the command and its arguments, which become the command. `channel` is a descriptor below 10 that leads
	 * to the gateway, as Node gives one to a child process; the command does not get it.
	 */
	argv(channel: number): readonly string[];
	readonly environment: Readonly<Record<string, string>>;
}

/** Neither a part of the system nor a root of a session lies here. */
const NODE = "/dev/parley/node";
/** Free in a network namespace that has just been made. */
const PORT = 3128;

/** Listens in the network of the sandbox, and hands the socket to the gateway, which accepts its connections. */
const LISTENER = `
const { writeSync } = require("node:fs");
const server = require("node:net").createServer();
server.listen({ host: "127.0.0.1", port: ${PORT}, backlog: 511 }, () => {
	process.send("listening", server, (error) => {
		writeSync(1, error ? error.message : "ready");
		process.disconnect();
		server.close();
	});
});
`;

/** The environment of the listener has nothing of the command's: it is not meant for it. */
const PRELUDE = `
said=$(/usr/bin/env -i NODE_CHANNEL_FD="$1" "$2" -e "$3" 2>&1)
if [ "$said" != ready ]; then
	echo "the way to the egress proxy could not be opened, nothing was run: $said" >&2
	exit 125
fi
eval "exec $1>&-"
shift 3
exec "$@"
`;

const PROXY = `http://127.0.0.1:${PORT}`;
const OWN = "localhost,127.0.0.1,::1";

/** As curl, git, npm, pip, cargo, go and Node itself read them. Plain http goes there, too: it is told why not. */
const environment = {
	...{ HTTPS_PROXY: PROXY, https_proxy: PROXY, HTTP_PROXY: PROXY, http_proxy: PROXY },
	...{ ALL_PROXY: PROXY, all_proxy: PROXY, NO_PROXY: OWN, no_proxy: OWN },
	...{ npm_config_proxy: PROXY, npm_config_https_proxy: PROXY, NODE_USE_ENV_PROXY: "1" },
	// A repository may name another proxy, which a command cannot reach.
	...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.proxy", GIT_CONFIG_VALUE_0: PROXY },
};

/** How a command is started so that it reaches the proxy, and nothing else. */
export const egressWrapping: EgressWrapping = {
	mounts: [["--ro-bind", process.execPath, NODE]],
	argv: (channel) => ["/bin/sh", "-c", PRELUDE, "parley", String(channel), NODE, LISTENER],
	environment,
};
