import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openSqliteStore, readMigrationNames, readSqliteFile } from "@parley/base";
import { migrations } from "@parley/core";
import { packageName } from "../../packages/cli/bin/package-name.mjs";
import { pack } from "../packages/packed.ts";
import { Managers } from "./managers.ts";

/** Libraries that are linked next to the installations, so npm needs no registry. */
const libraries = fileURLToPath(new URL("../../packages/cli/node_modules", import.meta.url));
const newest = migrations.at(-1)?.name ?? "";

const added = "9999-added";
const up = 'await db.schema.createTable("added").addColumn("id", "text").execute();';

/** Code that the test adds to the bundle of each version. */
const versions = {
	"1.0.0": {},
	"2.0.0": { migration: up },
	/** The migration fails after its first change. */
	"3.0.0": { migration: `${up} throw new Error("on purpose");` },
	/** The migration succeeds, but the gateway does not start. */
	"4.0.0": {
		migration: up,
		start: 'if (process.argv[2] === "gateway") { console.error("no start"); process.exit(1); }',
	},
} as const;

export type Version = keyof typeof versions;

/** Packed versions of the current sources, and an installation of version 1.0.0. */
export class Versions implements Disposable {
	readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-versions-")));
	readonly installed = join(this.directory, "installed");

	static async make(): Promise<Versions> {
		const machine = new Versions();
		const [tarball = ""] = await pack(process.execPath, machine.directory, "command");
		execFileSync("tar", ["-xzf", tarball, "-C", machine.directory]);
		for (const version of Object.keys(versions)) machine.#change(version as Version);
		const install = ["install", "--global", "--prefix", machine.installed, "--no-audit", "--no-fund"];
		symlinkSync(libraries, join(machine.directory, "node_modules"));
		execFileSync("npm", [...install, machine.file("1.0.0")], { stdio: "pipe" });
		// Node stores the compiled program, which all copies then reuse.
		execFileSync(process.execPath, [join(machine.installed, "bin/parley"), "upgrade", "--help"], {
			stdio: "pipe",
		});
		return machine;
	}

	file(version: Version): string {
		return join(this.directory, `${packageName}-${version}.tgz`);
	}

	#change(version: Version): void {
		const content = join(this.directory, "package");
		const copy = join(this.directory, version, "package");
		cpSync(content, copy, { recursive: true });
		const manifest = JSON.parse(readFileSync(join(copy, "package.json"), "utf8"));
		const { dependencies: _, optionalDependencies: _node, version: before, ...rest } = manifest;
		writeFileSync(join(copy, "package.json"), JSON.stringify({ ...rest, version }));
		const [bundle = ""] = readdirSync(join(copy, "dist"));
		const { migration = "", start = "" }: { migration?: string; start?: string } = versions[version];
		edit(join(copy, "dist", bundle), "program.js", (code) => code.replaceAll(`"${before}"`, `"${version}"`));
		edit(join(copy, "dist", bundle), "main.js", (code) => `${start}\n${code}`);
		if (migration !== "") {
			const entry = new RegExp(`\\{\\s*name: "${newest}"`);
			const more = `{ name: "${added}", async up(db) { ${migration} } }, $&`;
			edit(join(copy, "dist", bundle), "agent.js", (code) => code.replace(entry, more));
		}
		execFileSync("tar", ["-czf", this.file(version), "-C", join(this.directory, version), "package"]);
	}

	[Symbol.dispose](): void {
		rmSync(this.directory, { recursive: true, force: true });
	}
}

function edit(bundle: string, name: string, change: (code: string) => string): void {
	const before = readFileSync(join(bundle, name), "utf8");
	const after = change(before);
	writeFileSync(join(bundle, name), after);
}

/** A machine with version 1.0.0, a data directory and simulated service managers. */
export class UpgradeMachine implements AsyncDisposable {
	readonly versions: Versions;
	readonly managers: Managers;
	readonly prefix: string;
	readonly data: string;

	private constructor(versions: Versions, managers: Managers) {
		this.versions = versions;
		this.managers = managers;
		this.prefix = join(managers.root, "prefix");
		this.data = managers.data;
	}

	static async open(versions: Versions): Promise<UpgradeMachine> {
		const machine = new UpgradeMachine(versions, await Managers.open());
		symlinkSync(libraries, join(machine.managers.root, "node_modules"));
		await machine.reset();
		return machine;
	}

	/** Reinstalls version 1.0.0 with new data. */
	async reset(): Promise<void> {
		const removal = { recursive: true, force: true };
		for (const directory of [this.prefix, this.data]) rmSync(directory, removal);
		// Hard links are safe, because npm and Node replace files instead of writing to them.
		execFileSync("cp", ["-al", this.versions.installed, this.prefix]);
		mkdirSync(join(this.data, "agents"), { recursive: true, mode: 0o700 });
		writeFileSync(join(this.data, "agents/writer.md"), "You write.");
		await (await openSqliteStore({ file: join(this.data, "parley.sqlite"), migrations })).close();
	}

	get home(): string {
		return join(this.prefix, "lib/node_modules", packageName);
	}

	start(...args: readonly string[]): ChildProcess {
		return this.#spawn(this.prefix, args);
	}

	#spawn(prefix: string, args: readonly string[]): ChildProcess {
		return spawn(process.execPath, [join(prefix, "bin/parley"), ...args], {
			cwd: this.managers.work,
			env: { ...this.managers.environment, npm_config_cache: join(this.versions.directory, "cache") },
			stdio: ["ignore", "pipe", "pipe"],
		});
	}

	run(...args: readonly string[]) {
		return ended(this.start(...args));
	}

	/** Runs a command of a second installation of version 1.0.0. */
	runOld(...args: readonly string[]) {
		return ended(this.#spawn(this.versions.installed, args));
	}

	upgrade(version: Version, ...args: readonly string[]) {
		return this.run("upgrade", "--to", this.versions.file(version), "--yes", ...args);
	}

	/** Returns the version of the package that the installed command `parley` belongs to. */
	version(): string {
		const program = realpathSync(join(this.prefix, "bin/parley"));
		return JSON.parse(readFileSync(join(program, "../../package.json"), "utf8")).version;
	}

	/** Returns all files and links of the prefix, with their modes, sizes and targets. Excludes compiled code. */
	package(): string[] {
		const list = execFileSync("find", [".", "-not", "-path", "*/compiled*", "-printf", "%p %l %m %y %s\n"], {
			cwd: this.prefix,
		});
		return list
			.toString()
			.split("\n")
			.filter((line) => !/ \d+ d \d+$/.test(line))
			.sort();
	}

	async isMigrated(): Promise<boolean> {
		return (await readSqliteFile(join(this.data, "parley.sqlite"), readMigrationNames)).includes(added);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (existsSync(this.managers.unit)) await this.managers[Symbol.asyncDispose]();
		else rmSync(this.managers.root, { recursive: true, force: true });
	}
}

async function ended(child: ChildProcess) {
	const [out, error, [code, signal]] = await Promise.all([
		child.stdout ? text(child.stdout) : "",
		child.stderr ? text(child.stderr) : "",
		once(child, "close"),
	]);
	return { out, error, code, signal };
}
