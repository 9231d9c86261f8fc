import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { afterAll, expect, test } from "vitest";
import { documented } from "../docs/shell-blocks.ts";
import { binary } from "../gateway-process.ts";
import { Screen } from "./screen.ts";

const bin = fileURLToPath(new URL("../../bin", import.meta.url));
const root = realpathSync(mkdtempSync("/tmp/parley-project-"));
const home = join(root, "home");
const shop = join(home, "shop");
const data = join(home, ".local/share/parley");
mkdirSync(join(shop, "src"), { recursive: true });
mkdirSync(join(home, "other"));

const env = { PATH: process.env["PATH"] ?? "", HOME: home, PARLEY_SANDBOX: "off", NO_COLOR: "1" };
const screens: Screen[] = [];

function parley(cwd: string, ...args: readonly string[]): Screen {
	const screen = new Screen({ args, cwd, env });
	screens.push(screen);
	return screen;
}

function piped(cwd: string, ...args: readonly string[]) {
	return spawnSync(process.execPath, [binary, ...args], { cwd, env, encoding: "utf8", input: "" });
}

afterAll(() => {
	for (const screen of screens) screen.close();
	piped(home, "stop");
	rmSync(root, { recursive: true, force: true });
});

test("without a terminal, parley prints the help and asks nothing", () => {
	const { status, stdout } = piped(shop);
	expect(status).toBe(0);
	expect(stdout).toContain("Usage: parley");
	expect(() => statSync(data)).toThrow("ENOENT");
});

test("Ctrl-C at the question stores no answer and starts nothing", async () => {
	const first = parley(shop);
	await first.shows("Yes, work here");
	first.type("\u0003");
	expect(await first.ended()).toBe(130);
	expect(piped(shop, "projects", "--json").stdout).toContain('"projects": []');
	expect(piped(shop, "status").status).not.toBe(0);
});

test("the answer `yes` is stored, starts a gateway in the background and opens a chat in the directory", async () => {
	const block = documented("projects: cd ~/projects/shop", [["~/projects/shop", shop]]);
	const PATH = [bin, dirname(process.execPath), env.PATH].join(delimiter);
	const chat = new Screen({ program: "sh", args: ["-euc", block], cwd: home, env: { ...env, PATH } });
	screens.push(chat);
	await chat.shows("Yes, work here");
	expect(chat.text.replaceAll(/[\s│]+/g, " ")).toContain(`May agents work in ${shop}?`);
	chat.type("\r");
	await chat.rests("session sess_");
	expect(chat.text).toContain("The gateway runs in the background");
	await chat.enter("run: pwd");
	await chat.shows("y yes");
	chat.type("y\r");
	await chat.rests(`${shop}\n`);
	chat.type("\u0004");
	expect(await chat.ended()).toBe(0);
	const { projects } = parseJson(piped(shop, "projects", "--json").stdout) as { projects: object[] };
	expect(projects).toEqual([{ directory: shop, allowed: true, since: expect.any(String) }]);
	expect(statSync(join(data, "projects.json")).mode & 0o777).toBe(0o600);
	expect(statSync(join(data, "run/gateway.log")).mode & 0o777).toBe(0o600);
});

test("the gateway survives the terminal, and the next chat there asks nothing", async () => {
	expect(piped(shop, "status").status).toBe(0);
	const below = parley(join(shop, "src"));
	await below.rests("session sess_");
	expect(below.text).not.toContain("May agents");
	expect(below.text).not.toContain("in the background");
	below.type("\u0004");
	expect(await below.ended()).toBe(0);
	expect(piped(shop, "audit", "--since", "1h", "--json").stdout).toContain('"project.allow"');
});

test("the answer `no` is stored, the question is not asked again, and a command allows the directory", async () => {
	const other = join(home, "other");
	const first = parley(other);
	await first.shows("No, not in this directory");
	first.type("\u001b[B\r");
	expect(await first.ended()).toBe(1);
	const second = parley(other);
	expect(await second.ended()).toBe(1);
	expect(second.text.replaceAll(/\s+/g, " ")).toContain(
		`Agents may not work in ${other}. To allow it: parley projects allow`,
	);
	expect(piped(other, "projects", "allow").stdout).toBe(`allowed ${other}\n`);
	const third = parley(other);
	await third.rests("session sess_");
	third.type("\u0004");
	await third.ended();
	expect(piped(other, "projects").stdout).toMatch(/other +allowed/);
	expect(piped(other, "projects", "forget").stdout).toBe(`forgot ${other}\n`);
});

test("the home directory needs a typed yes, and the data directory is refused", async () => {
	const broad = parley(home);
	await broad.shows("Type yes to work here");
	expect(broad.text.replaceAll(/[\s│]+/g, " ")).toContain("is your home directory");
	broad.type("y\r");
	await broad.shows("type yes or no");
	broad.type("\u007fno\r");
	expect(await broad.ended()).toBe(1);
	expect(piped(home, "projects", "allow").stderr).toContain("Cannot ask for confirmation without a terminal");
	const own = parley(data);
	expect(await own.ended()).toBe(2);
	expect(own.text.replaceAll(/\s+/g, " ")).toContain("because it is in the data directory");
});

test("a gateway with other roots uses a directory that is allowed while it runs", async () => {
	expect(piped(home, "stop").status).toBe(0);
	const log = readFileSync(join(data, "run/gateway.log"), "utf8");
	expect(log.match(/"msg":"stopped"/g), log).toHaveLength(1);
	expect(piped(home, "config", "set", "root", shop).status).toBe(0);
	const chat = parley(shop);
	await chat.rests("session sess_");
	chat.type("\u0004");
	await chat.ended();
	const other = join(home, "other");
	expect(piped(other, "ask", "run: pwd", "-y").stderr).toContain("is outside the roots");
	expect(piped(other, "projects", "allow").status).toBe(0);
	const answer = piped(other, "ask", "run: pwd", "-y");
	expect(answer.stderr).not.toContain("outside the roots");
	expect(answer.stdout).toContain(other);
});

test("a gateway that cannot start is reported with the end of its log", async () => {
	piped(home, "stop");
	const listener = createServer().listen(0, "127.0.0.1");
	await once(listener, "listening");
	const { port } = Object(listener.address()) as { port: number };
	const failed = new Screen({ args: [], cwd: shop, env: { ...env, PARLEY_LISTEN: `127.0.0.1:${port}` } });
	screens.push(failed);
	expect(await failed.ended()).toBe(1);
	listener.close();
	expect(failed.text.replaceAll(/\s+/g, " ")).toMatch(
		/the gateway did not start\. Correct the problem in the last lines of .*gateway\.log/,
	);
	expect(failed.text).toContain(String(port));
});

test("the root / needs a typed yes at a terminal, and only logs a warning without one", async () => {
	const wide = join(root, "wide");
	const words = ["start", "--root", "/", "--data", wide, "--listen", "127.0.0.1:0"];
	const refused = parley(shop, ...words);
	await refused.shows("Type yes to start anyway");
	refused.type("y\r");
	await refused.shows("type yes or no");
	refused.type("\u007fno\r");
	expect(await refused.ended()).toBe(1);
	expect(refused.text.replaceAll(/\s+/g, " ")).toContain("The gateway was not started.");
	const interrupted = parley(shop, ...words);
	await interrupted.shows("Type yes to start anyway");
	interrupted.type("\u0003");
	expect(await interrupted.ended()).toBe(130);
	expect(existsSync(wide)).toBe(false);
	const confirmed = parley(shop, ...words);
	await confirmed.shows("Type yes to start anyway");
	confirmed.type("yes\r");
	await stops(confirmed);
	const script = `exec "$0" "$@" </dev/null`;
	const args = ["-c", script, process.execPath, binary, ...words];
	const unasked = new Screen({ program: "sh", args, cwd: shop, env });
	screens.push(unasked);
	await unasked.shows("lets tools read every file");
	await stops(unasked);
	expect(piped(shop, "projects", "allow", "/", "--yes", "--data", wide).status).toBe(0);
	const allowed = parley(shop, ...words);
	await stops(allowed);
	for (const { received } of [unasked, allowed]) expect(received).not.toContain("Type yes");
});

async function stops(gateway: Screen): Promise<void> {
	await gateway.shows("Press Ctrl-C to stop");
	gateway.type("\u0003");
	expect(await gateway.ended()).toBe(0);
}
