import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline, type Readable } from "node:stream";
import { findProgram } from "../packages/packed.ts";

const server = "/usr/sbin/sshd";
const isRoot = process.getuid?.() === 0;

export function hasSshServer(): boolean {
	try {
		accessSync(server, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/**
 * An OpenSSH server with its own host key, port and client key, and a program `ssh` whose only host is this server,
 * named `THE-MACHINE`. Logins receive the environment variables of `start`.
 */
export class SshServer implements AsyncDisposable {
	/** Directory that contains the program `ssh`. */
	readonly programs: string;
	readonly #child: ChildProcessByStdio<null, null, Readable>;
	/** Relay for clients, which are in another network namespace. */
	readonly #relay: Server;
	/** Lines of the server's log so far. */
	readonly log: string[] = [];

	private constructor(directory: string, port: number) {
		this.programs = join(directory, "programs");
		this.#relay = createServer((client) => {
			const server = connect(port, "127.0.0.1");
			for (const socket of [client, server]) socket.on("error", () => socket.destroy());
			pipeline(client, server, client, () => undefined);
		}).listen(join(directory, "relay"));
		const [program = "", ...args] = [...(isRoot ? apart(directory) : []), server, "-D", "-e"];
		this.#child = spawn(program, [...args, "-f", join(directory, "sshd_config")], {
			stdio: ["ignore", "ignore", "pipe"],
		});
	}

	static async start(
		directory: string,
		port: number,
		variables: Readonly<Record<string, string>>,
	): Promise<SshServer> {
		mkdirSync(join(directory, "programs"), { mode: 0o700 });
		for (const name of ["host", "client"])
			execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(directory, name)]);
		writeFileSync(join(directory, "sshd_config"), serverSettings(directory, port, variables));
		const [kind, key] = readFileSync(join(directory, "host.pub"), "utf8").split(" ");
		writeFileSync(join(directory, "known"), `the-machine ${kind} ${key}\n`);
		writeFileSync(join(directory, "ssh_config"), clientSettings(directory));
		const script = `#!/bin/sh\nexec '${findProgram("ssh")}' -F '${join(directory, "ssh_config")}' "$@"\n`;
		writeFileSync(join(directory, "programs/ssh"), script, { mode: 0o755 });
		const started = new SshServer(directory, port);
		await started.#listens();
		return started;
	}

	async #listens(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		createInterface(this.#child.stderr).on("line", (line) => {
			this.log.push(line);
			if (line.startsWith("Server listening on ")) resolve();
		});
		this.#child.on("close", () => reject(new Error(`sshd ended: ${this.log.join("\n")}`)));
		await promise;
	}

	/** Returns a PATH whose `ssh` connects to this server. */
	get path(): string {
		return [this.programs, process.env["PATH"]].join(delimiter);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const ended = once(this.#child, "exit");
		this.#child.kill("SIGTERM");
		await ended;
		// A login that has not ended keeps the other end of this pipe open.
		this.#child.stderr.destroy();
		this.#relay.close();
	}
}

/**
 * Returns a command that gives a server its own directories. A server that runs as root requires `/run/sshd` and
 * records logins. It accepts no keys for a locked account.
 */
function apart(directory: string): string[] {
	const shadow = join(directory, "shadow");
	writeFileSync(shadow, `${userInfo().username}:*:20000:0:99999:7:::\n`, { mode: 0o600 });
	const places = ["--dev-bind", "/", "/", "--tmpfs", "/run", "--dir", "/run/sshd", "--tmpfs", "/var/log"];
	return [
		"bwrap",
		...places,
		"--ro-bind",
		shadow,
		"/etc/shadow",
		"--cap-add",
		"ALL",
		"--die-with-parent",
		"--",
	];
}

function serverSettings(
	directory: string,
	port: number,
	variables: Readonly<Record<string, string>>,
): string {
	return [
		`ListenAddress 127.0.0.1:${port}`,
		`HostKey ${directory}/host`,
		`AuthorizedKeysFile ${directory}/client.pub`,
		// The key is in the system's temporary directory, to which all users can write.
		"StrictModes no",
		"PermitRootLogin prohibit-password",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"UsePAM no",
		"PidFile none",
		"PrintMotd no",
		// The account may have a file that runs at each login.
		"PermitUserRC no",
		"PrintLastLog no",
		`SetEnv ${Object.entries(variables)
			.map(([name, value]) => `"${name}=${value}"`)
			.join(" ")}`,
		"",
	].join("\n");
}

/** Program for `ProxyCommand` that connects stdin and stdout to a socket. */
const throughRelay =
	'const s = require("net").connect(process.argv[1]); process.stdin.pipe(s); s.pipe(process.stdout)';

function clientSettings(directory: string): string {
	return [
		"Host THE-MACHINE",
		`ProxyCommand '${process.execPath}' -e '${throughRelay}' '${directory}/relay'`,
		`User ${userInfo().username}`,
		`IdentityFile ${directory}/client`,
		"IdentitiesOnly yes",
		`UserKnownHostsFile ${directory}/known`,
		"StrictHostKeyChecking yes",
		"ExitOnForwardFailure yes",
		"",
	].join("\n");
}
