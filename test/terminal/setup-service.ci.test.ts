import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Managers } from "../service/managers.ts";
import { Screen } from "./screen.ts";

const down = "\u001b[B";

function setUp(
	managers: Managers,
	variables: Readonly<Record<string, string>> = {},
	...flags: readonly string[]
): Screen {
	const env = { ...managers.environment, NO_COLOR: "1", ...variables };
	return new Screen({ args: ["setup", ...flags], cwd: managers.work, env });
}

async function reachService(screen: Screen): Promise<void> {
	await screen.shows("Which model should answer?");
	screen.type(`${down.repeat(7)}\r`);
	await screen.shows("Directory of your project");
	screen.type("\r");
	await screen.shows("Where should commands");
	screen.type("\r");
	await screen.shows("Set up Discord now?");
	screen.type("\r");
	await screen.shows("Set up Slack now?");
	screen.type("\r");
	await screen.shows("Start the gateway at boot");
}

test("the wizard can be stopped and killed at the service step, and then replaces the running gateway by the service", async () => {
	await using managers = await Managers.open();
	await managers.succeeds(["setup", "--yes", "--provider", "offline"]);
	const first = setUp(managers);
	await reachService(first);
	first.type("\u0003");
	expect(await first.ended()).toBe(130);
	expect(first.text).toContain("Stopped at the step “Service”");
	// Starts a gateway in the background, as the command `parley` does.
	const chat = new Screen({ args: [], cwd: managers.work, env: managers.environment });
	await chat.shows("session sess_");
	chat.type("\u0004");
	await chat.ended();
	const before = await managers.json(["status"]);

	const second = setUp(managers);
	await second.shows("Complete: Model");
	await second.shows("Start the gateway at boot");
	second.type(`${down}\r`);
	await second.shows("which the service replaces");
	// Kills the wizard while the wizard stops the gateway.
	second.close();

	const third = setUp(managers);
	third.resize(40, 24);
	await third.shows("Complete: Model");
	await third.shows("Start the gateway at boot");
	third.type(`${down}\r`);
	expect(await third.ended()).toBe(0);
	expect(third.received).toContain("\r\n  Directory and permissions\r\n    agents may work in");
	expect(third.received).toContain("\r\n  Service\r\n    installed; works in");
	expect(third.received).not.toContain("parley service install");
	expect(third.received).not.toContain("still has the earlier settings");
	expect(await managers.json(["service", "status"])).toMatchObject({ state: "running" });
	expect((await managers.json(["status"]))["pid"]).not.toBe(before["pid"]);
	expect(readFileSync(managers.unit, "utf8")).toContain("gateway");
});

test("without a service manager, the wizard prints the reason and continues, and a script fails", async () => {
	await using managers = await Managers.open();
	const programs = join(managers.root, "no-systemd");
	mkdirSync(programs);
	writeFileSync(join(programs, "systemctl"), "#!/bin/sh\necho offline\nexit 1\n", { mode: 0o755 });
	const variables = { PATH: `${programs}:${process.env["PATH"]}` };
	const screen = setUp(managers, variables, "--only", "service");
	await screen.shows("Start the gateway at boot");
	screen.type(`${down}\r`);
	expect(await screen.ended()).toBe(0);
	const shown = screen.received.replaceAll(/\s+/g, " ");
	expect(shown).toContain("systemd is not running on this machine");
	expect(shown).toContain("Install it later with: parley service install");
	expect(shown).toMatch(/Service not installed/);
	expect(shown).not.toContain("To start the gateway at boot");
	const script = await managers.run(["setup", "--yes", "--only", "service", "--service"], variables);
	expect(script).toMatchObject({ code: 1, error: expect.stringContaining("systemd is not running") });
	const skipped = await managers.run(["setup", "--yes", "--only", "service"], variables);
	expect(skipped).toMatchObject({ code: 0, out: expect.stringMatching(/Service +skipped/) });
});

test("a script installs the service, and its sessions work in the project", async () => {
	await using managers = await Managers.open();
	const flags = ["--provider", "offline", "--project", managers.work, "--service"];
	const out = await managers.succeeds(["setup", "--yes", ...flags]);
	expect(out).toContain(`works in ${realpathSync(managers.work)}`);
	expect(await managers.json(["service", "status"])).toMatchObject({ state: "running" });
	const repeated = await managers.succeeds(["setup", "--yes", "--only", "service", "--service"]);
	expect(repeated).toContain("installed; works in");
	expect(repeated).not.toContain("already installed");
	// A service with another name uses the same data, so the gateway of that service must remain.
	const other = join(managers.unit, "../second.service");
	renameSync(managers.unit, other);
	const second = await managers.succeeds(["setup", "--yes", "--only", "service", "--service"]);
	expect(second.replaceAll(/\s+/g, " ")).toContain(`already installed: ${other.replaceAll(/\s+/g, " ")}`);
	expect(existsSync(managers.unit)).toBe(false);
	expect((await managers.run(["status"])).code).toBe(0);
	renameSync(other, managers.unit);
});
