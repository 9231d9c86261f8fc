import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import dockerignore from "@balena/dockerignore";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { install } from "../../scripts/install.mjs";
import { documented } from "../docs/shell-blocks.ts";
import { FreshRoot, type Stage, stagesOf, wordsOf } from "./image-steps.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stages = stagesOf(readFileSync(join(root, "Dockerfile"), "utf8"));
const service = parse(readFileSync(join(root, "compose.yaml"), "utf8")).services.parley;
/** Variables that Compose sets. A variable without a value is passed through. */
const environment = Object.fromEntries(
	Object.entries(service.environment).filter(([, value]) => value !== null),
);
const last = stages.at(-1);
const roots = new Map<string, FreshRoot>();

beforeAll(() => install());
afterAll(() => {
	for (const one of roots.values()) one[Symbol.dispose]();
});

function sent(files: readonly string[]): string[] {
	return dockerignore
		.default()
		.add(readFileSync(join(root, ".dockerignore"), "utf8"))
		.filter([...files]);
}

function contextFiles(): string[] {
	const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
		cwd: root,
	});
	const files = listed.toString().split("\0");
	return sent(files.filter((file) => file !== "" && existsSync(join(root, file))));
}

function copyContext(target: string): void {
	for (const file of contextFiles()) {
		mkdirSync(dirname(join(target, file)), { recursive: true });
		cpSync(join(root, file), join(target, file), { verbatimSymlinks: true });
	}
}

/** Returns options that mount the installed packages, so that they are not downloaded again. */
function installedPackages(): string[] {
	const folders = [".", "test", ...readdirSync(join(root, "packages")).map((name) => `packages/${name}`)];
	return folders
		.map((folder) => join(folder, "node_modules"))
		.filter((folder) => existsSync(join(root, folder)))
		.flatMap((folder) => ["--ro-bind", join(root, folder), join("/source", folder)]);
}

function instruction(keyword: string) {
	const match = last?.instructions.findLast((one) => one.getKeyword() === keyword);
	if (!match) throw new Error(`the last stage has no ${keyword}`);
	return match;
}

test("the build context has no installed packages, no repository and no tests", () => {
	const files = contextFiles();
	expect(files).toEqual(expect.arrayContaining(["package.json", "pnpm-lock.yaml", "test/package.json"]));
	expect(files.filter((file) => /node_modules|^\.git\/|^docs\/|^test\/(?!package.json)/.test(file))).toEqual(
		[],
	);
});

test("the build context excludes projects, backups and keys inside the clone", () => {
	const { volumes } = parse(readFileSync(join(root, "compose.yaml"), "utf8")).services.parley;
	expect(volumes).toContain(`\${PARLEY_PROJECT:-./work}:/work`);
	const page = readFileSync(join(root, "docs/container.md"), "utf8");
	expect(page).toContain("docker compose cp parley:/tmp/before-upgrade.tar.gz .");
	expect(sent(["work/notes.txt", "before-upgrade.tar.gz", ".env", "parley.config.json"])).toEqual([]);
});

test("the last stage runs as a user without rights and has the health check of the clone", () => {
	const order = last?.instructions.map((one) => one.getKeyword()) ?? [];
	expect(order.indexOf("USER")).toBeGreaterThan(order.lastIndexOf("RUN"));
	expect(instruction("USER").getArgumentsContent()).toBe("node");
	expect(wordsOf(instruction("HEALTHCHECK"))).toEqual(["node", "/opt/parley/container-health.mjs"]);
	expect(stages.map(({ base }) => base)).toEqual(stages.map(() => "node:24-bookworm-slim"));
});

test("the documented command has the options of the compose file", () => {
	const page = readFileSync(join(root, "docs/container.md"), "utf8").replaceAll("\\\n", " ");
	const [, line = ""] = /^docker run (.*)$/m.exec(page) ?? [];
	const optionValue = (option: string) =>
		[...line.matchAll(new RegExp(`${option} (\\S+)`, "g"))].map(([, value]) => value);
	expect(optionValue("--security-opt")).toEqual(service.security_opt);
	expect(optionValue("--cap-drop")).toEqual(service.cap_drop);
	expect(optionValue("--publish")).toEqual(service.ports);
	expect(optionValue("--env")).toEqual(
		Object.entries(environment).map(([name, value]) => `${name}=${value}`),
	);
	expect(optionValue("--stop-timeout").map((value) => `${value}s`)).toEqual([service.stop_grace_period]);
	const targets = (volumes: readonly unknown[]) => volumes.map((volume) => String(volume).split(":").at(-1));
	expect(targets(optionValue("--volume"))).toEqual(targets(service.volumes));
	expect(service.init).toBe(true);
	expect(line.split(/\s+/).at(-1)).toBe(service.image);
	const passed = Object.keys(service.environment).filter((name) => !(name in environment));
	expect(passed.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("the steps of the image run in a fresh root without a builder; the image itself is not built", async () => {
	for (const stage of stages) await playStage(stage);
	const image = roots.get(last?.name ?? "");
	if (!image) throw new Error("the Dockerfile has no stage");
	const installed = readFileSync(join(image.directory, FreshRoot.notes), "utf8");
	expect(installed.split("\n")[1]).toMatch(/^install --yes .* bubblewrap ca-certificates git$/);
	Object.assign(image.environment, environment);
	const printed = await image.run(["sh", "-uc", life()], { network: false });
	const log = readFileSync(join(image.directory, "tmp/log"), "utf8");
	const lines = printed.split("\n").filter((line) => line !== "");
	expect(lines, log).toEqual([
		"not healthy before the start: 1",
		expect.stringMatching(/^parley listening on http:\/\/0\.0\.0\.0:7777/),
		"healthy: 0",
		"without a token: 401",
		"user: 1000",
		"hi",
		"sandbox: 0",
		"chat: 0",
		"chat with the token: 0",
		"backup: 0",
		"stopped: 0",
		"not healthy after the stop: 1",
	]);
});

async function playStage(stage: Stage): Promise<void> {
	const one = await FreshRoot.create(copyContext, stage.name === "build" ? installedPackages() : []);
	roots.set(stage.name, one);
	for (const step of stage.instructions) await one.play(step, roots);
}

const up = "container: PARLEY_PROJECT=~/projects/shop docker compose up --build --detach";
const token = 'container: export PARLEY_TOKEN="$(docker compose exec parley parley token)"';
const backup = "container: docker compose exec parley parley backup /tmp/before-upgrade.tar.gz";

function inside(block: string): string {
	const [, command] = /docker compose exec parley (parley [^\n")]+)/.exec(documented(block)) ?? [];
	if (command === undefined) throw new Error(`the block "${block}" runs no command in the container`);
	return command;
}

const tokenless =
	'fetch("http://127.0.0.1:7777/api/health?verbose").then(({ status }) => console.log("without a token:", status))';

/** Returns a script that starts the program, checks its health, uses it and stops it, like a container runtime. */
function life(): string {
	const quoted = (words: readonly string[]) =>
		words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
	const health = quoted(wordsOf(instruction("HEALTHCHECK")));
	const [, chatOutside = ""] = documented(token).split("\n");
	const program = quoted([...wordsOf(instruction("ENTRYPOINT")), ...wordsOf(instruction("CMD"))]);
	return `
		mkfifo /tmp/lines
		${health}; echo "not healthy before the start: $?"
		${program} > /tmp/lines 2> /tmp/log &
		gateway=$!
		exec 3< /tmp/lines
		while read -r line <&3; do
			case $line in "parley listening on "*) echo "$line"; break;; esac
		done
		cat <&3 > /dev/null &
		${health}; echo "healthy: $?"
		node -e '${tokenless}'
		echo "user: $(id -u)"
		parley ask "run: echo hi" -y 2> /dev/null | sed -n '/^hi$/p'
		grep -q "commands run in a sandbox that passed its test" /tmp/log; echo "sandbox: $?"
		${inside(up)} < /dev/null > /dev/null 2>&1; echo "chat: $?"
		PARLEY_TOKEN=$(${inside(token)} 2> /dev/null); export PARLEY_TOKEN
		${chatOutside} < /dev/null > /dev/null 2>&1; echo "chat with the token: $?"
		${inside(backup)} > /dev/null 2>&1; echo "backup: $?"
		kill -TERM $gateway
		wait $gateway; echo "stopped: $?"
		${health}; echo "not healthy after the stop: $?"
	`;
}
