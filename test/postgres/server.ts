import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Directories of the server programs. On Debian, these programs are not in PATH, but in one directory per version. */
const folders = [...(process.env["PATH"] ?? "").split(":"), ...globSync("/usr/lib/postgresql/*/bin").sort()];
const programs = folders.findLast((folder) => existsSync(join(folder, "initdb")));
const isRoot = process.getuid?.() === 0;

/** Reason why this machine cannot start a server, or undefined. */
export const missing = programs ? undefined : "PostgreSQL is not installed";

/**
 * Options to run as another user, because PostgreSQL refuses to run as root. Debian's package has the user
 * `postgres`.
 */
const unprivileged = isRoot ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
/** Command prefix that stops the server when its parent process exits. */
const leaders = process.platform === "linux" ? ["setpriv", "--pdeathsig=QUIT", ...unprivileged] : [];

/** A PostgreSQL server on a Unix socket, for the tests of one file. Disposal deletes its data. */
export class PostgresServer implements AsyncDisposable {
	readonly #directory: string;
	#child: ChildProcess | undefined;
	#databases = 0;

	private constructor(directory: string) {
		this.#directory = directory;
	}

	static async start(): Promise<PostgresServer> {
		const directory = mkdtempSync(join(tmpdir(), "parley-postgres-"));
		await using undo = new AsyncDisposableStack();
		const server = undo.use(new PostgresServer(directory));
		if (isRoot) execFileSync("chown", ["postgres:postgres", directory]);
		// A sandbox with the root `/` in another test must be able to reach the socket, in order to hide it.
		chmodSync(directory, 0o711);
		const options = ["--username=parley", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"];
		const [program, ...args] = command("initdb", "--pgdata", join(directory, "data"), ...options);
		const { status, stderr } = spawnSync(program, args, { cwd: directory, encoding: "utf8" });
		if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
		await server.resume();
		undo.move();
		return server;
	}

	/**
	 * Creates a database, and returns its connection string. Any process of the operating-system user that runs the
	 * tests can connect with the string.
	 */
	async createDatabase(): Promise<string> {
		const name = `parley_${++this.#databases}`;
		await this.query(`create database ${name}`);
		return this.#addressOf(name);
	}

	/** Executes a query, and returns its rows as lines. */
	async query(text: string, database = this.#addressOf("postgres")): Promise<string> {
		const options = ["--no-psqlrc", "--no-align", "--tuples-only", "--quiet", "--command", text];
		const { stdout } = await promisify(execFile)(join(programs ?? "", "psql"), [
			"--dbname",
			database,
			...options,
		]);
		return stdout.trimEnd();
	}

	/** Terminates all connections to a database, as an operator could. */
	async disconnect(database: string): Promise<void> {
		const others = "datname = current_database() and pid <> pg_backend_pid()";
		await this.query(
			`select pg_terminate_backend(pid, 10000) from pg_stat_activity where ${others}`,
			database,
		);
	}

	/** Closes all connections immediately, as in a crash. Committed data remains. */
	async halt(): Promise<void> {
		const child = this.#child;
		if (!child) return;
		this.#child = undefined;
		const ended = once(child, "close");
		child.kill("SIGQUIT");
		await ended;
	}

	async resume(): Promise<void> {
		const settings = [
			...["listen_addresses=", `unix_socket_directories=${this.#directory}`, "max_connections=100"],
			"unix_socket_permissions=0700",
			...["fsync=off", "full_page_writes=off", "deadlock_timeout=50ms", "lc_messages=C", "timezone=UTC"],
		];
		const flags = settings.flatMap((setting) => ["-c", setting]);
		const [program, ...args] = command("postgres", "-D", join(this.#directory, "data"), ...flags);
		const child = spawn(program, args, { cwd: this.#directory, stdio: ["ignore", "ignore", "pipe"] });
		this.#child = child;
		const output: string[] = [];
		for await (const line of createInterface(child.stderr)) {
			output.push(line);
			if (!line.includes("database system is ready to accept connections")) continue;
			child.stderr.resume();
			return;
		}
		throw new Error(`PostgreSQL did not start: ${output.join("\n")}`);
	}

	#addressOf(database: string): string {
		return `postgresql://parley@/${database}?host=${encodeURIComponent(this.#directory)}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.halt();
		rmSync(this.#directory, { recursive: true, force: true });
	}
}

function command(program: string, ...args: readonly string[]): [string, ...string[]] {
	const [leader, ...rest] = [...leaders, join(programs ?? "", program), ...args];
	return [leader ?? program, ...rest];
}
