import type { Change } from "./shell-blocks.ts";

/**
 * Blocks that `shell-blocks.ci.test.ts` plays with a gateway and the offline model, in this order. The changes replace
 * parts that the test cannot play, for example questions to a person and ids of other runs.
 */
export const played: Readonly<Record<string, readonly Change[]>> = {
	"operating: parley status": [],
	"agents: parley agents": [],
	'tasks: parley task submit "Tidy up" "Remove unused imports in src" --watch': [
		["parley task show", "ID=$(parley tasks --all | grep -o '^task_[0-9a-z]*')\nparley task show"],
		[" ID", ' "$ID"'],
	],
	"mcp: parley mcp trust ~/projects/shop": [["mcp trust", "mcp trust -y"]],
	"people: parley people": [],
	"approvals: parley trust list": [["revoke ID", "revoke $(parley trust list | grep -o '^grant_[0-9a-z]*')"]],
	"approvals: parley answer": [],
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
	"protocols/mcp: parley token create operator editor": [],
	'schedules: parley schedules add "every weekday at 9:00" "Summarise the open issues"': [],
	"skills: parley skills": [["skills trust", "skills trust -y"]],
	"slack: parley slack manifest --diff installed.json": [],
};

/**
 * Blocks that other tests play, by test file. Each test reads the current text of its block from the page, for
 * example with `documented`.
 */
export const elsewhere: Readonly<Record<string, readonly string[]>> = {
	"test/docs/shell-blocks.ci.test.ts": ["troubleshooting: parley doctor"],
	"test/docs/start-blocks.ci.test.ts": [
		"protocols/kontekst: parley start --listen 127.0.0.1:50051",
		"protocols/roz: parley start --listen 127.0.0.1:8080",
		`protocols/zot: printf '%s\\n' '{"id":"1","type":"prompt","message":"say: Hello!"}' | npx --no zot rpc --provider offline`,
		"editors: npx @modelcontextprotocol/inspector --cli node_modules/.bin/parley mcp serve --method tools/list",
		"gallery: PATH=$PWD/node_modules/.bin:$PATH vitest run test/connector/scenes/golden.test.ts test/connector/scenes/slack-golden.test.ts -u",
		"backup: parley stop",
		"install: cd ~/projects/shop",
		"install: npm start",
		"install: npm start -- --root ~/projects/shop --log-level info",
		'install: export PATH=~/parley/bin:"$PATH"',
		"mcp: parley mcp add notes --env MEMORY_FILE_PATH=/srv/notes/memory.jsonl --write /srv/notes -- mcp-server-memory",
		"models: export ANTHROPIC_API_KEY=YOUR-KEY",
		"models: OPENAI_API_KEY=YOUR-KEY npm start",
		"models: llama-server -m MODEL.gguf --jinja -c 65536 --port 8080",
		"models: npm start -- --base-url http://127.0.0.1:11434 --model qwen3-coder",
		"ozzie-client: parley start --ozzie",
		"ozzie-client: parley gateway --listen 127.0.0.1:7777 --listen 127.0.0.1:18420",
		"service: parley gateway --connectors --data /var/lib/parley --root /srv/work",
		"web-search: export BRAVE_API_KEY=…",
	],
	"test/docs/chat-blocks.ci.test.ts": [
		"discord: export DISCORD_TOKEN=YOUR-TOKEN",
		"discord: parley token create connector discord --platform discord",
		"slack: export SLACK_BOT_TOKEN=xoxb-YOUR-TOKEN SLACK_APP_TOKEN=xapp-YOUR-TOKEN",
		"slack: parley token create connector slack --platform slack",
	],
	"test/docs/service-blocks.ci.test.ts": [
		"service: sudo useradd --system --create-home parley",
		"sandbox: sudo apt install bubblewrap",
		"operating: journalctl -u parley -o cat | jq -cR 'fromjson? | select(.correlation == \"C0123-1700000000.000100\")'",
		"service: cd ~/projects/shop",
		'service: sudo loginctl enable-linger "$USER"',
		"service: parley logs -f --level warn",
		"setup: parley setup --yes --provider anthropic --project ~/projects/shop",
	],
	"test/packages/command-package.ci.test.ts": ["install: npm run pack -- dist command"],
	"test/packages/library-packages.ci.test.ts": ["connectors: npm run pack -- dist base protocol connector"],
	"test/service/uninstall.ci.test.ts": ["install: parley uninstall"],
	"test/service/upgrade.ci.test.ts": [
		"install: parley upgrade --to ./parley-agent-0.2.0.tgz",
		"upgrade: parley upgrade --to ./parley-agent-0.2.0.tgz",
		"upgrade: parley stop",
	],
	"test/terminal/discord.ci.test.ts": ["discord: parley discord setup"],
	"test/terminal/mcp-login.ci.test.ts": [
		"mcp: parley mcp login tracker",
		"mcp: parley mcp login tracker --dir ~/projects/shop",
	],
	"test/terminal/mcp.ci.test.ts": [
		"mcp: parley mcp trust ~/projects/shop --server tracker --env-from TRACKER_TOKEN",
	],
	"test/terminal/project.ci.test.ts": ["projects: cd ~/projects/shop"],
	"test/terminal/setup.ci.test.ts": ["setup: parley setup"],
	"test/terminal/slack.ci.test.ts": ["slack: parley slack setup"],
	"test/terminal/ssh.ci.test.ts": [
		"remote: ssh -N -L 7777:127.0.0.1:7777 THE-MACHINE",
		"terminal: ssh -t THE-MACHINE parley chat",
	],
};

/**
 * The named test plays the steps of the image and the commands in `docker compose exec parley`, and compares the
 * options of `docker run`.
 */
const docker = "Needs the daemon of Docker, which does not run here: test/packages/container.ci.test.ts";

/** Blocks that no test runs, with the reason. */
export const reasons: Readonly<Record<string, string>> = {
	"container: PARLEY_PROJECT=~/projects/shop docker compose up --build --detach": docker,
	"container: docker run --detach --init --stop-timeout 40 \\": docker,
	'container: export PARLEY_TOKEN="$(docker compose exec parley parley token)"': docker,
	"container: docker compose exec parley parley backup /tmp/before-upgrade.tar.gz": docker,
	'ozzie-client: ozzie ask "run: echo hi"':
		"Needs the Ozzie client, whose source is not here: test/conformance/ozzie-go-program.ci.test.ts plays a program with its library.",
};
