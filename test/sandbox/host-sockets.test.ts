import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { createSandboxes } from "@parley/core";
import { hasBubblewrap, shellCommand } from "@parley/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const undo = new AsyncDisposableStack();
/** Paths of sockets in the root. One of the sockets is created through a link to its directory. */
const inRoot = ["one.sock", ".git/two.sock", "deep/named.sock", "data/in.sock"];
const listening = ["root/one.sock", "root/.git/two.sock", "link/named.sock", "root/data/in.sock"];
let temporary: string;
let root: string;

beforeAll(async () => {
	temporary = await realpath(await mkdtemp(join(tmpdir(), "parley-sock-")));
	undo.defer(() => rm(temporary, { recursive: true, force: true }));
	root = join(temporary, "root");
	for (const name of ["root/.git", "root/deep", "root/data", "elsewhere"]) {
		await mkdir(join(temporary, name), { recursive: true });
	}
	await symlink(join(root, "deep"), join(temporary, "link"));
	for (const path of [...listening, "elsewhere/x.sock"]) {
		const server = createServer((connection) => connection.end("reached")).listen(join(temporary, path));
		await once(server, "listening");
		undo.defer(() => new Promise<void>((resolve) => void server.close(() => resolve())));
	}
});
afterAll(() => undo.disposeAsync());

function sandboxOf(mode: "required" | "off", unixSockets = true, path?: string) {
	const common = { mode, unixSockets, clock: systemClock, ids: createIds(), log: silentLogger };
	const environment = { PATH: process.env["PATH"], HOME: "/nonexistent" };
	const hidden = [join(root, "data")];
	return createSandboxes({ ...common, environment, hidden, ...(path && { path }) }).of({
		chat: false,
		roots: [root],
	});
}

const hasPerl = spawnSync("perl", ["-MIO::Socket::UNIX", "-e", "1"]).status === 0;
const testInside = test.skipIf(!hasBubblewrap || !hasPerl);

/** Program that prints the text of each listener, or `no`. */
const program = 'for (@ARGV) { my $s = IO::Socket::UNIX->new(Peer => $_); print $s ? <$s> : "no", " " }';
const connecting = (paths: readonly string[]): string =>
	`perl -MIO::Socket::UNIX -e '${program}' ${paths.join(" ")}`;

testInside("an unconfined command reaches listeners in the roots and outside", async () => {
	const line = connecting([...inRoot, "../elsewhere/x.sock"]);
	const { output } = await (await sandboxOf("off")).run(shellCommand(line, root));
	expect(output.match(/reached|no/g)).toEqual(Array(5).fill("reached"));
});

testInside(
	"a sandboxed command reaches no outside listener by a file in the roots, with any settings",
	async () => {
		const where = await sandboxOf("required");
		for (const power of ["read", "work", "steer"] as const) {
			const { output } = await where.run(shellCommand(connecting(inRoot), root, { power }));
			expect(output.match(/reached|no/g), output).toEqual(Array(4).fill("no"));
		}
	},
);

testInside(
	"a sandboxed command reaches no listener in other directories or in system directories",
	async () => {
		const where = await sandboxOf("required");
		const beyond = await where.run(shellCommand(connecting(["x.sock"]), join(temporary, "elsewhere")));
		expect(beyond.output.trim()).toBe("no");
		const paths = [...inRoot.map((path) => join(root, path)), join(temporary, "elsewhere/x.sock")];
		const { output } = await where.run(shellCommand(connecting(paths), "/"));
		expect(output.match(/reached|no/g), output).toEqual(Array(5).fill("no"));
	},
);

testInside("a command runs although an outside socket is removed while its sandbox is built", async () => {
	const [service, on, bin] = [
		join(temporary, "elsewhere/service"),
		join(temporary, "on"),
		join(temporary, "bin"),
	];
	await mkdir(bin);
	// Removes the socket before bubblewrap starts, because the owner of a socket may remove it at any time.
	const line = `#!/bin/sh\n[ -e ${on} ] && rm -rf ${service}\nPATH=${process.env["PATH"]}\nexec bwrap "$@"\n`;
	await writeFile(join(bin, "bwrap"), line, { mode: 0o755 });
	const where = await sandboxOf("required", true, bin);
	await mkdir(service);
	await using server = createServer().listen(join(service, "agent.sock"));
	await once(server, "listening");
	await writeFile(on, "");
	expect(await where.run(shellCommand("echo ran", "/"))).toMatchObject({ output: "ran\n" });
});

testInside(
	"a socket inside the sandbox works if Unix sockets are allowed, and cannot be created otherwise",
	async () => {
		const own =
			'my $l = IO::Socket::UNIX->new(Local => "o", Listen => 1) or print "$!"; print "yes" if IO::Socket::UNIX->new(Peer => "o")';
		const line = `perl -MIO::Socket::UNIX -e '${own}'; rm -f o`;
		expect((await (await sandboxOf("required")).run(shellCommand(line, root))).output).toBe("yes");
		const { output } = await (await sandboxOf("required", false)).run(shellCommand(line, root));
		expect(output).toBe("Permission denied");
	},
);

/** Command that connects to a socket that is created outside of the sandbox. */
const connectingLater = `touch ready; until [ -S later.sock ]; do sleep 0.02; done; ${connecting(["later.sock"])}`;

testInside.each([
	["reaches", true, /^reached/],
	["does not reach", false, /^no/],
])(
	"a command %s a socket that is created in a root later, with Unix sockets %s",
	async (_, allowed, expectedText) => {
		await using server = await makeLater();
		const where = await sandboxOf("required", allowed);
		const running = where.run(shellCommand(connectingLater, root));
		await expect.poll(() => existsSync(join(root, "ready")), { timeout: paced(20_000) }).toBe(true);
		await server.listen();
		expect((await running).output).toMatch(expectedText);
	},
);

/** Command that sends to a socket that is bound outside of the sandbox. */
const sendingLater = `touch ready; until [ -S later.sock ]; do sleep 0.02; done
perl -MSocket -e 'socketpair(my $one, my $two, AF_UNIX, SOCK_DGRAM, 0) or print("$!"), exit;
print send($one, "reached", 0, pack_sockaddr_un("later.sock")) ? "sent" : "$!"'`;
const receiver = `socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die $!; bind($s, pack_sockaddr_un($ARGV[0])) or die $!;
defined recv($s, my $text, 99, 0) or die $!; print $text`;

testInside.each([
	["reaches", true, "sent", "reached"],
	["does not reach", false, "Permission denied", ""],
])(
	"a command %s a datagram socket through its own pair, with Unix sockets %s",
	async (_, allowed, expectedText, expected) => {
		const path = join(root, "later.sock");
		await rm(path, { force: true });
		await rm(join(root, "ready"), { force: true });
		const where = await sandboxOf("required", allowed);
		const running = where.run(shellCommand(sendingLater, root));
		await expect.poll(() => existsSync(join(root, "ready")), { timeout: paced(20_000) }).toBe(true);
		const listener = spawn("perl", ["-MSocket", "-e", receiver, path]);
		undo.defer(() => void listener.kill());
		let received = "";
		listener.stdout.on("data", (data) => {
			received += data;
		});
		const closed = once(listener, "close");
		expect((await running).output).toBe(expectedText);
		if (!allowed) listener.kill();
		await closed;
		expect(received).toBe(expected);
		await rm(path, { force: true });
		await rm(join(root, "ready"), { force: true });
	},
);

async function makeLater() {
	const server = createServer((connection) => connection.end("reached"));
	return {
		async listen() {
			server.listen(join(root, "later.sock"));
			await once(server, "listening");
		},
		async [Symbol.asyncDispose]() {
			await new Promise<void>((resolve) => void server.close(() => resolve()));
			await rm(join(root, "ready"), { force: true });
		},
	};
}
