import { expect, test } from "vitest";
import { isControl, isInstructions, isSecret } from "./sensitive-paths.ts";

test.each([
	"/w/.env",
	"/w/.env.local",
	"/w/.env.example",
	"/w/.envrc",
	"/w/.ENV",
	"/w/server.pem",
	"/w/SERVER.PEM",
	"/w/tls.key",
	"/w/x.p12",
	"/w/x.kdbx",
	"/h/id_rsa",
	"/h/id_ed25519",
	"/h/id_rsa.bak",
	"/h/id_ecdsa_sk",
	"/h/.ssh",
	"/h/.ssh/config",
	"/h/.ssh/known_hosts",
	"/h/.SSH/config",
	"/h/.s\u{200b}sh/config",
	"/h/.gnupg/private-keys-v1.d/x",
	"/h/.aws/credentials",
	"/h/.aws/sso/cache/x.json",
	"/h/.netrc",
	"/h/.npmrc",
	"/w/.npmrc",
	"/h/.pgpass",
	"/h/.pypirc",
	"/h/.git-credentials",
	"/h/.kube/config",
	"/h/.docker/config.json",
	"/h/.cargo/credentials.toml",
	"/h/.config/gcloud/x.db",
	"/h/.config/gh/hosts.yml",
	"/h/.mozilla/firefox/x.default/logins.json",
	"/h/.config/google-chrome/Default/Login Data",
	"/h/Library/Application Support/Google/Chrome/Default/Cookies",
	"/h/Library/Keychains/login.keychain-db",
	"/h/snap/firefox/common/x",
	"/h/.local/share/keyrings/login.keyring",
	"/h/.password-store/x.gpg",
	"/h/.bash_history",
	"/etc/shadow",
	"/etc/ssh/ssh_host_rsa_key",
	"/proc/1/environ",
	"/proc/self/environ",
	"/proc/123/mem",
	"/w/config/secrets.yml",
	"/w/credentials.json",
])("%s is secret", (path) => {
	expect(isSecret(path)).toBe(true);
});

test.each([
	"/w/src/env.ts",
	"/w/environment",
	"/w/id_rsa.pub",
	"/w/src/key.ts",
	"/w/keyboard.md",
	"/w/monkey",
	"/w/ssh/config",
	"/w/src/credentials/store.ts",
	"/w/docs/history.md",
	"/proc/cpuinfo",
	"/w/package.json",
])("%s is not secret", (path) => {
	expect(isSecret(path)).toBe(false);
});

test.each([
	"/w/.git",
	"/w/.git/hooks/pre-commit",
	"/w/.git/config",
	"/w/.GIT/config",
	"/w/.g\u{200c}it/hooks/x",
	"/w/sub/.git/modules/x/hooks/y",
	"/w/.githooks/pre-push",
	"/w/.husky/pre-commit",
	"/h/.gitconfig",
	"/h/.config/git/config",
	"/w/.github/workflows/ci.yml",
	"/w/.gitlab-ci.yml",
	"/w/.circleci/config.yml",
	"/w/Jenkinsfile",
	"/etc/crontab",
	"/etc/cron.d/x",
	"/var/spool/cron/root",
	"/etc/systemd/system/x.service",
	"/h/.config/systemd/user/x.timer",
	"/w/deploy/x.service",
	"/h/Library/LaunchAgents/x.plist",
	"/h/.config/autostart/x.desktop",
	"/h/.bashrc",
	"/h/.bash_profile",
	"/h/.profile",
	"/h/.zshrc",
	"/h/.zshenv",
	"/h/.zprofile",
	"/h/.config/fish/config.fish",
	"/h/.vimrc",
	"/w/.envrc",
	"/w/.vscode/tasks.json",
	"/w/parley.config.json",
	"/w/.claude/settings.json",
	"/w/apps/shop/.claude/skills/lint.md",
	"/w/apps/shop/.parley/skills/build/scripts/build.sh",
	"/w/.codex/config.toml",
	"/w/.cursor/rules",
	"/w/.mcp.json",
])("%s is a control path", (path) => {
	expect(isControl(path)).toBe(true);
});

test.each([
	["/w/AGENTS.md", true],
	["/w/apps/shop/CLAUDE.md", true],
	["/w/agents.md", true],
	["/w/AGENTS.md.txt", false],
	["/w/AGENTS.md/x", false],
	["/w/MY-AGENTS.md", false],
])("whether %s has instructions for other sessions: %s", (path, expected) => {
	expect(isInstructions(path)).toBe(expected);
});

test.each([
	"/w/.github/ISSUE_TEMPLATE.md",
	"/w/.gitignore",
	"/w/.gitattributes",
	"/w/src/git/config.ts",
	"/w/src/cron.ts",
	"/w/service.ts",
	"/w/profile.md",
	"/w/docs/systemd.md",
	"/w/parley.config.ts",
	"/w/README.md",
])("%s is not a control path", (path) => {
	expect(isControl(path)).toBe(false);
});

test("one matching path among several is enough", () => {
	expect(isSecret("/w/x", "/w/.env")).toBe(true);
	expect(isControl("/w/x", "/w/y")).toBe(false);
});
