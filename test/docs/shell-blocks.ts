import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A block of shell commands in a page of `docs/`. */
export interface ShellBlock {
	/** Page and first line of the block without its comment, for example `backup: parley stop`. */
	readonly key: string;
	readonly script: string;
	/** Whether `<!-- test: NAME -->` precedes the block. The page's own test then plays it. */
	readonly isMarked: boolean;
}

export function shellBlocks(): ShellBlock[] {
	const pages = globSync("docs/*.md", { cwd: root }).sort();
	return pages.flatMap((page) => blocksOf(page.slice("docs/".length, -".md".length)));
}

function blocksOf(page: string): ShellBlock[] {
	const text = readFileSync(`${root}/docs/${page}.md`, "utf8");
	const blocks = text.matchAll(/(<!-- test: [a-z-]+ -->\n+)?^```sh\n(.*?)^```$/gms);
	return Array.from(blocks, ([, marker, script = ""]) => {
		const [first = ""] = script.split("\n");
		return { key: `${page}: ${first.replace(/\s+# .*/, "")}`, script, isMarked: marker !== undefined };
	});
}

/** A part of a block, and its replacement in a test. */
export type Change = readonly [part: string, played: string];

/**
 * Blocks that `shell-blocks.ci.test.ts` plays with a gateway and the offline model, in this order. The changes replace
 * questions to a person, and ids that differ between runs.
 */
export const played: Readonly<Record<string, readonly Change[]>> = {
	"operating: parley status": [],
	"agents: parley agents": [],
	'approvals: parley trust grant discord:GUILD:CHANNEL --reason "tonight\'s release"': [
		["--reason", "--unseen --reason"],
	],
	"backup: parley backup /backups/parley-$(date +%F).tar.gz": [["2026-11-22", "$(date +%F)"]],
	"configuration: parley config": [["parley config edit", ":"]],
	'first-conversation: parley ask "run: echo hi" -y': [],
	'first-conversation: git diff | parley ask "Review this change"': [],
	"first-conversation: parley chat": [],
	"first-conversation: parley sessions": [["sessions delete", "sessions delete -y"]],
	"install: echo 'source <(parley completion bash)' >> ~/.bashrc": [],
	"mcp: parley mcp add tracker https://mcp.example.com/mcp --token-from TRACKER_TOKEN": [],
	"models: parley usage --by model": [],
	"operating: parley audit --since 2d --principal discord:GUILD:USER": [
		["1234:9f86d08…", "$(parley audit --verify | sed -n 's/^anchor: //p')"],
	],
	"people: parley people pair --role owner": [],
	"people: parley channels set discord:GUILD:CHANNEL --agent reviewer --mention always --budget 2": [],
	"people: parley channels set discord:GUILD:CHANNEL --mention required": [],
	"policy: parley policy check": [],
	"projects: parley projects": [],
	'schedules: parley schedules add "every weekday at 9:00" "Summarise the open issues"': [],
	"skills: parley skills": [["skills trust", "skills trust -y"]],
	"slack: parley slack manifest --diff installed.json": [],
};

const platformSetup = "Waits for a person in a chat: test/terminal plays it with a simulated platform.";
const otherMachine = "Needs programs or a service outside this repository.";
const docker = "No builder of images: test/packages/container.ci.test.ts plays the steps of the image.";
const starts = "Starts a gateway that runs until it is stopped: the README and test/packages play this.";
const system = "Changes the system, and needs root.";
const withKeys = "Sends a key to a provider: test/terminal plays it with a simulated provider.";
const managers = "Needs a service manager: test/service plays it with a simulated one.";
const upgrade = "test/service/upgrade.ci.test.ts plays it.";
const packs = "test/packages plays it.";

/** Blocks that no test of the pages plays, with the reason. */
export const reasons: Readonly<Record<string, string>> = {
	"approvals: parley answer": "Answers an open question: test/terminal/answer.ci.test.ts plays it.",
	"approvals: parley trust list": "Needs a request of a chat: test/trust/grants.ci.test.ts plays it.",
	"backup: parley stop": "Ends in `npm start`: test/terminal/backup.ci.test.ts plays the restore.",
	"connectors: npm run pack -- dist base protocol connector": packs,
	"container: PARLEY_PROJECT=~/projects/shop docker compose up --build --detach": docker,
	"container: docker run --detach --init --stop-timeout 40 \\": docker,
	'container: export PARLEY_TOKEN="$(docker compose exec parley parley token)"': docker,
	"container: docker compose exec parley parley backup /tmp/before-upgrade.tar.gz": docker,
	"discord: parley discord setup": platformSetup,
	"discord: export DISCORD_TOKEN=YOUR-TOKEN": platformSetup,
	"discord: parley token create connector discord --platform discord": platformSetup,
	"editors: npx @modelcontextprotocol/inspector --cli node_modules/.bin/parley mcp serve --method tools/list":
		"test/mcp-server/inspector.ci.test.ts plays it.",
	"gallery: PATH=$PWD/node_modules/.bin:$PATH vitest run test/connector/scenes/golden.test.ts test/connector/scenes/slack-golden.test.ts -u":
		"Runs tests of this repository.",
	"install: npm run pack -- dist command": packs,
	"install: cd ~/projects/shop": starts,
	"install: npm start": starts,
	"install: npm start -- --root ~/projects/shop --log-level info": starts,
	'install: export PATH=~/parley/bin:"$PATH"': "test/scripts/link-command.test.ts plays the printed line.",
	"install: parley upgrade --to ./parley-agent-0.2.0.tgz": upgrade,
	"install: parley uninstall": "Removes the installation: test/service/uninstall.ci.test.ts plays it.",
	"mcp: parley mcp add notes --env MEMORY_FILE_PATH=/srv/notes/memory.jsonl --write /srv/notes -- mcp-server-memory":
		"Needs the package of a server in the PATH: test/terminal/mcp.ci.test.ts plays the commands with another server.",
	"mcp: parley mcp login tracker": "Needs a browser: test/terminal/mcp-login.ci.test.ts plays it.",
	"mcp: parley mcp trust ~/projects/shop": "Asks at a terminal: test/terminal/mcp.ci.test.ts plays it.",
	"models: export ANTHROPIC_API_KEY=YOUR-KEY": withKeys,
	"models: OPENAI_API_KEY=YOUR-KEY npm start": withKeys,
	"models: llama-server -m MODEL.gguf --jinja -c 65536 --port 8080": otherMachine,
	"models: npm start -- --base-url http://127.0.0.1:11434 --model qwen3-coder": otherMachine,
	"operating: journalctl -u parley -o cat | jq -c 'select(.correlation == \"C0123-1700000000.000100\")'":
		managers,
	"ozzie-client: parley start --ozzie": starts,
	'ozzie-client: ozzie ask "run: echo hi"': otherMachine,
	"ozzie-client: parley gateway --listen 127.0.0.1:7777 --listen 127.0.0.1:18420": starts,
	"people: parley people": "Needs a request of a chat: test/trust/people.ci.test.ts plays it.",
	"projects: cd ~/projects/shop": "test/first-ten plays it at a terminal.",
	"remote: ssh -N -L 7777:127.0.0.1:7777 THE-MACHINE": otherMachine,
	"sandbox: sudo apt install bubblewrap": system,
	"service: cd ~/projects/shop": managers,
	'service: sudo loginctl enable-linger "$USER"': system,
	"service: sudo useradd --system --create-home parley": system,
	"service: parley logs -f --level warn": managers,
	"service: parley gateway --connectors --data /var/lib/parley --root /srv/work": starts,
	"setup: parley setup": "test/terminal/setup.ci.test.ts plays it.",
	"setup: parley setup --yes --provider anthropic --project ~/projects/shop": withKeys,
	"slack: parley slack setup": platformSetup,
	"slack: export SLACK_BOT_TOKEN=xoxb-YOUR-TOKEN SLACK_APP_TOKEN=xapp-YOUR-TOKEN": platformSetup,
	"slack: parley token create connector slack --platform slack": platformSetup,
	'tasks: parley task submit "Tidy up" "Remove unused imports in src" --watch':
		"Follows a task of a model: test/terminal/tasks.ci.test.ts plays it.",
	"troubleshooting: parley doctor":
		"Follows events until it is stopped: test/terminal/sessions.ci.test.ts plays that.",
	"upgrade: parley upgrade --to ./parley-agent-0.2.0.tgz": upgrade,
	"upgrade: parley stop": upgrade,
	"web-search: export BRAVE_API_KEY=…": "Sets a variable only: test/web-search plays a search.",
};
